package history

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/wording"
	"github.com/headwater-io/headwater/model"
)

// PastEntity has the aspects that an entity had at a moment.
type PastEntity struct {
	URN        string `json:"urn"`
	EntityName string `json:"entityName"`
	// AsOf is the moment, epoch milliseconds. FirstRecorded is when the first known version of the
	// entity was written. It may be later than AsOf; then nothing else is set.
	AsOf          int64                              `json:"asOf"`
	FirstRecorded int64                              `json:"firstRecorded"`
	Aspects       map[string]catalog.EnvelopedAspect `json:"aspects"`
	// Unsure names the aspects that were removed at an unknown time, which may be before the
	// moment.
	Unsure []string `json:"unsure"`
	// Lost names the aspects whose value at the moment is not kept any more.
	Lost []string `json:"lost"`
}

// At returns the aspects that an entity had at a moment: the named aspects, or all aspects if
// none are named. At fails with NotFound if nothing was stored of the entity at that moment. A
// value that was rolled back later has the version NotStored.
func (s *Service) At(ctx context.Context, u model.URN, at int64, aspects []string) (*PastEntity, error) {
	past, err := s.State(ctx, u, at, aspects)
	if err != nil {
		return nil, err
	}
	if !past.Recorded() {
		return nil, catalog.Errorf(catalog.NotFound, "nothing was stored of %s at that moment: it was first written %s", u, time.UnixMilli(past.FirstRecorded).UTC().Format(time.RFC3339))
	}
	return past, nil
}

// Recorded reports whether anything had been written of the entity by the moment.
func (p *PastEntity) Recorded() bool { return p.FirstRecorded <= p.AsOf }

// State is [Service.At] also for a moment at which the entity was not recorded yet. State fails with
// NotFound only if nothing is stored of the entity.
func (s *Service) State(ctx context.Context, u model.URN, at int64, aspects []string) (*PastEntity, error) {
	entity, ok := s.registry.Entity(u.EntityType())
	switch {
	case !ok:
		return nil, catalog.Errorf(catalog.Invalid, "unknown entity type %s", u.EntityType())
	case at <= 0:
		return nil, catalog.Errorf(catalog.Invalid, "the moment is missing; it must be %s", wording.MomentForms)
	}
	stored, err := s.store.History(ctx, []string{u.String()})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	rolledBack, err := s.rolledBackVersions(ctx, u)
	if err != nil {
		return nil, err
	}
	past := newPast(at)
	past.URN, past.EntityName = u.String(), entity.Name
	past.FirstRecorded = past.takeAll(stored[u.String()].Versions, rolledBack, func(name string) bool {
		return len(aspects) == 0 || slices.Contains(aspects, name) || name == entity.KeyAspect
	})
	if past.FirstRecorded == 0 {
		return nil, catalog.NotStored(u, "Did not find urn: %s")
	}
	if !past.Recorded() {
		past.Lost = []string{} // the versions that are not kept are those after the moment
	}
	slices.Sort(past.Unsure)
	slices.Sort(past.Lost)
	return past, nil
}

// PastAspects are the values that aspects of an entity had at a moment.
type PastAspects struct {
	Values []graphstore.Aspect
	// Lost names the aspects whose value at the moment is not kept any more.
	Lost []string
}

// pastAtOnce is the number of entities whose versions are all read at once.
const pastAtOnce = 20

// AspectsAt returns the values that the named aspects of entities had at a moment.
func (s *Service) AspectsAt(ctx context.Context, urns []string, at int64, aspects []string) (map[string]PastAspects, error) {
	found := make(map[string]PastAspects, len(urns))
	for some := range slices.Chunk(urns, pastAtOnce) {
		stored, err := s.store.History(ctx, some)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for _, urn := range some {
			rolledBack, err := s.rolledBackVersions(ctx, model.StoredURN(urn))
			if err != nil {
				return nil, err
			}
			past := newPast(at)
			past.takeAll(stored[urn].Versions, rolledBack, func(name string) bool { return slices.Contains(aspects, name) })
			values := PastAspects{Lost: past.Lost}
			for _, name := range aspects {
				if a, had := past.Aspects[name]; had {
					values.Values = append(values.Values, graphstore.Aspect{URN: urn, Name: name, Value: a.Value})
				}
			}
			found[urn] = values
		}
	}
	return found, nil
}

