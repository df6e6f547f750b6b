package search

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// These are the states of documents. An unpublished document is a draft.
const (
	published   = "PUBLISHED"
	unpublished = "UNPUBLISHED"
)

// DocumentsFor returns the alternatives of a filter for the documents that an actor may see:
// published documents, and drafts that the actor or a group of the actor owns. An actor of ""
// is the system actor, who is the actor of anonymous writes.
func (s *Service) DocumentsFor(ctx context.Context, actor string) ([]catalog.Criterion, error) {
	owners, err := s.ownersIn(ctx, actor)
	if err != nil {
		return nil, err
	}
	return []catalog.Criterion{{Field: stateField, Values: []string{published}}, {Field: "owners", Values: owners}}, nil
}

// memberships are the aspects that list the groups of a user.
var memberships = []string{model.AspectGroupMembership, model.AspectNativeGroupMembership}

// ownersIn returns an actor and the groups of the actor.
func (s *Service) ownersIn(ctx context.Context, actor string) ([]string, error) {
	if actor == "" {
		var system []string
		for _, dialect := range s.registry.Dialects() {
			system = append(system, catalog.SystemActor(dialect))
		}
		return system, nil
	}
	u := model.StoredURN(actor)
	if u.EntityType() != model.EntityCorpuser {
		return []string{actor}, nil
	}
	found, err := s.reader.Entities(ctx, []model.URN{u}, memberships)
	if err != nil {
		return nil, err
	}
	owners := []string{actor}
	for _, aspect := range found[u.String()].Aspects {
		var member struct {
			Groups []string `json:"groups"`
			Native []string `json:"nativeGroups"`
		}
		if err := json.Unmarshal(aspect.Value, &member); err != nil {
			return nil, catalog.Errorf(catalog.Internal, "the groups of %s: %w", actor, err)
		}
		owners = append(append(owners, member.Groups...), member.Native...)
	}
	return owners[:min(len(owners), limits.MaxFilterValues)], nil
}
