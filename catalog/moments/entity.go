package moments

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Entity is an entity at a moment.
type Entity struct {
	*read.Details
	// AsOf is the moment, epoch milliseconds. FirstRecorded is the time of the first known write of the
	// entity. If FirstRecorded is later than AsOf, Recorded is false and the entity has no aspects.
	AsOf, FirstRecorded int64
	Recorded            bool
	// Series are the newest values of time series at the moment.
	Series []catalog.EnvelopedAspect
	// Unsure and Lost are as in [history.PastEntity].
	Unsure, Lost []string
}

// At returns an entity at a moment. At fails with NotFound only if nothing is stored of the
// entity.
func (s *Service) At(ctx context.Context, u model.URN, at int64) (*Entity, error) {
	past, err := s.past.State(ctx, u, at, nil)
	if err != nil {
		return nil, err
	}
	stored := catalog.StoredEntity{URN: u.String()}
	for _, name := range slices.Sorted(maps.Keys(past.Aspects)) {
		stored.Aspects = append(stored.Aspects, past.Aspects[name])
	}
	if status, has := past.Aspects[model.AspectStatus]; has {
		tree, err := catalog.TreeOf(status.Value)
		if err != nil {
			return nil, err
		}
		stored.Removed = tree["removed"] == true
	}
	e := &Entity{AsOf: at, FirstRecorded: past.FirstRecorded, Recorded: past.Recorded(), Unsure: past.Unsure, Lost: past.Lost, Series: []catalog.EnvelopedAspect{}}
	if e.Details, err = s.details(ctx, u, stored, at); err != nil {
		return nil, err
	}
	now := e.TimeSeries
	e.TimeSeries = []string{}
	if !e.Recorded {
		return e, nil
	}
	if e.Series, err = s.series(ctx, u, now, at); err != nil {
		return nil, err
	}
	for _, value := range e.Series {
		e.TimeSeries = append(e.TimeSeries, value.Name)
	}
	return e, nil
}

// details derives the details of an entity from its aspects at a moment.
func (s *Service) details(ctx context.Context, u model.URN, stored catalog.StoredEntity, at int64) (*read.Details, error) {
	return s.reader.DetailsOf(ctx, u, stored, func(ctx context.Context, container string) (json.RawMessage, error) {
		found, err := s.past.AspectsAt(ctx, []string{container}, at, []string{model.AspectContainer})
		if err != nil {
			return nil, err
		}
		for _, a := range found[container].Values {
			return a.Value, nil
		}
		return nil, nil
	})
}

// Now returns an entity as it is. FirstRecorded is then when the key was written, 0 if the entity
// has no key.
func (s *Service) Now(ctx context.Context, u model.URN) (*Entity, error) {
	details, err := s.reader.Details(ctx, u)
	if err != nil {
		return nil, err
	}
	e := &Entity{Details: details, Recorded: true, Series: []catalog.EnvelopedAspect{}, Unsure: []string{}, Lost: []string{}}
	entity, _ := s.registry.Entity(u.EntityType())
	for i := range details.Aspects {
		if entity != nil && details.Aspects[i].Name == entity.KeyAspect {
			e.FirstRecorded = details.Aspects[i].Created.Time
		}
	}
	e.Series, err = s.series(ctx, u, details.TimeSeries, 0)
	return e, err
}

// series returns the newest values of time series at a moment; 0 is now.
func (s *Service) series(ctx context.Context, u model.URN, names []string, at int64) ([]catalog.EnvelopedAspect, error) {
	found := []catalog.EnvelopedAspect{}
	for _, name := range names {
		values, err := s.store.TimeSeries(ctx, graphstore.TimeSeriesQuery{URN: u.String(), Aspect: name, To: at, Limit: 1})
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for _, v := range values {
			found = append(found, catalog.EnvelopedAspect{
				Name: name, Type: "TIMESERIES", Value: v.Value, Created: catalog.AuditStamp{Time: v.Timestamp, Actor: v.CreatedBy}, System: catalog.SystemOf(&v.System),
			})
		}
	}
	return found, nil
}

// Columns are the columns of an entity at a moment.
type Columns struct {
	AsOf, FirstRecorded int64
	Recorded            bool
	Columns             []ColumnAt
	// Unsure and Lost have the meaning that they have in [Entity]. Partial says which neighbours are not
	// counted, "" if all are counted.
	Unsure, Lost []string
	Partial      string
}

// ColumnAt is a column with the numbers of columns one hop upstream and downstream.
type ColumnAt struct {
	statements.Column
	Upstreams, Downstreams int
}

