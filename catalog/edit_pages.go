package catalog

import (
	"context"
	"encoding/json"
)

// Post is an announcement to make. Type is where it is shown, ContentType what
// it is (TEXT or LINK); "" leaves out a link, a description or a picture.
type Post struct {
	Type, ContentType, Title string
	Description, Link        string
	// MediaType and Media are of a picture and where it is.
	MediaType, Media string
}

// CreatePost makes an announcement and returns its URN.
func (c *Catalog) CreatePost(ctx context.Context, p Post, o WriteOptions) (string, error) {
	if err := requireName(&p.Title); err != nil {
		return "", err
	}
	if p.ContentType == "LINK" && p.Link == "" {
		return "", Errorf(Invalid, "an announcement of the type LINK needs a link")
	}
	u, by, err := c.newURN("post", "", o)
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
		"postInfo": {"type": p.Type, "content": content, "created": by.Time, "lastModified": by.Time},
	}, o)
}

// ownershipTypeAspect says what a kind of ownership is.
const ownershipTypeAspect = "ownershipTypeInfo"

// CreateOwnershipType makes a kind of ownership and returns its URN.
func (c *Catalog) CreateOwnershipType(ctx context.Context, name, description string, o WriteOptions) (string, error) {
	if err := requireName(&name); err != nil {
		return "", err
	}
	u, by, err := c.newURN("ownershipType", "", o)
	if err != nil {
		return "", err
	}
	return u.String(), c.create(ctx, u, map[string]Tree{ownershipTypeAspect: {
		"name": name, "description": description, "created": by.tree(), "lastModified": by.tree(),
	}}, o)
}

// UpdateOwnershipType sets the given parts of a kind of ownership.
func (c *Catalog) UpdateOwnershipType(ctx context.Context, urn string, name, description *string, o WriteOptions) error {
	if err := requireName(name); err != nil {
		return err
	}
	return c.editKnown(ctx, urn, "ownershipType", []Edit{editStated(urn, ownershipTypeAspect, func(value Tree, by AuditStamp) {
		setTexts(value, map[string]*string{"name": name, "description": description})
		value["lastModified"] = by.tree()
	})}, o)
}

// DeleteOwnershipType deletes a kind of ownership, with references every
// mention of it too.
func (c *Catalog) DeleteOwnershipType(ctx context.Context, urn string, references bool, o WriteOptions) error {
	if references {
		return c.DeleteEntity(ctx, urn, []string{"ownershipType"}, o)
	}
	if err := c.requireFound(ctx, urn, "ownershipType"); err != nil {
		return err
	}
	_, err := c.Delete(ctx, urn, false, o)
	return err
}

// MetadataTest is a test of metadata: its name, what it is filed under, and the
// rule as JSON text.
type MetadataTest struct {
	Name, Category, Description, Definition string
}

const testAspect = "testInfo"

// CreateTest makes a test and returns its URN; an id of "" makes one.
func (c *Catalog) CreateTest(ctx context.Context, id string, t MetadataTest, o WriteOptions) (string, error) {
	if err := t.check(); err != nil {
		return "", err
	}
	u, _, err := c.newURN("test", id, o)
	if err != nil {
		return "", err
	}
	return u.String(), c.create(ctx, u, map[string]Tree{testAspect: t.tree()}, o)
}

// UpdateTest replaces a test.
func (c *Catalog) UpdateTest(ctx context.Context, urn string, t MetadataTest, o WriteOptions) error {
	if err := t.check(); err != nil {
		return err
	}
	return c.editKnown(ctx, urn, "test", []Edit{Replace(urn, testAspect, func(AuditStamp) Tree { return t.tree() })}, o)
}

// check fails without a name, and for a rule that is no JSON.
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

// SetEmbed sets where another tool shows an entity; "" takes that away.
func (c *Catalog) SetEmbed(ctx context.Context, urn, address string, o WriteOptions) error {
	return c.Edit(ctx, []Edit{Replace(urn, "embed", func(AuditStamp) Tree {
		if address == "" {
			return Tree{}
		}
		return Tree{"renderUrl": address}
	})}, o)
}

const stepAspect = "dataHubStepStateProperties"

// StepState is what somebody has done of a page.
type StepState struct {
	ID         string
	Properties map[string]string
}

// StepStates reads what is stored of steps; others are left out.
func (c *Catalog) StepStates(ctx context.Context, ids []string, actor string) ([]StepState, error) {
	urns, err := c.stepURNs(ids, WriteOptions{Actor: actor})
	if err != nil {
		return nil, err
	}
	stored, err := c.store.LatestAspects(ctx, urns, []string{stepAspect})
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
			return nil, Errorf(Internal, "%s of %s: %w", stepAspect, urn, err)
		}
		states = append(states, StepState{ID: ids[i], Properties: value.Properties})
	}
	return states, nil
}

// SetStepStates says what somebody has done of pages, each step as a whole: all
// of them or none.
func (c *Catalog) SetStepStates(ctx context.Context, states []StepState, o WriteOptions) error {
	ids := make([]string, len(states))
	for i, s := range states {
		ids[i] = s.ID
	}
	urns, err := c.stepURNs(ids, o)
	if err != nil {
		return err
	}
	_, actor := c.dialectOfActor(o.Actor)
	by := AuditStamp{Time: c.now().UnixMilli(), Actor: actor}
	changes := make([]*change, len(states))
	for i, s := range states {
		properties := Tree{}
		for name, value := range s.Properties {
			properties[name] = value
		}
		text, err := json.Marshal(Tree{"properties": properties, "lastModified": by.tree()})
		if err != nil {
			return Errorf(Internal, "%s: %w", stepAspect, err)
		}
		changes[i], err = c.prepare(&Proposal{
			EntityType: "dataHubStepState", EntityURN: urns[i], AspectName: stepAspect,
			Aspect: &GenericAspect{Value: text, ContentType: "application/json"},
			System: &SystemMetadata{Properties: userInterface},
		})
		if err != nil {
			return err
		}
	}
	return c.together(ctx, changes, o)
}

// stepURNs name steps of pages.
func (c *Catalog) stepURNs(ids []string, o WriteOptions) ([]string, error) {
	if len(ids) > maxEdits {
		return nil, Errorf(Invalid, "%d steps in one request, at most %d are taken", len(ids), maxEdits)
	}
	urns := make([]string, len(ids))
	for i, id := range ids {
		if id == "" {
			return nil, Errorf(Invalid, "the id of a step must not be empty")
		}
		u, _, err := c.newURN("dataHubStepState", id, o)
		if err != nil {
			return nil, err
		}
		urns[i] = u.String()
	}
	return urns, nil
}
