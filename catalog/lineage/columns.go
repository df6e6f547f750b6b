package lineage

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

const (
	// maxColumns bounds the number of columns of an entity at which a walk begins.
	maxColumns = 10_000
)

// columnsOf lists the columns of an entity that lineage mentions. A dashboard
// has the columns of its charts; a job has the columns that it reads and
// writes.
func (s *Service) columnsOf(ctx context.Context, u model.URN, q *WalkQuery) ([]string, error) {
	holders := []string{u.String()}
	switch u.EntityType() {
	case model.EntityDashboard:
		charts, err := s.neighbours(ctx, u.String(), model.RelationshipContains, q.AsOf)
		if err != nil {
			return nil, err
		}
		holders = append(holders, charts...)
	case model.EntityDataJob:
		return s.columnsOfJob(ctx, u, q)
	}
	columns := []string{}
	for _, holder := range holders {
		found, err := s.store.WithPrefix(ctx, columnPrefix(u.Namespace(), holder), maxColumns)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		columns = append(columns, found...)
	}
	return columns, nil
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
func (s *Service) columnsOfJob(ctx context.Context, u model.URN, q *WalkQuery) ([]string, error) {
	listed, direction := model.RelationshipProduces, graphstore.Outgoing
	if q.Direction == Downstream {
		listed, direction = model.RelationshipConsumes, graphstore.Incoming
	}
	ends, err := s.neighbours(ctx, u.String(), listed, q.AsOf)
	if err != nil {
		return nil, err
	}
	columns := map[string]bool{}
	for _, end := range ends {
		if model.StoredURN(end).EntityType() == model.EntitySchemaField {
			columns[end] = true
			continue
		}
		stated, err := s.columnsStated(ctx, u, end, direction, q.AsOf)
		if err != nil {
			return nil, err
		}
		for _, column := range stated {
			columns[column] = true
		}
	}
	list := make([]string, 0, len(columns))
	for column := range columns {
		list = append(list, column)
	}
	slices.Sort(list)
	return list, nil
}

// columnsStated lists the columns of a dataset that have an edge, in a direction, that the job
// states.
func (s *Service) columnsStated(ctx context.Context, job model.URN, dataset string, d graphstore.Direction, asOf int64) ([]string, error) {
	all, err := s.store.WithPrefix(ctx, columnPrefix(job.Namespace(), dataset), maxColumns)
	if err != nil || len(all) == 0 {
		return nil, catalog.StoreFailure(err)
	}
	found, err := s.store.Edges(ctx, graphstore.EdgeQuery{
		URNs: all, Direction: d, Kinds: []graphstore.EdgeKind{graphKind(model.ColumnLineage().EdgeKind)}, AsOf: asOf, Page: graphstore.Page{Count: catalog.MaxPage},
	})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	var columns []string
	for _, column := range all {
		if slices.ContainsFunc(found[column].Edges, func(e graphstore.Edge) bool { return slices.Contains(e.Owners, job.String()) }) {
			columns = append(columns, column)
		}
	}
	return columns, nil
}
