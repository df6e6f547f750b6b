package main

import (
	"context"
	"fmt"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
)

// hub is a dataset of which one column is read by a column of each of many tables.
const hub = "urn:li:dataset:(urn:li:dataPlatform:hub,raw,PROD)"

func hubColumn(dataset, path string) string {
	return fmt.Sprintf("urn:li:schemaField:(%s,%s)", dataset, path)
}

// loadHub writes the readers of the hub's column.
func loadHub(ctx context.Context, s graphstore.Store, readers int) error {
	statement := func(owner, source, destination, kind, path string) graphstore.EdgeStatement {
		return graphstore.EdgeStatement{
			EdgeID:     graphstore.EdgeID{Owner: owner, Aspect: "upstreamLineage", Path: path, Source: source, Type: "DownstreamOf", Destination: destination},
			SourceType: kind, DestinationType: kind, Since: 1,
		}
	}
	for from := 0; from < readers; from += 10 * lineageBatch {
		var urns []string
		var batch graphstore.Batch
		for i := from; i < min(readers, from+10*lineageBatch); i++ {
			urn := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hub,reader_%06d,PROD)", i)
			urns = append(urns, urn)
			batch.Nodes = append(batch.Nodes, graphstore.NodeUpdate{URN: urn, Type: "dataset", Exists: true})
			batch.AddEdges = append(batch.AddEdges, statement(urn, urn, hub, "dataset", "upstreams/*/dataset"),
				statement(urn, hubColumn(urn, "b"), hubColumn(hub, "a"), "schemaField", "fineGrainedLineages/*/upstreams/*"))
		}
		if err := s.Update(ctx, urns, func(tx graphstore.Tx) error { return tx.Write(batch) }); err != nil {
			return err
		}
	}
	return nil
}

// hubImpact compares the first page of the impact of a hub's column with the walk that lists its readers, and with
// that walk in the best Cypher, in one run.
func (b *bench) hubImpact(ctx context.Context, s *lineageSides, stores map[string]graphstore.Store) error {
	for where, store := range stores {
		if err := loadHub(ctx, store, b.hubReaders); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	start := hubColumn(hub, "a")
	each := fromEach([]string{start, start, start})
	for where, c := range map[string]*services.Services{"embedded": s.embedded, "neo4j": s.neo4j} {
		if c == nil {
			continue
		}
		page := each(func(ctx context.Context, start string) error { return impact(ctx, c, start, 10) })
		walks := each(func(ctx context.Context, start string) error {
			n, err := walk(ctx, c, start, lineage.Downstream, 0)
			if err == nil && n < b.hubReaders {
				err = fmt.Errorf("the walk reaches %d of %d readers", n, b.hubReaders)
			}
			return err
		})
		name := fmt.Sprintf("first page of the impact of a hub's column that %d columns read: %s", b.hubReaders, where)
		if err := b.add(name+" / the walk to its readers", 0, page, walks); err != nil {
			return err
		}
		if s.raw == nil {
			continue
		}
		if err := b.add(name+" / bare Cypher of that walk", 0, page, each(func(ctx context.Context, start string) error {
			_, err := s.raw.bareWalk(ctx, start, lineage.Downstream, 0, true)
			return err
		})); err != nil {
			return err
		}
	}
	return nil
}