// Columns returns the columns that an entity had at a moment, in the order of its schema; a moment
// of 0 is now. Columns fails with NotFound only if nothing is stored of the entity.
func (s *Service) Columns(ctx context.Context, u model.URN, at int64) (*Columns, error) {
	var e *history.PastEntity
	var err error
	if at < 0 {
		return nil, catalog.Errorf(catalog.Invalid, "moments are epoch milliseconds")
	}
	if e, err = s.past.State(ctx, u, orNow(at), []string{model.AspectSchemaMetadata, model.AspectEditableSchemaMetadata}); err != nil {
		return nil, err
	}
	answer := &Columns{AsOf: at, FirstRecorded: e.FirstRecorded, Recorded: e.Recorded(), Columns: []ColumnAt{}, Unsure: e.Unsure, Lost: e.Lost}
	columns, err := ColumnsIn(slices.Collect(maps.Values(e.Aspects)))
	if err != nil || len(columns) == 0 {
		return answer, err
	}
	counts, partial, err := s.lineage.ColumnCounts(ctx, u, at)
	if err != nil {
		return nil, err
	}
	byPath := make(map[string]lineage.ColumnCount, len(counts))
	for _, c := range counts {
		byPath[c.Path] = c
	}
	for i := range columns {
		c := byPath[columns[i].Path]
		answer.Columns = append(answer.Columns, ColumnAt{columns[i], c.Upstreams, c.Downstreams})
	}
	answer.Partial = partial
	return answer, nil
}

// ColumnsIn returns the columns that aspects of an entity state.
func ColumnsIn(aspects []catalog.EnvelopedAspect) ([]statements.Column, error) {
	var schema, edited json.RawMessage
	for i := range aspects {
		switch aspects[i].Name {
		case model.AspectSchemaMetadata:
			schema = aspects[i].Value
		case model.AspectEditableSchemaMetadata:
			edited = aspects[i].Value
		}
	}
	return statements.ColumnsOf(schema, edited)
}

// Name is the name and the state of an entity at a moment.
type Name struct {
	read.Named
	// AsOfToday names the members whose values at the moment are unknown, and which therefore have today's
	// values: name, platform, exists, removed.
	AsOfToday []string
}

// Names returns the names and states that entities had at a moment; a moment of 0 is now. The name of an
// entity that was not recorded yet comes from its URN. Beyond limits.PastEntities entities, and for entities
// that are too large to be read, the names are today's.
func (s *Service) Names(ctx context.Context, urns []string, at int64) (map[string]Name, error) {
	if at < 0 {
		return nil, catalog.Errorf(catalog.Invalid, "moments are epoch milliseconds")
	}
	named, err := s.reader.Name(ctx, urns)
	if err != nil {
		return nil, err
	}
	names := make(map[string]Name, len(named))
	var holders []string
	seen := map[string]bool{}
	for _, urn := range urns {
		n, ok := named[urn]
		if !ok {
			continue
		}
		names[urn] = Name{Named: n}
		if holder := model.HolderOf(model.StoredURN(urn)); !seen[holder] && len(holders) < limits.PastEntities {
			seen[holder], holders = true, append(holders, holder)
		}
	}
	if at == 0 {
		return names, nil
	}
	nodes, err := s.past.NodesAt(ctx, holders, at)
	if err != nil {
		return nil, err
	}
	for urn, n := range names {
		u := model.StoredURN(urn)
		node, known := nodes[model.HolderOf(u)]
		if n.AsOfToday = todayOf(&node); !known {
			n.AsOfToday = []string{history.MemberName, history.MemberPlatform, history.MemberExists, history.MemberRemoved}
		} else {
			s.asOf(&n, u, &node)
		}
		names[urn] = n
	}
	return names, nil
}

// NamesIn returns the names that the entities in the aspects of a past entity had at the moment, at most
// limits.MaxNamedRefs of them.
func (s *Service) NamesIn(ctx context.Context, past *history.PastEntity) (map[string]Name, error) {
	stored := catalog.StoredEntity{URN: past.URN}
	for _, name := range slices.Sorted(maps.Keys(past.Aspects)) {
		stored.Aspects = append(stored.Aspects, past.Aspects[name])
	}
	details, err := s.details(ctx, model.StoredURN(past.URN), stored, past.AsOf)
	if err != nil {
		return nil, err
	}
	return s.Names(ctx, details.Names, past.AsOf)
}

// todayOf returns the members of a name that are not known of the moment.
func todayOf(node *history.PastNode) []string {
	var today []string
	for _, member := range []string{history.MemberName, history.MemberPlatform, history.MemberRemoved} {
		if slices.Contains(node.Unknown, member) {
			today = append(today, member)
		}
	}
	return today
}

func (s *Service) asOf(n *Name, u model.URN, node *history.PastNode) {
	n.Exists = node.Exists
	if !slices.Contains(n.AsOfToday, history.MemberRemoved) {
		n.Removed = node.Removed
	}
	if _, _, column := model.ColumnOf(u); !column && !slices.Contains(n.AsOfToday, history.MemberName) {
		n.Name = read.NameOf(s.registry, u.String(), &graphstore.Entity{Properties: node.Properties})
	}
}
