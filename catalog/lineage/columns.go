package lineage

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// columnsWithLineage returns the first limits.MaxLineageColumns columns of an entity that lineage mentions. cut tells that
// there are more.
func (s *Service) columnsWithLineage(ctx context.Context, namespace, entity string) (columns []string, cut bool, err error) {
	columns, err = s.store.WithPrefix(ctx, columnPrefix(namespace, entity), limits.MaxLineageColumns+1)
	if cut = len(columns) > limits.MaxLineageColumns; cut {
		columns = columns[:limits.MaxLineageColumns]
	}
	return columns, cut, catalog.StoreFailure(err)
}

// columnsOf lists the columns of an entity that lineage mentions. A dashboard has the columns of
// its charts; a job has the columns that it reads and writes. cut tells that an entity has more
// columns than are listed.
func (s *Service) columnsOf(ctx context.Context, u model.URN, q *WalkQuery) (columns []string, cut bool, err error) {
	holders := []string{u.String()}
	switch u.EntityType() {
	case model.EntityDashboard:
		charts, err := s.neighbours(ctx, u.String(), model.RelationshipContains, q.AsOf)
		if err != nil {
			return nil, false, err
		}
		holders = append(holders, charts...)
	case model.EntityDataJob:
		return s.columnsOfJob(ctx, u, q)
	}
	columns = []string{}
	for _, holder := range holders {
		found, more, err := s.columnsWithLineage(ctx, u.Namespace(), holder)
		if err != nil {
			return nil, false, err
		}
		columns, cut = append(columns, found...), cut || more
	}
	return columns, cut, nil
}

// columnPrefix returns the beginning of the URNs of an entity's columns.
func columnPrefix(namespace, entity string) string {
	return "urn:" + namespace + ":" + model.EntitySchemaField + ":(" + entity + ","
}

// neighbours returns the entities at the other ends of an entity's edges of one relationship.
func (s *Service) neighbours(ctx context.Context, urn, relationship string, asOf int64) ([]string, error) {
	found, err := s.store.Edges(ctx, graphstore.EdgeQuery{
		URNs: []string{urn}, Types: []string{relationship}, AsOf: asOf, Page: graphstore.Page{Count: catalog.MaxPage},
	})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	var ends []string
	for _, e := range found[urn].Edges {
		ends = append(ends, e.Destination)
	}
	return ends, nil
}

// columnsOfJob lists the columns in the job's own statements: the columns that the job writes
// for a walk upstream, the columns that it reads for a walk downstream.
func (s *Service) columnsOfJob(ctx context.Context, u model.URN, q *WalkQuery) (list []string, cut bool, err error) {
	listed, direction := model.RelationshipProduces, graphstore.Outgoing
	if q.Direction == Downstream {
		listed, direction = model.RelationshipConsumes, graphstore.Incoming
	}
	ends, err := s.neighbours(ctx, u.String(), listed, q.AsOf)
	if err != nil {
		return nil, false, err
	}
	columns := map[string]bool{}
	for _, end := range ends {
		if model.StoredURN(end).EntityType() == model.EntitySchemaField {
			columns[end] = true
			continue
		}
		stated, more, err := s.columnsStated(ctx, u, end, direction, q.AsOf)
		if err != nil {
			return nil, false, err
		}
		cut = cut || more
		for _, column := range stated {
			columns[column] = true
		}
	}
	list = make([]string, 0, len(columns))
	for column := range columns {
		list = append(list, column)
	}
	slices.Sort(list)
	return list, cut, nil
}

// columnsStated lists the columns of a dataset that have an edge, in a direction, that the job
// states.
func (s *Service) columnsStated(ctx context.Context, job model.URN, dataset string, d graphstore.Direction, asOf int64) (columns []string, cut bool, err error) {
	all, cut, err := s.columnsWithLineage(ctx, job.Namespace(), dataset)
	if err != nil || len(all) == 0 {
		return nil, false, err
	}
	found, err := s.store.Edges(ctx, graphstore.EdgeQuery{
		URNs: all, Direction: d, Kinds: []graphstore.EdgeKind{graphKind(model.ColumnLineage().EdgeKind)}, AsOf: asOf, Page: graphstore.Page{Count: catalog.MaxPage},
	})
	if err != nil {
		return nil, false, catalog.StoreFailure(err)
	}
	for _, column := range all {
		if slices.ContainsFunc(found[column].Edges, func(e graphstore.Edge) bool { return slices.Contains(e.Owners, job.String()) }) {
			columns = append(columns, column)
		}
	}
	return columns, cut, nil
}
