package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// embedded compares the embedded store with bare SQLite. It returns bare SQLite on a loaded
// file.
func (b *bench) embedded(ctx context.Context) (*rawSQLite, error) {
	w := workload{datasets: b.embeddedSize}
	loaded, err := b.embeddedLoad(ctx, w)
	if err != nil {
		return nil, err
	}
	bare, err := openRawSQLite(filepath.Join(b.dir, "bare-0"))
	if err != nil {
		return nil, err
	}
	s, err := startServer(ctx, b.binary, "--data", loaded)
	if err != nil {
		return bare, err
	}
	defer s.stop() //nolint:errcheck // the figures are taken
	if err := b.embeddedWrites(ctx, s, bare, w); err != nil {
		return bare, err
	}
	if err := s.settle(ctx); err != nil {
		return bare, err
	}
	if err := b.embeddedReads(ctx, s, bare, w); err != nil || b.neo4j == "" {
		return bare, err
	}
	return bare, b.embeddedBesideNeo4j(ctx, s, w)
}

// embeddedLoad compares loading, and returns the data directory of a loaded server. The
// first bare file, bare-0, has the same rows.
func (b *bench) embeddedLoad(ctx context.Context, w workload) (loaded string, err error) {
	var img *rowsImage
	err = b.add("embedded: batch load, datasets with 3 aspects", 0.6, func(i int) (figure, error) {
		loaded = filepath.Join(b.dir, fmt.Sprintf("embedded-%d", i))
		f, err := b.loadEmbedded(ctx, w, loaded)
		if err != nil || img != nil {
			return f, err
		}
		img, err = rowsIn(ctx, loaded)
		return f, err
	}, func(i int) (figure, error) {
		return bareLoad(ctx, w.datasets, img, filepath.Join(b.dir, fmt.Sprintf("bare-%d", i)))
	})
	return loaded, err
}

// rowsIn reads the rows that a stopped server has stored in a directory.
func rowsIn(ctx context.Context, dir string) (*rowsImage, error) {
	raw, err := openRawSQLite(dir)
	if err != nil {
		return nil, err
	}
	defer raw.db.Close()
	return raw.read(ctx)
}

// bareLoad writes the rows of a number of operations to a new file.
func bareLoad(ctx context.Context, ops int, img *rowsImage, dir string) (figure, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return figure{}, err
	}
	raw, err := openRawSQLite(dir)
	if err != nil {
		return figure{}, err
	}
	defer raw.db.Close()
	f, err := measure(ctx, 1, 1, func(ctx context.Context, _ int) error { return raw.write(ctx, img) })
	f.ops = ops
	return f, err
}

// loadEmbedded loads a new server and prints its memory.
func (b *bench) loadEmbedded(ctx context.Context, w workload, dir string) (figure, error) {
	s, err := startServer(ctx, b.binary, "--data", dir)
	if err != nil {
		return figure{}, err
	}
	f, err := load(ctx, s, w)
	if err != nil {
		return f, err
	}
	now, peak, err := s.resident()
	if err != nil {
		return f, err
	}
	fmt.Printf("embedded, after loading %d datasets: %.0f MiB resident, %.0f MiB at most\n", w.datasets, now, peak)
	began := time.Now()
	if err := s.settle(ctx); err != nil {
		return f, err
	}
	fmt.Printf("embedded: the index had it %v after the load, which took %v\n", time.Since(began).Round(10*time.Millisecond), f.elapsed.Round(10*time.Millisecond))
	return f, s.stop()
}

func (b *bench) embeddedWrites(ctx context.Context, s *server, bare *rawSQLite, w workload) error {
	upsert := func(clients, n int) func(int) (figure, error) {
		return func(rep int) (figure, error) {
			list := w.proposals(n, 0, rep)
			return measure(ctx, clients, n, func(ctx context.Context, i int) error {
				return bare.upsert(ctx, list[i].EntityURN, list[i].Aspect.Value)
			})
		}
	}
	if err := b.add("embedded: single durable write, 1 client", 0.6,
		func(rep int) (figure, error) { return single(ctx, s, w, 1, 1500, rep) }, upsert(1, 1500)); err != nil {
		return err
	}
	return b.add("embedded: single durable writes, 16 clients", 0.7,
		func(rep int) (figure, error) { return single(ctx, s, w, 16, 6000, 10+rep) }, upsert(16, 6000))
}

func (b *bench) embeddedReads(ctx context.Context, s *server, bare *rawSQLite, w workload) error {
	const n = 8000
	bareReads := func(read func(ctx context.Context, urn string) error) func(int) (figure, error) {
		return func(int) (figure, error) {
			return measure(ctx, readClients, n, func(ctx context.Context, i int) error { return read(ctx, w.urn(i*31%w.datasets)) })
		}
	}
	if err := b.add("embedded: read an aspect, 8 clients", 0.5,
		func(int) (figure, error) { return pointReads(ctx, s, w, n) }, bareReads(bare.readAspect)); err != nil {
		return err
	}
	return b.add("embedded: one hop, 8 clients", 0,
		func(int) (figure, error) { return oneHopReads(ctx, s, w, n) }, bareReads(bare.oneHop))
}

// embeddedBesideNeo4j compares durable writes over HTTP on the embedded store with the same
// writes on the bare Neo4j driver.
func (b *bench) embeddedBesideNeo4j(ctx context.Context, s *server, w workload) error {
	raw, err := b.emptyNeo4j(ctx)
	if err != nil {
		return err
	}
	defer raw.driver.Close(ctx)
	// A server that was started once has made the schema.
	schema, err := startServer(ctx, b.binary, b.onNeo4jFlags()...)
	if err != nil {
		return err
	}
	if err := schema.stop(); err != nil {
		return err
	}
	const n = 4000
	if err := raw.run(ctx, "UNWIND $urns AS urn MERGE (:Entity {urn: urn})", map[string]any{"urns": w.urns()}); err != nil {
		return err
	}
	return b.add("embedded through HTTP beside bare Neo4j: writes, 16 clients", 1.5,
		func(rep int) (figure, error) { return single(ctx, s, w, 16, n, 100+rep) },
		func(rep int) (figure, error) {
			list := w.proposals(n, 0, 100+rep)
			return measure(ctx, 16, n, func(ctx context.Context, i int) error {
				return raw.upsert(ctx, list[i].EntityURN, list[i].AspectName, list[i].Aspect.Value)
			})
		})
}

// urns returns the URNs of all datasets.
func (w workload) urns() []string {
	urns := make([]string, w.datasets)
	for i := range urns {
		urns[i] = w.urn(i)
	}
	return urns
}
