package access

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// suspended is the status of users who may not do anything.
const suspended = "SUSPENDED"

// Entities reads entities.
type Entities interface {
	Stored(ctx context.Context, urns []model.URN, aspects catalog.StoredAspects) ([]catalog.StoredEntity, error)
}

// Actors tells which users may use what they show.
type Actors struct{ entities Entities }

// NewActors makes Actors that read the users' entities.
func NewActors(entities Entities) *Actors { return &Actors{entities} }

// ActorState is the state of a user or service account.
type ActorState struct {
	// Denied says why the actor may do nothing, as the end of a sentence; "" if the actor may.
	Denied string
	// Exists: the actor is stored.
	Exists bool
	// Admin: the actor has the role of administrators.
	Admin bool
}

// State reads the state of an actor.
func (a *Actors) State(ctx context.Context, actor model.URN) (ActorState, error) {
	found, err := a.entities.Stored(ctx, []model.URN{actor}, catalog.StoredAspects{
		Names: []string{model.AspectCorpUserStatus, model.AspectRoleMembership},
	})
	if err != nil {
		return ActorState{}, err
	}
	if len(found) == 0 {
		return ActorState{Denied: "does not exist"}, nil
	}
	if found[0].Removed {
		return ActorState{Denied: "is removed", Exists: true}, nil
	}
	state := ActorState{Exists: true}
	for _, aspect := range found[0].Aspects {
		value, err := catalog.TreeOf(aspect.Value)
		if err != nil {
			return ActorState{}, err
		}
		switch aspect.Name {
		case model.AspectCorpUserStatus:
			if jsontree.Text(value, "status") == suspended {
				state.Denied = "is suspended"
			}
		case model.AspectRoleMembership:
			state.Admin = slices.ContainsFunc(jsontree.Texts(value, "roles"), isAdminRole)
		}
	}
	return state, nil
}

func isAdminRole(urn string) bool {
	u, err := model.ParseURN(urn)
	return err == nil && u.EntityType() == model.EntityDataHubRole && u.Key() == catalog.AdminRole
}

// Active fails with [catalog.Unauthenticated] if an actor may do nothing.
func (a *Actors) Active(ctx context.Context, actor model.URN) error {
	state, err := a.State(ctx, actor)
	if err == nil && state.Denied != "" {
		err = &catalog.Error{Code: catalog.Unauthenticated, Message: "The user " + actor.Key() + " " + state.Denied + "."}
	}
	return err
}
