package v1

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/stored"
)

// handlers answer the first OpenAPI calls. In their values, the member __type names the
// record.
type handlers struct{ catalog *services.Services }

// aspectWrite is an aspect to write.
type aspectWrite struct {
	EntityType string          `json:"entityType"`
	EntityURN  string          `json:"entityUrn"`
	Key        json.RawMessage `json:"entityKeyAspect"`
	AspectName string          `json:"aspectName"`
	Aspect     json.RawMessage `json:"aspect"`
}

// genericContent is the value of an aspect in a proposal: a JSON object, or a text with
// one.
type genericContent struct {
	Value       json.RawMessage `json:"value"`
	ContentType string          `json:"contentType"`
}

// proposalBody is a proposal whose values are genericContent.
type proposalBody struct {
	EntityType string                  `json:"entityType"`
	EntityURN  string                  `json:"entityUrn"`
	Key        *genericContent         `json:"entityKeyAspect"`
	ChangeType string                  `json:"changeType"`
	AspectName string                  `json:"aspectName"`
	Aspect     *genericContent         `json:"aspect"`
	System     *catalog.SystemMetadata `json:"systemMetadata"`
	Headers    map[string]string       `json:"headers"`
}

// genericAspect returns the value in the catalog's form; nil for nil.
func (v *genericContent) genericAspect() *write.GenericAspect {
	if v == nil {
		return nil
	}
	value := []byte(v.Value)
	if bytes.HasPrefix(value, []byte(`"`)) {
		var text string
		if json.Unmarshal(value, &text) == nil { // the value is valid JSON, because the body is
			value = []byte(text)
		}
	}
	contentType := v.ContentType
	if contentType == "" {
		contentType = call.JSONContent
	}
	return &write.GenericAspect{Value: value, ContentType: contentType}
}

func jsonAspect(value json.RawMessage) *write.GenericAspect {
	if len(value) == 0 {
		return nil
	}
	return &write.GenericAspect{Value: value, ContentType: call.JSONContent}
}

func (h handlers) write(c *call.Call) error {
	var body []aspectWrite
	if err := c.BodyOf(intake.Batch, &body); err != nil {
		return err
	}
	proposals := make([]write.Proposal, len(body))
	for i := range body {
		w := &body[i]
		proposals[i] = write.Proposal{
			EntityType: w.EntityType, EntityURN: w.EntityURN, EntityKeyAspect: jsonAspect(w.Key), AspectName: w.AspectName, Aspect: jsonAspect(w.Aspect),
		}
	}
	return h.ingest(c, proposals)
}

func (h handlers) writeProposals(c *call.Call) error {
	var body []proposalBody
	if err := c.BodyOf(intake.Batch, &body); err != nil {
		return err
	}
	proposals := make([]write.Proposal, len(body))
	for i := range body {
		p := &body[i]
		proposals[i] = write.Proposal{
			EntityType: p.EntityType, EntityURN: p.EntityURN, EntityKeyAspect: p.Key.genericAspect(), ChangeType: p.ChangeType,
			AspectName: p.AspectName, Aspect: p.Aspect.genericAspect(), System: p.System, Headers: p.Headers,
		}
	}
	return h.ingest(c, proposals)
}

// ingest writes the proposals, either all of them or none. It answers with the URNs of the
// proposals that changed something.
func (h handlers) ingest(c *call.Call, proposals []write.Proposal) error {
	options, err := c.WriteOptions(nil)
	if err != nil {
		return err
	}
	if err := c.HoldValues(proposals); err != nil {
		return err
	}
	var refused catalog.RefusedMembers
	for i := range proposals {
		p := &proposals[i]
		if err := h.catalog.SettleTypes(p); err != nil {
			refused.Add(catalog.RefusedMember{Index: i, URN: p.EntityURN, Aspect: p.AspectName, Err: err})
		}
	}
	if err := refused.Err(len(proposals), "nothing was written"); err != nil {
		return err
	}
	items, err := h.catalog.IngestWhole(c.Request.Context(), proposals, options)
	if err != nil {
		return err
	}
	changed, status := []string{}, http.StatusOK
	for i := range items {
		if items[i].Changed {
			changed, status = append(changed, items[i].URN), http.StatusCreated
		}
	}
	return c.JSON(status, changed)
}

