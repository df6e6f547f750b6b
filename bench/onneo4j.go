package main

import (
	"context"
	"fmt"
)

// onNeo4j compares the Neo4j store with the bare driver.
func (b *bench) onNeo4j(ctx context.Context) error {
	w := workload{datasets: b.neo4jSize}
	raw, err := openRawNeo4j(b.neo4j, "", "")
	if err != nil {
		return err
	}
	defer raw.driver.Close(ctx)
	if err := b.neo4jLoad(ctx, raw, w); err != nil {
		return err
	}
	s, err := startServer(ctx, b.binary, b.onNeo4jFlags()...)
	if err != nil {
		return err
	}
	defer s.stop() //nolint:errcheck // the figures are taken
	if err := b.neo4jReads(ctx, s, raw, w); err != nil {
		return err
	}
	return b.neo4jWrites(ctx, s, raw, w)
}

func (b *bench) neo4jLoad(ctx context.Context, raw *rawNeo4j, w workload) error {
	var img *image
	return b.add("neo4j: batch load, datasets with 3 aspects", 0.6, func(int) (figure, error) {
		if err := raw.wipe(ctx); err != nil {
			return figure{}, err
		}
		s, err := startServer(ctx, b.binary, b.onNeo4jFlags()...)
		if err != nil {
			return figure{}, err
		}
		f, err := load(ctx, s, w)
		if err != nil {
			return f, err
		}
		if err := s.stop(); err != nil || img != nil {
			return f, err
		}
		if img, err = raw.read(ctx); err == nil {
			fmt.Printf("neo4j: %d datasets are %d nodes and %d relationships\n", w.datasets, img.nodes, img.edges)
		}
		return f, err
	}, func(int) (figure, error) {
		if err := raw.wipe(ctx); err != nil {
			return figure{}, err
		}
		f, err := measure(ctx, 1, 1, func(ctx context.Context, _ int) error { return raw.write(ctx, img) })
		f.ops = w.datasets
		return f, err
	})
}

func (b *bench) neo4jReads(ctx context.Context, s *server, raw *rawNeo4j, w workload) error {
	const n = 6000
	bareReads := func(read func(ctx context.Context, urn string) error) func(int) (figure, error) {
		return func(int) (figure, error) {
			return measure(ctx, readClients, n, func(ctx context.Context, i int) error { return read(ctx, w.urn(i*31%w.datasets)) })
		}
	}
	readAspect := func(ctx context.Context, urn string) error { return raw.readAspect(ctx, urn, "datasetProperties") }
	if err := b.add("neo4j: read an aspect, 8 clients", 0,
		func(int) (figure, error) { return pointReads(ctx, s, w, n) }, bareReads(readAspect)); err != nil {
		return err
	}
	return b.add("neo4j: one hop, 8 clients", 0.6,
		func(int) (figure, error) { return oneHopReads(ctx, s, w, n) }, bareReads(raw.oneHop))
}

func (b *bench) neo4jWrites(ctx context.Context, s *server, raw *rawNeo4j, w workload) error {
	upsert := func(clients, n int) func(int) (figure, error) {
		return func(rep int) (figure, error) {
			// These datasets are not the datasets of the Headwater side, so that neither side
			// inherits versions of the other side.
			list := w.proposals(n, 3, 1000+rep)
			return measure(ctx, clients, n, func(ctx context.Context, i int) error {
				return raw.upsert(ctx, list[i].EntityURN, list[i].AspectName, list[i].Aspect.Value)
			})
		}
	}
	if err := b.add("neo4j: single durable write, 1 client", 0,
		func(rep int) (figure, error) { return single(ctx, s, w, 1, 500, rep) }, upsert(1, 500)); err != nil {
		return err
	}
	return b.add("neo4j: single durable writes, 16 clients", 0.5,
		func(rep int) (figure, error) { return single(ctx, s, w, 16, 2000, 10+rep) }, upsert(16, 2000))
}
