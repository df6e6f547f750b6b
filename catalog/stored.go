package catalog

import (
	"cmp"
	"context"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// StoredEntity is an entity with only what is stored of it: no aspect is computed.
type StoredEntity struct {
	URN string
	// Removed is the soft-delete mark.
	Removed bool
	// Aspects are ordered by name.
	Aspects []EnvelopedAspect
}

// StoredAspects says which aspects [Catalog.Stored] reads.
type StoredAspects struct {
	// None: no aspect at all. Otherwise Names are the aspects, also of time series,
	// of which the newest value is read. Without names, all versioned ones are read.
	None  bool
	Names []string
}

// Stored returns those of several entities that exist, in the order asked for,
// with those of the aspects that they have.
func (c *Catalog) Stored(ctx context.Context, urns []model.URN, aspects StoredAspects) ([]StoredEntity, error) {
	if err := TooMany("entities", len(urns), limits.MaxIDs); err != nil {
		return nil, err
	}
	if err := CheckLists("aspects", aspects.Names); err != nil {
		return nil, err
	}
	nodes, err := c.store.Entities(ctx, Texts(urns))
	if err != nil {
		return nil, StoreFailure(err)
	}
	var entities []StoredEntity
	var texts []string
	for i := range nodes {
		if nodes[i].Exists {
			entities, texts = append(entities, StoredEntity{URN: nodes[i].URN, Removed: nodes[i].Removed}), append(texts, nodes[i].URN)
		}
	}
	if aspects.None || len(entities) == 0 {
		return entities, nil
	}
	versioned, series := c.splitAspects(aspects.Names)
	if len(versioned) > 0 || len(aspects.Names) == 0 {
		found, err := c.store.LatestAspects(ctx, texts, versioned)
		if err != nil {
			return nil, StoreFailure(err)
		}
		if found, err = c.withoutDeleted(ctx, found); err != nil {
			return nil, err
		}
		for i := range entities {
			entities[i].add(found[texts[i]]...)
		}
	}
	if len(series) > 0 {
		found, err := c.store.LatestTimeSeries(ctx, texts, series)
		if err != nil {
			return nil, StoreFailure(err)
		}
		for i := range entities {
			entities[i].addValues(found[texts[i]])
		}
	}
	return entities, nil
}

// splitAspects separates the names of versioned aspects from those of time series.
func (c *Catalog) splitAspects(names []string) (versioned, series []string) {
	for _, name := range names {
		if spec, ok := c.registry.Aspect(name); ok && spec.TimeSeries {
			series = append(series, name)
		} else {
			versioned = append(versioned, name)
		}
	}
	return versioned, series
}

func (e *StoredEntity) add(aspects ...graphstore.Aspect) {
	for i := range aspects {
		e.Aspects = append(e.Aspects, envelope(&aspects[i]))
	}
	e.sort()
}

func (e *StoredEntity) addValues(values []graphstore.TimeSeriesValue) {
	for i := range values {
		v := &values[i]
		e.Aspects = append(e.Aspects, EnvelopedAspect{
			Name: v.Aspect, Type: "TIMESERIES", Value: v.Value,
			Created: AuditStamp{Time: v.CreatedOn, Actor: v.CreatedBy}, System: SystemOf(&v.System),
		})
	}
	e.sort()
}

func (e *StoredEntity) sort() {
	slices.SortFunc(e.Aspects, func(a, b EnvelopedAspect) int { return cmp.Compare(a.Name, b.Name) })
}

// AspectAt names a version of an aspect, by its number as for [Catalog.Aspect].
type AspectAt struct {
	Name    string
	Version int64
}

// EntityVersions asks for versions of aspects of one entity; without any, for
// the latest version of all its aspects.
type EntityVersions struct {
	URN     model.URN
	Aspects []AspectAt
}

// StoredVersions returns those of several entities that exist, in the order asked
// for, with those of the versions that are stored. An archived version takes a
// call of the store each, so their number is bounded by limits.MaxListItems.
func (c *Catalog) StoredVersions(ctx context.Context, wanted []EntityVersions) ([]StoredEntity, error) {
	groups, archived := map[string][]int{}, 0
	for i := range wanted {
		key := ""
		for _, a := range wanted[i].Aspects {
			if a.Version == graphstore.LatestVersion {
				key += a.Name + "\n"
			} else {
				archived++
			}
		}
		if len(wanted[i].Aspects) == 0 {
			key = "*"
		}
		groups[key] = append(groups[key], i)
	}
	if err := TooMany("archived versions", archived, limits.MaxListItems); err != nil {
		return nil, err
	}
	found := make([]*StoredEntity, len(wanted))
	for _, members := range groups {
		if err := c.latestOf(ctx, wanted, members, found); err != nil {
			return nil, err
		}
	}
	var entities []StoredEntity
	for i := range wanted {
		if found[i] == nil {
			continue
		}
		if err := c.addArchived(ctx, &wanted[i], found[i]); err != nil {
			return nil, err
		}
		entities = append(entities, *found[i])
	}
	return entities, nil
}

// latestOf reads the latest versions for members of a request that name the same.
func (c *Catalog) latestOf(ctx context.Context, wanted []EntityVersions, members []int, found []*StoredEntity) error {
	var urns []model.URN
	for _, i := range members {
		urns = append(urns, wanted[i].URN)
	}
	first := &wanted[members[0]]
	var aspects StoredAspects
	for _, a := range first.Aspects {
		if a.Version == graphstore.LatestVersion {
			aspects.Names = append(aspects.Names, a.Name)
		}
	}
	aspects.None = len(first.Aspects) > 0 && len(aspects.Names) == 0
	entities, err := c.Stored(ctx, Distinct(urns), aspects)
	if err != nil {
		return err
	}
	byURN := make(map[string]*StoredEntity, len(entities))
	for i := range entities {
		byURN[entities[i].URN] = &entities[i]
	}
	for _, i := range members {
		if e := byURN[wanted[i].URN.String()]; e != nil {
			own := *e
			own.Aspects = slices.Clone(e.Aspects)
			found[i] = &own
		}
	}
	return nil
}

func (c *Catalog) addArchived(ctx context.Context, wanted *EntityVersions, e *StoredEntity) error {
	for _, at := range wanted.Aspects {
		if at.Version == graphstore.LatestVersion {
			continue
		}
		a, ok, err := c.store.AspectVersion(ctx, graphstore.AspectKey{URN: e.URN, Name: at.Name}, at.Version)
		if err != nil {
			return StoreFailure(err)
		}
		if ok {
			e.add(a)
		}
	}
	return nil
}
