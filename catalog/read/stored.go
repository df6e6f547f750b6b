package read

import (
	"cmp"
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Stored returns the entities that exist, in the order of urns. Each entity has the requested
// aspects that are stored.
func (rd *Reader) Stored(ctx context.Context, urns []model.URN, aspects catalog.StoredAspects) ([]catalog.StoredEntity, error) {
	if err := catalog.TooMany("entities", len(urns), limits.MaxIDs); err != nil {
		return nil, err
	}
	if err := catalog.CheckLists("aspects", aspects.Names); err != nil {
		return nil, err
	}
	nodes, err := rd.store.Entities(ctx, catalog.Texts(urns))
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	var entities []catalog.StoredEntity
	var texts []string
	for i := range nodes {
		if nodes[i].Exists {
			entities, texts = append(entities, catalog.StoredEntity{URN: nodes[i].URN, Removed: nodes[i].Removed}), append(texts, nodes[i].URN)
		}
	}
	if aspects.None || len(entities) == 0 {
		return entities, nil
	}
	versioned, series := rd.splitAspects(aspects.Names)
	if len(versioned) > 0 || len(aspects.Names) == 0 {
		found, err := rd.store.LatestAspects(ctx, texts, versioned)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		if found, err = rd.withoutDeleted(ctx, found); err != nil {
			return nil, err
		}
		for i := range entities {
			addAspects(&entities[i], found[texts[i]]...)
		}
	}
	if len(series) > 0 {
		found, err := rd.store.LatestTimeSeries(ctx, texts, series)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for i := range entities {
			addValues(&entities[i], found[texts[i]])
		}
	}
	return entities, nil
}

// splitAspects separates the names of versioned aspects from the names of time series.
func (rd *Reader) splitAspects(names []string) (versioned, series []string) {
	for _, name := range names {
		if spec, ok := rd.Registry().Aspect(name); ok && spec.TimeSeries {
			series = append(series, name)
		} else {
			versioned = append(versioned, name)
		}
	}
	return versioned, series
}

func addAspects(e *catalog.StoredEntity, aspects ...graphstore.Aspect) {
	for i := range aspects {
		e.Aspects = append(e.Aspects, envelope(&aspects[i]))
	}
	sortAspects(e)
}

// addValues adds the newest values of time series to an entity.
func addValues(e *catalog.StoredEntity, values []graphstore.TimeSeriesValue) {
	for i := range values {
		v := &values[i]
		e.Aspects = append(e.Aspects, catalog.EnvelopedAspect{
			Name: v.Aspect, Type: "TIMESERIES", Value: v.Value,
			Created: catalog.AuditStamp{Time: v.CreatedOn, Actor: v.CreatedBy}, System: catalog.SystemOf(&v.System),
		})
	}
	sortAspects(e)
}

func sortAspects(e *catalog.StoredEntity) {
	slices.SortFunc(e.Aspects, func(a, b catalog.EnvelopedAspect) int { return cmp.Compare(a.Name, b.Name) })
}

// AspectAt names a version of an aspect, numbered as for [Reader.Aspect].
type AspectAt struct {
	Name    string
	Version int64
}

// EntityVersions asks for versions of aspects of one entity. Without Aspects, EntityVersions
// asks for the latest versions of all aspects.
type EntityVersions struct {
	URN     model.URN
	Aspects []AspectAt
}

// StoredVersions returns the entities that exist, in the order asked for. Each entity has the
// wanted versions that are stored. Each archived version takes a store call, so the number of
// wanted versions is bounded by limits.MaxListItems.
func (rd *Reader) StoredVersions(ctx context.Context, wanted []EntityVersions) ([]catalog.StoredEntity, error) {
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
	if err := catalog.TooMany("archived versions", archived, limits.MaxListItems); err != nil {
		return nil, err
	}
	found := make([]*catalog.StoredEntity, len(wanted))
	for _, members := range groups {
		if err := rd.latestOf(ctx, wanted, members, found); err != nil {
			return nil, err
		}
	}
	var entities []catalog.StoredEntity
	for i := range wanted {
		if found[i] == nil {
			continue
		}
		if err := rd.addArchived(ctx, &wanted[i], found[i]); err != nil {
			return nil, err
		}
		entities = append(entities, *found[i])
	}
	return entities, nil
}

// latestOf reads the latest versions for the members of a request that name the same aspects.
func (rd *Reader) latestOf(ctx context.Context, wanted []EntityVersions, members []int, found []*catalog.StoredEntity) error {
	var urns []model.URN
	for _, i := range members {
		urns = append(urns, wanted[i].URN)
	}
	first := &wanted[members[0]]
	var aspects catalog.StoredAspects
	for _, a := range first.Aspects {
		if a.Version == graphstore.LatestVersion {
			aspects.Names = append(aspects.Names, a.Name)
		}
	}
	aspects.None = len(first.Aspects) > 0 && len(aspects.Names) == 0
	entities, err := rd.Stored(ctx, catalog.Distinct(urns), aspects)
	if err != nil {
		return err
	}
	byURN := make(map[string]*catalog.StoredEntity, len(entities))
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

func (rd *Reader) addArchived(ctx context.Context, wanted *EntityVersions, e *catalog.StoredEntity) error {
	for _, at := range wanted.Aspects {
		if at.Version == graphstore.LatestVersion {
			continue
		}
		a, ok, err := rd.store.AspectVersion(ctx, graphstore.AspectKey{URN: e.URN, Name: at.Name}, at.Version)
		if err != nil {
			return catalog.StoreFailure(err)
		}
		if ok {
			addAspects(e, a)
		}
	}
	return nil
}
