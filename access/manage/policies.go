package manage

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// The sentences of the reference.
const (
	notEditable = "Attempting to edit not editable policy."
	notDeleted  = "System policies can not be deleted."
	notGranted  = "Unauthorized to get privileges for the given author."
)

// Catalog is the part of the catalog that has the policies.
type Catalog interface {
	permit.Writer
	access.Entities
	Registry() *model.Registry
	RequireWritableUnless(ctx context.Context, readsOnly bool) error
}

// Options configure a Service. All but Forget are required.
type Options struct {
	Catalog Catalog
	// Delete deletes an entity of one of some types.
	Delete func(ctx context.Context, u model.URN, types []string, o catalog.WriteOptions) error
	Permit *permit.Service
	Actors *access.Actors
	// Forget, if set, makes this server read all callers again. Nil means that authentication is off.
	Forget func()
	Now    func() time.Time
}

// Service manages policies. It is safe for concurrent use.
type Service struct{ Options }

// New makes a Service.
func New(o Options) *Service { return &Service{o} }

// Enforced reports whether this server applies policies: it does not while authentication is off.
func (s *Service) Enforced() bool { return s.Forget != nil }

// Changed makes this server decide anew, after a policy or a role was changed through it.
func (s *Service) Changed() {
	s.Permit.Forget()
	if s.Forget != nil {
		s.Forget()
	}
}

// require refuses callers who may not manage policies.
func require(ctx context.Context) error { return access.Require(ctx, access.ManagePolicies) }

// Create stores a new policy under a new id.
func (s *Service) Create(ctx context.Context, p policies.Policy, o catalog.WriteOptions) (model.URN, error) {
	if err := require(ctx); err != nil {
		return model.URN{}, err
	}
	p.ID, p.Editable = uuid.NewString(), true
	return s.write(ctx, &p, false, o)
}

// Update changes a stored policy.
func (s *Service) Update(ctx context.Context, u model.URN, change func(*policies.Policy), o catalog.WriteOptions) (model.URN, error) {
	if err := require(ctx); err != nil {
		return u, err
	}
	p, ruled, err := s.stored(ctx, u)
	if err != nil {
		return u, err
	}
	if !p.Editable {
		return u, catalog.Errorf(catalog.Invalid, notEditable)
	}
	change(&p)
	return s.write(ctx, &p, ruled, o)
}

// Delete deletes a policy.
func (s *Service) Delete(ctx context.Context, u model.URN, o catalog.WriteOptions) error {
	if err := require(ctx); err != nil {
		return err
	}
	p, _, err := s.stored(ctx, u)
	if err != nil {
		return err
	}
	if !p.Editable {
		return catalog.Errorf(catalog.Invalid, notDeleted)
	}
	defer s.Changed()
	return s.Options.Delete(ctx, u, []string{model.EntityDataHubPolicy}, o)
}

// stored reads a policy, and whether it has a rule beyond the reference.
func (s *Service) stored(ctx context.Context, u model.URN) (p policies.Policy, ruled bool, err error) {
	if err := catalog.RequireType(u, model.EntityDataHubPolicy); err != nil {
		return p, false, err
	}
	found, err := s.Catalog.Stored(ctx, []model.URN{u}, catalog.StoredAspects{Names: []string{model.AspectDataHubPolicyInfo, model.AspectHeadwaterPolicyRule}})
	if err != nil {
		return p, false, err
	}
	var info, rule jsontree.Object
	if len(found) > 0 && !found[0].Removed {
		for _, aspect := range found[0].Aspects {
			value, err := catalog.TreeOf(aspect.Value)
			if err != nil {
				return p, false, err
			}
			if aspect.Name == model.AspectDataHubPolicyInfo {
				info = value
			} else {
				rule = value
			}
		}
	}
	if info == nil {
		return p, false, catalog.Errorf(catalog.NotFound, "there is no policy %s", u)
	}
	p, _ = policies.FromAspects(u.Key(), info, rule)
	p.URN = u.String()
	return p, rule != nil, nil
}

// write stores a policy after checking it.
func (s *Service) write(ctx context.Context, p *policies.Policy, ruled bool, o catalog.WriteOptions) (model.URN, error) {
	u, proposals, err := s.proposals(p, ruled)
	if err != nil {
		return u, err
	}
	defer s.Changed()
	return u, s.Catalog.IngestTogether(ctx, proposals, o)
}

// proposals returns the proposals that store a policy. ruled says whether a rule beyond the reference is
// stored. A stored rule is replaced even if the policy no longer needs one.
func (s *Service) proposals(p *policies.Policy, ruled bool) (model.URN, []write.Proposal, error) {
	u, err := s.urnFor(p)
	if err != nil {
		return u, nil, err
	}
	if problems := p.Check(); len(problems) > 0 {
		return u, nil, catalog.Errorf(catalog.Invalid, "%s: %s", problems[0].Member, problems[0].Message)
	}
	p.LastUpdated = s.Now().UnixMilli()
	proposals, err := permit.Proposals(u, p)
	if err == nil && ruled && len(proposals) == 1 {
		proposals = append(proposals, plainRule(u, p.State))
	}
	return u, proposals, err
}

// urnFor returns the URN of a policy, a new one for a policy that is not stored.
func (s *Service) urnFor(p *policies.Policy) (model.URN, error) {
	if p.URN != "" {
		return model.StoredURN(p.URN), nil
	}
	u, err := model.BuildURN(s.Catalog.Registry().Dialects()[0].Namespace, model.EntityDataHubPolicy, p.ID)
	if err != nil {
		return u, catalog.Errorf(catalog.Invalid, "the id %q cannot be part of a URN", p.ID)
	}
	return u, nil
}

// plainRule writes the rule of a policy that neither denies nor ends.
func plainRule(u model.URN, state policies.State) write.Proposal {
	return write.Proposal{
		EntityType: model.EntityDataHubPolicy, EntityURN: u.String(), ChangeType: write.Upsert, AspectName: model.AspectHeadwaterPolicyRule,
		Aspect: &write.GenericAspect{Value: []byte(`{"effect":"ALLOW","state":"` + string(state) + `"}`), ContentType: "application/json"},
	}
}

// actorNamed returns an actor and whether the actor may do anything.
func (s *Service) actorNamed(ctx context.Context, u model.URN) (access.ActorState, error) {
	if u.String() == catalog.SystemActor(s.Catalog.Registry().Dialects()[0]) {
		return access.ActorState{Exists: true, Policies: policies.Actor{System: true}}, nil
	}
	return s.Actors.State(ctx, u)
}

// mayAsk refuses callers who ask about another actor and may not manage policies.
func mayAsk(ctx context.Context, about model.URN, refusal string) error {
	if requestinfo.CallerOf(ctx).Actor == about.String() || permission.Holds(ctx, access.ManagePolicies) {
		return nil
	}
	return &catalog.Error{Code: catalog.Forbidden, Message: refusal}
}
