package access

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// suspended is the status of users who may not do anything.
const suspended = "SUSPENDED"

// Entities reads entities.
type Entities interface {
	Stored(ctx context.Context, urns []model.URN, aspects catalog.StoredAspects) ([]catalog.StoredEntity, error)
}

// Actors tells which users may use the credentials that they show.
type Actors struct{ entities Entities }

// NewActors makes Actors that read the users' entities.
func NewActors(entities Entities) *Actors { return &Actors{entities} }

// ActorState is the state of a user or service account.
type ActorState struct {
	// Denied is the reason why the actor may do nothing, as the end of a sentence; "" if the actor may act.
	Denied string
	// Exists: the actor is stored.
	Exists bool
	// Admin: the actor has the role of administrators, or belongs to a group that has it.
	Admin bool
	// Policies is the actor as policies know it.
	Policies policies.Actor
}

// State reads the state of an actor.
func (a *Actors) State(ctx context.Context, actor model.URN) (ActorState, error) {
	found, err := a.entities.Stored(ctx, []model.URN{actor}, catalog.StoredAspects{
		Names: []string{model.AspectCorpUserStatus, model.AspectRoleMembership, model.AspectGroupMembership, model.AspectNativeGroupMembership},
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
	state := ActorState{Exists: true, Policies: policies.Actor{URN: actor.String()}}
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
			state.Policies.Roles = jsontree.Texts(value, "roles")
		case model.AspectGroupMembership:
			state.Policies.Groups = append(state.Policies.Groups, jsontree.Texts(value, "groups")...)
		case model.AspectNativeGroupMembership:
			state.Policies.Groups = append(state.Policies.Groups, jsontree.Texts(value, "nativeGroups")...)
		}
	}
	if err := a.addGroupRoles(ctx, &state.Policies); err != nil {
		return ActorState{}, err
	}
	state.Admin = slices.ContainsFunc(state.Policies.Roles, isAdminRole) || slices.ContainsFunc(state.Policies.GroupRoles, isAdminRole)
	return state, nil
}

// addGroupRoles adds the roles of the actor's groups. A group that does not exist, or is removed, has no
// roles and no members.
func (a *Actors) addGroupRoles(ctx context.Context, actor *policies.Actor) error {
	var groups []model.URN
	for _, text := range actor.Groups {
		if u, err := model.ParseURN(text); err == nil && u.EntityType() == model.EntityCorpGroup {
			groups = append(groups, u)
		}
	}
	actor.Groups = nil
	for part := range slices.Chunk(catalog.Distinct(groups), limits.MaxIDs) {
		found, err := a.entities.Stored(ctx, part, catalog.StoredAspects{Names: []string{model.AspectRoleMembership}})
		if err != nil {
			return err
		}
		for i := range found {
			if found[i].Removed {
				continue
			}
			actor.Groups = append(actor.Groups, found[i].URN)
			for _, aspect := range found[i].Aspects {
				value, err := catalog.TreeOf(aspect.Value)
				if err != nil {
					return err
				}
				actor.GroupRoles = append(actor.GroupRoles, jsontree.Texts(value, "roles")...)
			}
		}
	}
	return nil
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
