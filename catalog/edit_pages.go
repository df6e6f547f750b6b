package catalog

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/model"
)

// Post is an announcement to create. Type is where it is shown, ContentType is
// TEXT or LINK. A link, description or picture of "" is left out.
type Post struct {
	Type, ContentType, Title string
	Description, Link        string
	// MediaType and Media describe the picture and its location.
	MediaType, Media string
}

// CreatePost creates an announcement and returns its URN.
func (c *Catalog) CreatePost(ctx context.Context, p Post, o WriteOptions) (string, error) {
	if err := requireName(&p.Title); err != nil {
		return "", err
	}
	if p.ContentType == "LINK" && p.Link == "" {
		return "", Errorf(Invalid, "an announcement of the type LINK needs a link")
	}
	u, by, err := c.newURN(model.EntityPost, "", o)
	if err != nil {
		return "", err
	}
	content := Tree{"title": p.Title, "type": p.ContentType}
	for name, text := range map[string]string{"description": p.Description, "link": p.Link} {
		if text != "" {
			content[name] = text
		}
	}
	if p.Media != "" {
		content["media"] = Tree{"type": p.MediaType, "location": p.Media}
	}
	return u.String(), c.create(ctx, u, map[string]Tree{
		model.AspectPostInfo: {"type": p.Type, "content": content, "created": by.Time, "lastModified": by.Time},
	}, o)
}

// CreateOwnershipType makes a kind of ownership and returns its URN.
func (c *Catalog) CreateOwnershipType(ctx context.Context, name, description string, o WriteOptions) (string, error) {
	if err := requireName(&name); err != nil {
		return "", err
	}
	u, by, err := c.newURN(model.EntityOwnershipType, "", o)
	if err != nil {
		return "", err
	}
	return u.String(), c.create(ctx, u, map[string]Tree{model.AspectOwnershipTypeInfo: {
		"name": name, "description": description, "created": by.tree(), "lastModified": by.tree(),
	}}, o)
}

// UpdateOwnershipType sets the given parts of a kind of ownership.
func (c *Catalog) UpdateOwnershipType(ctx context.Context, urn string, name, description *string, o WriteOptions) error {
	if err := requireName(name); err != nil {
		return err
	}
	return c.editKnown(ctx, urn, model.EntityOwnershipType, []Edit{editStated(urn, model.AspectOwnershipTypeInfo, func(value Tree, by AuditStamp) {
		setTexts(value, map[string]*string{"name": name, "description": description})
		value["lastModified"] = by.tree()
	})}, o)
}

// DeleteOwnershipType deletes a kind of ownership, and with references also
// every mention of it.
func (c *Catalog) DeleteOwnershipType(ctx context.Context, urn string, references bool, o WriteOptions) error {
	if references {
		return c.DeleteEntity(ctx, urn, []string{model.EntityOwnershipType}, o)
	}
	if err := c.requireFound(ctx, urn, model.EntityOwnershipType); err != nil {
		return err
	}
	_, err := c.Delete(ctx, urn, false, o)
	return err
}

// MetadataTest is a test of metadata: its name, its category, and the rule as
// JSON text.
type MetadataTest struct {
	Name, Category, Description, Definition string
}

// CreateTest makes a test and returns its URN; an id of "" makes one.
func (c *Catalog) CreateTest(ctx context.Context, id string, t MetadataTest, o WriteOptions) (string, error) {
	if err := t.check(); err != nil {
		return "", err
	}
	u, _, err := c.newURN(model.EntityTest, id, o)
	if err != nil {
		return "", err
	}
	return u.String(), c.create(ctx, u, map[string]Tree{model.AspectTestInfo: t.tree()}, o)
}

// UpdateTest replaces a test.
func (c *Catalog) UpdateTest(ctx context.Context, urn string, t MetadataTest, o WriteOptions) error {
	if err := t.check(); err != nil {
		return err
	}
	return c.editKnown(ctx, urn, model.EntityTest, []Edit{Replace(urn, model.AspectTestInfo, func(AuditStamp) Tree { return t.tree() })}, o)
}

