package restli

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
)

// editHandlers add and remove labels, owners and descriptions of entities and columns.
type editHandlers struct{ catalog *services.Services }

// wireMarks are tags, terms and owners to add or to remove.
type wireMarks struct {
	Tags   []string    `json:"tags"`
	Terms  []string    `json:"terms"`
	Owners []wireOwner `json:"owners"`
}

// wireOwner is an owner with the kind of ownership, given by name or URN.
type wireOwner struct {
	Owner   string `json:"owner"`
	Type    string `json:"type"`
	TypeURN string `json:"typeUrn"`
}

// nullableText is a text member that may be absent or null.
type nullableText struct {
	given bool
	text  string
}

// UnmarshalJSON decodes a text; null becomes "".
func (n *nullableText) UnmarshalJSON(text []byte) error {
	n.given = true
	return json.Unmarshal(text, &n.text)
}

func (h editHandlers) edit(c *call.Call) error {
	var body struct {
		URN         string       `json:"urn"`
		Column      string       `json:"column"`
		Add         wireMarks    `json:"add"`
		Remove      wireMarks    `json:"remove"`
		Domain      nullableText `json:"domain"`
		Description nullableText `json:"description"`
		DryRun      call.Bool    `json:"dryRun"`
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	urn, err := c.RequiredURN("urn", body.URN)
	if err != nil {
		return err
	}
	revision := edits.Revision{Resource: edits.Resource{URN: urn, Field: body.Column}, DryRun: bool(body.DryRun)}
	if revision.Add, err = readMarks(c, &body.Add); err != nil {
		return err
	}
	if revision.Remove, err = readMarks(c, &body.Remove); err != nil {
		return err
	}
	if body.Domain.given {
		revision.Domain = &model.URN{}
		if body.Domain.text != "" {
			if *revision.Domain, err = c.URN(body.Domain.text); err != nil {
				return err
			}
		}
	}
	if body.Description.given {
		revision.Description = &body.Description.text
	}
	options, err := c.WriteOptions(nil)
	if err != nil {
		return err
	}
	done, err := h.catalog.Edits.Revise(c.Request.Context(), revision, options)
	if err != nil {
		return err
	}
	if err := onlyReadable(c.Request.Context(), &done.Before, &done.After); err != nil {
		return err
	}
	return c.Answer(done)
}

// onlyReadable removes from statements the entities that the caller may not read.
func onlyReadable(ctx context.Context, all ...*edits.Stated) (err error) {
	for _, s := range all {
		for _, urns := range []*[]string{&s.Tags, &s.Terms, &s.Domains} {
			if *urns, err = permission.OnlyReadable(ctx, *urns); err != nil {
				return err
			}
		}
		owners := make([]string, len(s.Owners))
		for i := range s.Owners {
			owners[i] = s.Owners[i].Owner
		}
		if owners, err = permission.OnlyReadable(ctx, owners); err != nil {
			return err
		}
		s.Owners = slices.DeleteFunc(s.Owners, func(o edits.StatedOwner) bool { return !slices.Contains(owners, o.Owner) })
	}
	return nil
}

// readMarks reads the URNs of tags, terms and owners.
func readMarks(c *call.Call, m *wireMarks) (marks edits.Marks, err error) {
	if err := catalog.TooMany("tags, terms and owners", len(m.Tags)+len(m.Terms)+len(m.Owners), write.MaxEdits); err != nil {
		return marks, err
	}
	if marks.Tags, err = c.URNList(m.Tags); err != nil {
		return marks, err
	}
	if marks.Terms, err = c.URNList(m.Terms); err != nil {
		return marks, err
	}
	for _, o := range m.Owners {
		owner := edits.NewOwner{Type: o.Type}
		if owner.URN, err = c.RequiredURN("owner", o.Owner); err != nil {
			return marks, err
		}
		if o.TypeURN != "" {
			if owner.TypeURN, err = c.URN(o.TypeURN); err != nil {
				return marks, err
			}
		}
		marks.Owners = append(marks.Owners, owner)
	}
	return marks, nil
}
