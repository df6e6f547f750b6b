package access

import (
	"context"
	"net/url"
	"slices"

	"github.com/headwater-io/headwater/access/oidc"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// ProvisionWriter writes the entities of people who sign in with an identity provider.
type ProvisionWriter interface {
	Entities
	Exists(ctx context.Context, u model.URN) (bool, error)
	Create(ctx context.Context, urn model.URN, aspects map[string]catalog.Tree, o catalog.WriteOptions) error
	Edit(ctx context.Context, edits []write.Edit, o catalog.WriteOptions) error
}

// Provisioner makes users of people whom an identity provider has sent, and of machines.
type Provisioner struct {
	entities  ProvisionWriter
	actors    *Actors
	namespace string
}

// NewProvisioner makes a Provisioner for users of a namespace.
func NewProvisioner(entities ProvisionWriter, actors *Actors, namespace string) *Provisioner {
	return &Provisioner{entities, actors, namespace}
}

// Provision returns the user of an identity. A user who does not exist is made, if the settings of the
// provider say so; groups and the role of administrators follow the provider. A suspended or removed user
// stays suspended or removed, and is refused.
func (p *Provisioner) Provision(ctx context.Context, who *oidc.Identity) (model.URN, error) {
	u, err := model.BuildURN(p.namespace, model.EntityCorpuser, who.UserName)
	if err != nil {
		return u, catalog.Errorf(catalog.Forbidden, "the identity provider %s names a user who cannot exist: %s", who.Provider, who.UserName)
	}
	by := catalog.WriteOptions{Actor: u.String()}
	ctx = write.OwnWork(ctx)
	state, err := p.actors.State(ctx, u)
	switch {
	case err != nil:
		return u, err
	case !state.Exists && !who.Create:
		return u, catalog.Errorf(catalog.Forbidden, "the user %s is not known here; ask an administrator", u.Key())
	case !state.Exists:
		if err := p.entities.Create(ctx, u, profile(who), by); err != nil && catalog.CodeOf(err) != catalog.Conflict {
			return u, err
		}
	case state.Denied != "":
		return u, catalog.Errorf(catalog.Forbidden, "the user %s %s", u.Key(), state.Denied)
	}
	if err := p.join(ctx, u, who.Groups, by); err != nil {
		return u, err
	}
	if who.DecidesAdmin && who.Admin != state.Admin {
		return u, p.setAdmin(ctx, u, who.Admin, by)
	}
	return u, nil
}

// profile returns the aspects of a new user.
func profile(who *oidc.Identity) map[string]catalog.Tree {
	info := catalog.Tree{"active": true}
	name := who.FullName
	if name == "" {
		name = who.UserName
	}
	for member, value := range map[string]string{
		"displayName": name, "fullName": who.FullName, "firstName": who.FirstName, "lastName": who.LastName, "email": who.Email,
	} {
		if value != "" {
			info[member] = value
		}
	}
	aspects := map[string]catalog.Tree{model.AspectCorpUserInfo: info}
	if who.Picture != "" {
		aspects[model.AspectCorpUserEditableInfo] = catalog.Tree{"pictureLink": who.Picture}
	}
	return aspects
}

// join makes a user a member of exactly these groups, which are made if they do not exist. Nil groups
// change nothing.
func (p *Provisioner) join(ctx context.Context, u model.URN, groups []string, by catalog.WriteOptions) error {
	if groups == nil {
		return nil
	}
	members := []any{}
	for _, name := range groups {
		g, err := model.BuildURN(p.namespace, model.EntityCorpGroup, url.QueryEscape(name))
		if err != nil {
			return catalog.Errorf(catalog.Forbidden, "the identity provider names a group that cannot exist: %s", name)
		}
		exists, err := p.entities.Exists(ctx, g)
		if err != nil {
			return err
		}
		if !exists {
			info := catalog.Tree{"displayName": name, "admins": []any{}, "members": []any{}, "groups": []any{}}
			if err := p.entities.Create(ctx, g, map[string]catalog.Tree{model.AspectCorpGroupInfo: info}, by); err != nil && catalog.CodeOf(err) != catalog.Conflict {
				return err
			}
		}
		members = append(members, g.String())
	}
	return p.entities.Edit(ctx, []write.Edit{{URN: u, Aspect: model.AspectGroupMembership, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		value["groups"] = members
		return nil
	}}}, by)
}

// setAdmin gives a user the role of administrators, or takes it away. Other roles stay.
func (p *Provisioner) setAdmin(ctx context.Context, u model.URN, admin bool, by catalog.WriteOptions) error {
	role, err := model.BuildURN(p.namespace, model.EntityDataHubRole, catalog.AdminRole)
	if err != nil {
		return err
	}
	return p.entities.Edit(ctx, []write.Edit{{URN: u, Aspect: model.AspectRoleMembership, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		roles := slices.DeleteFunc(jsontree.Texts(value, "roles"), isAdminRole)
		if admin {
			roles = append(roles, role.String())
		}
		all := make([]any, len(roles))
		for i := range roles {
			all[i] = roles[i]
		}
		value["roles"] = all
		return nil
	}}}, by)
}