// check fails without a name, and when the rule is not JSON.
func (t *MetadataTest) check() error {
	if err := requireName(&t.Name); err != nil {
		return err
	}
	if t.Definition != "" && !json.Valid([]byte(t.Definition)) {
		return Errorf(Invalid, "the definition of a test must be JSON")
	}
	return nil
}

func (t *MetadataTest) tree() Tree {
	definition := Tree{"type": "JSON"}
	if t.Definition != "" {
		definition["json"] = t.Definition
	}
	value := Tree{"name": t.Name, "category": t.Category, "definition": definition}
	if t.Description != "" {
		value["description"] = t.Description
	}
	return value
}

// SetEmbed sets the address at which another tool shows an entity; "" removes
// it.
func (c *Catalog) SetEmbed(ctx context.Context, urn, address string, o WriteOptions) error {
	return c.Edit(ctx, []Edit{Replace(urn, model.AspectEmbed, func(AuditStamp) Tree {
		if address == "" {
			return Tree{}
		}
		return Tree{"renderUrl": address}
	})}, o)
}

// StepState is what somebody has done of a page.
type StepState struct {
	ID         string
	Properties map[string]string
}

// StepStates reads the stored states of steps. Steps without one are left out.
func (c *Catalog) StepStates(ctx context.Context, ids []string, actor string) ([]StepState, error) {
	urns, err := c.stepURNs(ids, WriteOptions{Actor: actor})
	if err != nil {
		return nil, err
	}
	stored, err := c.store.LatestAspects(ctx, urns, []string{model.AspectDataHubStepStateProperties})
	if err != nil {
		return nil, storeFailure(err)
	}
	states := []StepState{}
	for i, urn := range urns {
		if len(stored[urn]) == 0 {
			continue
		}
		var value struct {
			Properties map[string]string `json:"properties"`
		}
		if err := json.Unmarshal(stored[urn][0].Value, &value); err != nil {
			return nil, Errorf(Internal, "%s of %s: %w", model.AspectDataHubStepStateProperties, urn, err)
		}
		states = append(states, StepState{ID: ids[i], Properties: value.Properties})
	}
	return states, nil
}

// SetStepStates replaces the states of steps, all of them or none.
func (c *Catalog) SetStepStates(ctx context.Context, states []StepState, o WriteOptions) error {
	ids := make([]string, len(states))
	for i, state := range states {
		ids[i] = state.ID
	}
	urns, err := c.stepURNs(ids, o)
	if err != nil {
		return err
	}
	_, actor := c.dialectOfActor(o.Actor)
	by := AuditStamp{Time: c.now().UnixMilli(), Actor: actor}
	proposals := make([]Proposal, len(states))
	for i, state := range states {
		properties := Tree{}
		for name, value := range state.Properties {
			properties[name] = value
		}
		text, err := json.Marshal(Tree{"properties": properties, "lastModified": by.tree()})
		if err != nil {
			return Errorf(Internal, "%s: %w", model.AspectDataHubStepStateProperties, err)
		}
		proposals[i] = Proposal{
			EntityType: model.EntityDataHubStepState, EntityURN: urns[i], AspectName: model.AspectDataHubStepStateProperties,
			Aspect: &GenericAspect{Value: text, ContentType: "application/json"},
			System: &SystemMetadata{Properties: userInterface},
		}
	}
	return c.IngestTogether(ctx, proposals, o)
}

// stepURNs returns the URNs of steps.
func (c *Catalog) stepURNs(ids []string, o WriteOptions) ([]string, error) {
	if len(ids) > maxEdits {
		return nil, Errorf(Invalid, "%d steps in one request, at most %d are allowed", len(ids), maxEdits)
	}
	urns := make([]string, len(ids))
	for i, id := range ids {
		if id == "" {
			return nil, Errorf(Invalid, "the id of a step must not be empty")
		}
		u, _, err := c.newURN(model.EntityDataHubStepState, id, o)
		if err != nil {
			return nil, err
		}
		urns[i] = u.String()
	}
	return urns, nil
}
