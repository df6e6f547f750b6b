package permit

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/headwater-io/headwater/access/facts"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/recent"
	"github.com/headwater-io/headwater/model"
)

// Store is the part of the graph store that decisions read.
type Store interface {
	facts.Store
	ListEntities(ctx context.Context, entityType string, page graphstore.Page) (urns []string, total int64, err error)
}

// policyPage is how many policies are read at once.
const policyPage = 1000

// Options configure a Service. All are required.
type Options struct {
	Store  Store
	Now    func() time.Time
	Logger *slog.Logger
}

// Service knows the policies of the catalog. It is safe for concurrent use.
type Service struct {
	Options
	reading singleflight.Group
	known   *facts.Known

	mu sync.Mutex
	// permissions has the permissions of recent callers, by URN.
	permissions *recent.Map[string, *Permissions]

	set    *policies.Set
	stored []policies.Policy
	// versions are the versions of the policies' aspects.
	versions map[graphstore.AspectKey]version
	// at is the time as of which the policies are known. changes is the count of [facts.Known.Policies] before
	// they were read.
	at      time.Time
	changes uint64
	// wanted counts the calls of Forget, and seen the calls before the last reading began.
	wanted, seen int64
}

// version identifies a version of an aspect. A policy that is deleted and made again repeats the numbers of
// the former one, so the time is needed too.
type version struct{ seq, created int64 }

// New makes a Service.
func New(o Options) *Service {
	return &Service{
		Options: o, known: facts.New(o.Store, o.Now, facts.Capacity),
		permissions: recent.New[string, *Permissions](knownCallers),
	}
}

// knownCallers is how many callers have decisions that are remembered, twice at most.
const knownCallers = 200

// Rights returns the rights of an actor.
func (s *Service) Rights(ctx context.Context, actor policies.Actor) (*policies.Rights, error) {
	if actor.System {
		return policies.Compile(nil, s.Now()).Rights(actor), nil
	}
	set, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	return set.Rights(actor), nil
}

// Policies returns all stored policies, ordered by their ids.
func (s *Service) Policies(ctx context.Context) ([]policies.Policy, error) {
	if _, err := s.current(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.stored), nil
}

// Changed makes changes of this server have an effect from the next request on.
func (s *Service) Changed(urns []string) {
	s.known.Changed(urns)
	if slices.ContainsFunc(urns, func(u string) bool { return model.StoredURN(u).EntityType() == model.EntityDataHubPolicy }) {
		s.Forget()
	}
}

// Forget makes this server read the policies again, after they have changed here. A reading that has begun
// before does not count.
func (s *Service) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted++
}

// current returns the policies as they were at most [facts.Fresh] ago, and not before the last change at this
// server.
func (s *Service) current(ctx context.Context) (*policies.Set, error) {
	if set, ok := s.fresh(); ok {
		return set, nil
	}
	// Callers who come meanwhile share one reading, which the end of one request does not end. The first reading
	// may have begun before the request, the second has not.
	for range 2 {
		_, err, _ := s.reading.Do("", func() (any, error) {
			if _, ok := s.fresh(); ok {
				return nil, nil
			}
			return nil, s.read(context.WithoutCancel(ctx))
		})
		if err != nil {
			return nil, err
		}
		if set, ok := s.fresh(); ok {
			return set, nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.set, nil // the policies change all the time; this reading began after the request came
}

// fresh returns the policies if they need not be read again yet.
func (s *Service) fresh() (*policies.Set, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Now()
	if s.set == nil || s.seen != s.wanted || now.Sub(s.at) >= facts.Fresh {
		return nil, false
	}
	if until := s.set.Until(); !until.IsZero() && !now.Before(until) {
		s.set = policies.Compile(s.stored, now)
	}
	return s.set, true
}

// read reads the policies, and compiles them if they have changed. If the log tells of no change of a policy
// since the last reading, the log is all that is read.
func (s *Service) read(ctx context.Context) error {
	if err := s.known.Look(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	changes, at := s.known.Policies()
	wanted := s.wanted
	if s.set != nil && s.seen == wanted && s.changes == changes {
		s.at = at
		s.mu.Unlock()
		return nil
	}
	s.mu.Unlock()
	var urns []string
	for more := true; more; {
		page, _, err := s.Store.ListEntities(ctx, model.EntityDataHubPolicy, graphstore.Page{Start: len(urns), Count: policyPage})
		if err != nil {
			return catalog.StoreFailure(err)
		}
		urns, more = append(urns, page...), len(page) == policyPage
	}
	found, versions := map[string][]graphstore.Aspect{}, map[graphstore.AspectKey]version{}
	for part := range slices.Chunk(urns, policyPage) {
		stored, err := s.Store.LatestAspects(ctx, part, []string{model.AspectDataHubPolicyInfo, model.AspectHeadwaterPolicyRule})
		if err != nil {
			return catalog.StoreFailure(err)
		}
		for urn, aspects := range stored {
			found[urn] = aspects
			for i := range aspects {
				versions[graphstore.AspectKey{URN: urn, Name: aspects[i].Name}] = version{aspects[i].Seq, aspects[i].CreatedOn}
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.seen, s.changes = at, wanted, changes
	if s.set != nil && maps.Equal(versions, s.versions) {
		return nil
	}
	s.stored, s.versions = s.policiesOf(urns, found), versions
	s.set = policies.Compile(s.stored, s.Now())
	return nil
}

// policiesOf reads policies from their aspects. A policy with parts that cannot be understood is logged,
// and its other parts are applied.
func (s *Service) policiesOf(urns []string, found map[string][]graphstore.Aspect) []policies.Policy {
	all := make([]policies.Policy, 0, len(urns))
	for _, urn := range urns {
		aspects := map[string]catalog.Tree{}
		for i := range found[urn] {
			if tree, err := catalog.TreeOf(found[urn][i].Value); err == nil {
				aspects[found[urn][i].Name] = tree
			}
		}
		info := aspects[model.AspectDataHubPolicyInfo]
		if info == nil {
			continue
		}
		p, problems := policies.FromAspects(model.StoredURN(urn).Key(), info, aspects[model.AspectHeadwaterPolicyRule])
		p.URN = urn
		for _, problem := range problems {
			s.Logger.Warn("a policy is not understood completely", "problem", problem.Error())
		}
		all = append(all, p)
	}
	return all
}
