package edits

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// CreateOwnershipType creates a kind of ownership and returns its URN.
func (s *Service) CreateOwnershipType(ctx context.Context, name, description string, o catalog.WriteOptions) (model.URN, error) {
	if err := requireName(&name); err != nil {
		return model.URN{}, err
	}
	u, by, err := s.newURN(model.EntityOwnershipType, "", o)
	if err != nil {
		return model.URN{}, err
	}
	return u, s.writer.Create(ctx, u, map[string]catalog.Tree{model.AspectOwnershipTypeInfo: {
		"name": name, "description": description, "created": by.Tree(), "lastModified": by.Tree(),
	}}, o)
}

// UpdateOwnershipType sets the given parts of a kind of ownership.
func (s *Service) UpdateOwnershipType(ctx context.Context, urn model.URN, name, description *string, o catalog.WriteOptions) error {
	if err := requireName(name); err != nil {
		return err
	}
	return s.editKnown(ctx, urn, model.EntityOwnershipType, []write.Edit{editStated(urn, model.AspectOwnershipTypeInfo, func(value catalog.Tree, by catalog.AuditStamp) {
		setTexts(value, map[string]*string{"name": name, "description": description})
		value["lastModified"] = by.Tree()
	})}, o)
}

// DeleteOwnershipType deletes a kind of ownership. If references is set, it deletes all
// references to the kind too.
func (s *Service) DeleteOwnershipType(ctx context.Context, urn model.URN, references bool, o catalog.WriteOptions) error {
	if references {
		return s.removal.DeleteEntity(ctx, urn, []string{model.EntityOwnershipType}, o)
	}
	if err := s.requireFound(ctx, urn, model.EntityOwnershipType); err != nil {
		return err
	}
	_, err := s.removal.Delete(ctx, urn, false, o)
	return err
}

// MetadataTest is a test of metadata: its name, its category, and the rule as
// JSON text.
type MetadataTest struct {
	Name, Category, Description, Definition string
}

// CreateTest creates a test and returns its URN. For the id "", an id is generated.
func (s *Service) CreateTest(ctx context.Context, id string, t MetadataTest, o catalog.WriteOptions) (model.URN, error) {
	if err := t.check(); err != nil {
		return model.URN{}, err
	}
	u, _, err := s.newURN(model.EntityTest, id, o)
	if err != nil {
		return model.URN{}, err
	}
	return u, s.writer.Create(ctx, u, map[string]catalog.Tree{model.AspectTestInfo: t.tree()}, o)
}

// UpdateTest replaces a test.
func (s *Service) UpdateTest(ctx context.Context, urn model.URN, t MetadataTest, o catalog.WriteOptions) error {
	if err := t.check(); err != nil {
		return err
	}
	return s.editKnown(ctx, urn, model.EntityTest, []write.Edit{write.Replace(urn, model.AspectTestInfo, func(catalog.AuditStamp) catalog.Tree { return t.tree() })}, o)
}

// check fails if the name is empty or the rule is not JSON.
func (t *MetadataTest) check() error {
	if err := requireName(&t.Name); err != nil {
		return err
	}
	if t.Definition != "" && !json.Valid([]byte(t.Definition)) {
		return catalog.Errorf(catalog.Invalid, "the definition of a test must be JSON")
	}
	return nil
}

func (t *MetadataTest) tree() catalog.Tree {
	definition := catalog.Tree{"type": "JSON"}
	if t.Definition != "" {
		definition["json"] = t.Definition
	}
	value := catalog.Tree{"name": t.Name, "category": t.Category, "definition": definition}
	if t.Description != "" {
		value["description"] = t.Description
	}
	return value
}

// SetEmbed sets the address at which another tool shows an entity. The address "" removes the
// stored address.
func (s *Service) SetEmbed(ctx context.Context, urn model.URN, address string, o catalog.WriteOptions) error {
	return s.writer.Edit(ctx, []write.Edit{write.Replace(urn, model.AspectEmbed, func(catalog.AuditStamp) catalog.Tree {
		if address == "" {
			return catalog.Tree{}
		}
		return catalog.Tree{"renderUrl": address}
	})}, o)
}

// StepState is the state of one step of a page for a user, such as an introduction that the
// user has read.
type StepState struct {
	ID         string
	Properties map[string]string
}

// StepStates reads the stored states of steps. A step without a stored state is left out.
func (s *Service) StepStates(ctx context.Context, ids []string, actor string) ([]StepState, error) {
	urns, err := s.stepURNs(ids, catalog.WriteOptions{Actor: actor})
	if err != nil {
		return nil, err
	}
	stored, err := s.store.LatestAspects(ctx, urns, []string{model.AspectDataHubStepStateProperties})
	if err != nil {
		return nil, catalog.StoreFailure(err)
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
			return nil, catalog.Errorf(catalog.Internal, "%s of %s: %w", model.AspectDataHubStepStateProperties, urn, err)
		}
		states = append(states, StepState{ID: ids[i], Properties: value.Properties})
	}
	return states, nil
}

// SetStepStates replaces the states of steps, all of them or none.
func (s *Service) SetStepStates(ctx context.Context, states []StepState, o catalog.WriteOptions) error {
	ids := make([]string, len(states))
	for i, state := range states {
		ids[i] = state.ID
	}
	urns, err := s.stepURNs(ids, o)
	if err != nil {
		return err
	}
	_, actor := s.dialectOfActor(o.Actor)
	by := catalog.AuditStamp{Time: s.now().UnixMilli(), Actor: actor.String()}
	proposals := make([]write.Proposal, len(states))
	for i, state := range states {
		properties := catalog.Tree{}
		for name, value := range state.Properties {
			properties[name] = value
		}
		text, err := json.Marshal(catalog.Tree{"properties": properties, "lastModified": by.Tree()})
		if err != nil {
			return catalog.Errorf(catalog.Internal, "%s: %w", model.AspectDataHubStepStateProperties, err)
		}
		proposals[i] = write.Proposal{
			EntityType: model.EntityDataHubStepState, EntityURN: urns[i], AspectName: model.AspectDataHubStepStateProperties,
			Aspect: &write.GenericAspect{Value: text, ContentType: "application/json"},
			System: &catalog.SystemMetadata{Properties: write.UserInterface},
		}
	}
	return s.writer.IngestTogether(ctx, proposals, o)
}

// stepURNs returns the URNs of steps.
func (s *Service) stepURNs(ids []string, o catalog.WriteOptions) ([]string, error) {
	if len(ids) > write.MaxEdits {
		return nil, catalog.Errorf(catalog.Invalid, "%d steps in one request, at most %d are allowed", len(ids), write.MaxEdits)
	}
	urns := make([]string, len(ids))
	for i, id := range ids {
		if id == "" {
			return nil, catalog.Errorf(catalog.Invalid, "the id of a step must not be empty")
		}
		u, _, err := s.newURN(model.EntityDataHubStepState, id, o)
		if err != nil {
			return nil, err
		}
		urns[i] = u.String()
	}
	return urns, nil
}
