package permit

import (
	"context"
	"slices"
	"time"

	"github.com/headwater-io/headwater/access/facts"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/model"
)

// Permissions are the permissions of one caller. They implement [permission.Set].
type Permissions struct {
	Rights *policies.Rights
	store  Store
	sights sights
	// known is nil for permissions that remember nothing.
	known *facts.Known
	now   func() time.Time
}

var _ permission.Set = (*Permissions)(nil)

// NewPermissions returns the permissions of the actor who has some rights. They remember no facts.
func NewPermissions(rights *policies.Rights, store Store) *Permissions {
	return &Permissions{Rights: rights, store: store}
}

// Of returns the permissions of an actor.
func (s *Service) Of(ctx context.Context, actor policies.Actor) (*Permissions, error) {
	rights, err := s.Rights(ctx, actor)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.permissions.Get(actor.URN); ok && p.Rights.Same(rights) {
		return p, nil
	}
	p := s.With(rights)
	s.permissions.Put(actor.URN, p)
	return p, nil
}

// With returns the permissions of the actor who has some rights, with the facts that the service
// remembers.
func (s *Service) With(rights *policies.Rights) *Permissions {
	p := NewPermissions(rights, s.Store)
	p.known, p.now = s.known, s.Now
	return p
}

// Holds reports whether the actor has one of the privileges of the platform.
func (p *Permissions) Holds(_ context.Context, privileges ...string) bool {
	return p.Rights.Allows(privileges, nil)
}

// ActsFor reports whether a URN is that of the actor, or of one of the actor's groups.
func (p *Permissions) ActsFor(actor string) bool {
	who := p.Rights.Actor()
	return who.System || who.URN == actor || slices.Contains(who.Groups, actor)
}

// Same reports whether other permissions follow from the same policies, groups and roles.
func (p *Permissions) Same(other permission.Set) bool {
	o, ok := other.(*Permissions)
	return ok && p.Rights.Same(o.Rights)
}

// Allowed reports, for each question, whether the policies allow it. A question about a column is a question
// about its dataset, and about the column too if [permission.Question.OrColumn] is set.
func (p *Permissions) Allowed(ctx context.Context, asked []permission.Question) ([]bool, error) {
	questions := slices.Clone(asked)
	for i := range questions {
		if q := &questions[i]; q.Type == model.EntitySchemaField && !q.URN.IsZero() {
			q.URN = subject(q.URN)
			q.Type = q.URN.EntityType()
		}
	}
	resources, err := p.resourcesFor(ctx, questions)
	if err != nil {
		return nil, err
	}
	allowed := make([]bool, len(questions))
	for i := range questions {
		resource := p.resource(&questions[i], resources)
		allowed[i] = p.Rights.Allows(questions[i].Privileges, resource)
		if column := &asked[i]; !allowed[i] && column.OrColumn && column.Type == model.EntitySchemaField && !column.URN.IsZero() {
			allowed[i] = p.Rights.AllowsPart(column.Privileges, &policies.Resource{Type: column.Type, URN: column.URN.String()}, resource)
		}
	}
	return allowed, nil
}

// subject is [policies.Subject] of a parsed URN.
func subject(u model.URN) model.URN {
	if u.EntityType() != model.EntitySchemaField {
		return u
	}
	return model.StoredURN(policies.Subject(u.String()))
}

// resourcesFor reads the facts on which the answers to questions depend.
func (p *Permissions) resourcesFor(ctx context.Context, questions []permission.Question) (map[string]*policies.Resource, error) {
	var urns []model.URN
	var needs policies.Facts
	for i := range questions {
		q := &questions[i]
		if q.URN.IsZero() {
			continue
		}
		if more := p.Rights.Needs(q.Privileges, q.Type) &^ (policies.ByType | policies.Everything | policies.Nothing); more != 0 {
			needs |= more
			urns = append(urns, q.URN)
		}
	}
	if len(urns) == 0 {
		return nil, nil
	}
	return facts.Read(ctx, p.store, catalog.Distinct(urns), needs)
}

// resource returns the resource of a question, with its labels.
func (p *Permissions) resource(q *permission.Question, known map[string]*policies.Resource) *policies.Resource {
	resource := &policies.Resource{Type: q.Type}
	if !q.URN.IsZero() {
		resource.URN = q.URN.String()
		if r := known[resource.URN]; r != nil {
			resource = r
		}
	}
	if len(q.Labels) == 0 {
		return resource
	}
	with := *resource
	for _, label := range q.Labels {
		with.SubResources = append(with.SubResources, policies.Resource{Type: label.EntityType(), URN: label.String()})
	}
	return &with
}