// ValuesAt returns those values of AspectsAt that are kept.
func (s *Service) ValuesAt(ctx context.Context, urns []string, at int64, aspects []string) (map[string][]graphstore.Aspect, error) {
	past, err := s.AspectsAt(ctx, urns, at, aspects)
	if err != nil {
		return nil, err
	}
	values := make(map[string][]graphstore.Aspect, len(past))
	for urn, one := range past {
		values[urn] = one.Values
	}
	return values, nil
}

// newPast makes an entity at a moment, without aspects.
func newPast(at int64) *PastEntity {
	return &PastEntity{AsOf: at, Aspects: map[string]catalog.EnvelopedAspect{}, Unsure: []string{}, Lost: []string{}}
}

// takeAll adds the values that the wanted aspects had at the moment. takeAll returns when the
// first value of any aspect was written, 0 if there is none.
func (p *PastEntity) takeAll(stored []graphstore.Aspect, rolledBack map[string][]catalog.RolledBackVersion, wanted func(name string) bool) (first int64) {
	byAspect := map[string][]graphstore.Aspect{}
	for name := range rolledBack {
		byAspect[name] = nil
	}
	for _, v := range stored {
		byAspect[v.Name] = append(byAspect[v.Name], v)
	}
	for name, versions := range byAspect {
		slices.SortFunc(versions, func(a, b graphstore.Aspect) int { return cmp.Compare(a.Seq, b.Seq) })
		values := pastValues(versions, rolledBack[name])
		if first == 0 || values[0].at < first {
			first = values[0].at
		}
		if wanted(name) {
			p.take(name, p.AsOf, versions, values)
		}
	}
	return first
}

// take adds the value that an aspect had at a moment.
func (p *PastEntity) take(name string, at int64, versions []graphstore.Aspect, values []pastValue) {
	last := -1
	for i := range values {
		if values[i].at <= at {
			last = i
		}
	}
	if last < 0 {
		if len(versions) > 0 && versions[0].Seq > 1 {
			p.Lost = append(p.Lost, name)
		}
		return
	}
	v := &values[last]
	if v.value == nil {
		return
	}
	aspect := catalog.EnvelopedAspect{Name: name, Type: "VERSIONED", Version: NotStored, Value: v.value, Created: catalog.AuditStamp{Time: v.at, Actor: v.actor}}
	if v.by != "" {
		aspect.System = &catalog.SystemMetadata{RunID: v.by}
	}
	for i := range versions {
		if one := &versions[i]; v.stored && one.Version == v.version {
			aspect.Version, aspect.System = one.Version, catalog.SystemOf(&one.System)
			aspect.Created = catalog.AuditStamp{Time: one.CreatedOn, Actor: one.CreatedBy}
		}
	}
	p.Aspects[name] = aspect
	if removedAfter(versions, values, last) {
		p.Unsure = append(p.Unsure, name)
	}
}

// removedAfter reports whether an aspect was removed after its value i. The time of the removal
// is unknown, because no version records it.
func removedAfter(versions []graphstore.Aspect, values []pastValue, i int) bool {
	if i == len(values)-1 {
		n := len(versions)
		return n > 0 && versions[n-1].Version != graphstore.LatestVersion && values[i].value != nil
	}
	next := &values[i+1]
	return next.stored && !next.undone && slices.ContainsFunc(versions, func(v graphstore.Aspect) bool { return v.Seq == next.seq && catalog.StartsAgain(&v) })
}
