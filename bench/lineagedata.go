package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"golang.org/x/sync/errgroup"

	"github.com/headwater-io/headwater/graphstore"
)

// lineageGraph describes lineage like that of real catalogs: layers from sources to
// reports, a few datasets from which very many derive and many from which few derive, every
// fifth derivation through a job, and columns.
type lineageGraph struct {
	datasets int
}

const (
	lineageLayers = 10
	// columnEdges is the number of edges between columns of each derivation.
	columnEdges = 2
	// lineageBatch is how many datasets are written in one transaction.
	lineageBatch = 300
)

func (g lineageGraph) urn(i int) string { return workload(g).urn(i) }

func (g lineageGraph) job(i int) string {
	return fmt.Sprintf("urn:li:dataJob:(urn:li:dataFlow:(airflow,flow_%04d,PROD),build_table_%06d)", i%1000, i)
}

func (g lineageGraph) column(i, n int) string {
	return fmt.Sprintf("urn:li:schemaField:(%s,column_%d)", g.urn(i), n)
}

// derivation is the lineage of one dataset.
type derivation struct {
	dataset   int
	upstreams []int
	viaJob    bool
}

// derivations yields the derivations of the graph, the same ones for the same size.
func (g lineageGraph) derivations(yield func(derivation) bool) {
	random := rand.New(rand.NewPCG(uint64(g.datasets), 6))
	layer := g.datasets / lineageLayers
	for i := layer; i < g.datasets; i++ {
		d := derivation{dataset: i, viaJob: random.Float64() < 0.2}
		before := min(i/layer, lineageLayers-1) - 1
		seen := map[int]bool{}
		for range 1 + int(min(8, random.ExpFloat64()*1.2)) {
			// The cube of the random number prefers the first datasets of a layer, so these become hubs.
			upstream := before*layer + int(float64(layer)*math.Pow(random.Float64(), 3))
			if !seen[upstream] {
				seen[upstream] = true
				d.upstreams = append(d.upstreams, upstream)
			}
		}
		if !yield(d) {
			return
		}
	}
}

// edges returns the edge statements of a derivation.
func (g lineageGraph) edges(d derivation) []graphstore.EdgeStatement {
	var edges []graphstore.EdgeStatement
	add := func(owner, aspect, path, source, sourceType, name, destination, destinationType string) {
		edges = append(edges, graphstore.EdgeStatement{
			EdgeID:     graphstore.EdgeID{Owner: owner, Aspect: aspect, Path: path, Source: source, Type: name, Destination: destination},
			SourceType: sourceType, DestinationType: destinationType, Since: 1, SinceRun: "bench", SinceActor: "urn:li:corpuser:bench",
			EdgeAttributes: graphstore.EdgeAttributes{UpdatedOn: 1700000000000, UpdatedActor: "urn:li:corpuser:bench"},
		})
	}
	dataset, job := g.urn(d.dataset), g.job(d.dataset)
	if d.viaJob {
		add(job, "dataJobInputOutput", "outputDatasets/*", job, "dataJob", "Produces", dataset, "dataset")
	}
	for k, upstream := range d.upstreams {
		if d.viaJob {
			add(job, "dataJobInputOutput", "inputDatasets/*", job, "dataJob", "Consumes", g.urn(upstream), "dataset")
		} else {
			add(dataset, "upstreamLineage", "upstreams/*/dataset", dataset, "dataset", "DownstreamOf", g.urn(upstream), "dataset")
		}
		for n := range columnEdges {
			add(dataset, "upstreamLineage", "fineGrainedLineages/*/upstreams/*",
				g.column(d.dataset, (k*columnEdges+n)%8), "schemaField", "DownstreamOf", g.column(upstream, n), "schemaField")
		}
	}
	return edges
}

// load writes the graph into a store.
func (g lineageGraph) load(ctx context.Context, s graphstore.Store) (edges int, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2)
	var batch graphstore.Batch
	owners := map[string]bool{}
	flush := func() {
		urns := make([]string, 0, len(owners))
		for urn := range owners {
			urns = append(urns, urn)
		}
		b := batch
		group.Go(func() error {
			return s.Update(ctx, urns, func(tx graphstore.Tx) error { return tx.Write(b) })
		})
		batch, owners = graphstore.Batch{}, map[string]bool{}
	}
	own := func(urn, entityType string) {
		if !owners[urn] {
			owners[urn] = true
			batch.Nodes = append(batch.Nodes, graphstore.NodeUpdate{URN: urn, Type: entityType, Exists: true})
		}
	}
	for i := range g.datasets / lineageLayers {
		if own(g.urn(i), "dataset"); len(owners) >= lineageBatch {
			flush()
		}
	}
	g.derivations(func(d derivation) bool {
		own(g.urn(d.dataset), "dataset")
		if d.viaJob {
			own(g.job(d.dataset), "dataJob")
		}
		statements := g.edges(d)
		edges += len(statements)
		batch.AddEdges = append(batch.AddEdges, statements...)
		if len(owners) >= lineageBatch {
			flush()
		}
		return ctx.Err() == nil
	})
	flush()
	return edges, group.Wait()
}