// readURNs reads the URNs in the query.
func readURNs(c *call.Call) ([]model.URN, error) {
	texts, err := c.List("urns")
	if err == nil && len(texts) == 0 {
		err = catalog.Errorf(catalog.Invalid, "parameter urns is required")
	}
	if err == nil {
		err = catalog.CheckIDs(texts)
	}
	if err != nil {
		return nil, err
	}
	return c.URNList(texts)
}

func (h handlers) latest(c *call.Call) error {
	urns, err := readURNs(c)
	if err != nil {
		return err
	}
	names, err := c.List("aspectNames")
	if err != nil {
		return err
	}
	if err := spellForAny(c, urns, names); err != nil {
		return err
	}
	found, err := h.catalog.EntitiesWithTypes(c.Request.Context(), urns, names)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, latestAnswer(found))
}

// spellForAny replaces names of aspects by the model's spelling. At least one of the
// entities must be of a type with the aspect.
func spellForAny(c *call.Call, urns []model.URN, names []string) error {
	var types []*model.Entity
	for _, u := range urns {
		e, err := c.Catalog.EntityType(u.EntityType())
		if err != nil {
			return err
		}
		if !slices.Contains(types, e) {
			types = append(types, e)
		}
	}
	for i, name := range names {
		var unknown error
		for _, e := range types {
			var known string
			if known, unknown = c.KnownAspect(e, name); unknown == nil {
				names[i] = known
				break
			}
		}
		if unknown != nil {
			return unknown
		}
	}
	return nil
}

// latestAnswer is the answer with several entities, by URN.
type latestAnswer map[string]catalog.EntityResponse

func (a latestAnswer) AppendJSON(text []byte) []byte {
	text = stored.AppendMap(append(text, `{"responses":`...), a, func(text []byte, e catalog.EntityResponse) []byte {
		return stored.Entity(e).AppendJSON(text)
	})
	return append(text, '}')
}

// deletion is the answer to a deletion: the key aspects that were deleted or, for a soft
// delete, the entities that were marked, and the total number of deleted rows.
type deletion struct {
	RowsRolledBack []deletedRow `json:"rowsRolledBack"`
	Rows           int64        `json:"rowsDeletedFromEntityDeletion"`
}

type deletedRow struct {
	URN       string `json:"urn"`
	Aspect    string `json:"aspectName,omitempty"`
	KeyAspect bool   `json:"keyAspect,omitempty"`
}

func (h handlers) delete(c *call.Call) error {
	urns, err := readURNs(c)
	if err != nil {
		return err
	}
	r := &call.Reader{Call: c}
	soft := call.Argument(r, func(name string) (bool, error) { return c.BooleanOr(name, true) }, "soft")
	dryRun := call.Argument(r, c.Boolean, "dryRun")
	if r.Err != nil {
		return r.Err
	}
	options, err := c.WriteOptions(nil)
	if err != nil {
		return err
	}
	result, err := h.catalog.Removal.BatchDelete(c.Request.Context(), removal.BatchDeletion{URNs: urns, Soft: soft, DryRun: dryRun}, options)
	if err != nil {
		return err
	}
	if soft {
		marked := deletion{RowsRolledBack: []deletedRow{}, Rows: result.Rows}
		for _, d := range result.Deletions {
			marked.RowsRolledBack = append(marked.RowsRolledBack, deletedRow{URN: d.URN})
		}
		return c.JSON(http.StatusOK, []deletion{marked})
	}
	deleted := make([]deletion, len(result.Deletions))
	for i, d := range result.Deletions {
		deleted[i] = deletion{RowsRolledBack: []deletedRow{}, Rows: d.Rows + d.TimeSeriesRows}
		if e, err := c.Catalog.EntityType(model.StoredURN(d.URN).EntityType()); err == nil && d.Rows > 0 {
			deleted[i].RowsRolledBack = append(deleted[i].RowsRolledBack, deletedRow{d.URN, e.KeyAspect, true})
		}
	}
	return c.JSON(http.StatusOK, deleted)
}
