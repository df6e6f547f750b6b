package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
)

// onLineage compares walks in the catalog on either store with the best Cypher for the same
// answer on the bare driver. The answers are entities with their degrees.
func (b *bench) onLineage(ctx context.Context) error {
	for _, size := range b.lineageSizes {
		if err := b.lineageOf(ctx, lineageGraph{size}); err != nil {
			return fmt.Errorf("%d datasets: %w", size, err)
		}
	}
	return nil
}

// lineageSides are the compared sides for one graph.
type lineageSides struct {
	graph    lineageGraph
	embedded *services.Services
	neo4j    *services.Services
	raw      *rawNeo4j
}

func (b *bench) lineageOf(ctx context.Context, g lineageGraph) error {
	sides := lineageSides{graph: g}
	var server graphstore.Store
	before := resident()
	file, err := embedded.Open(ctx, embedded.Options{Dir: filepath.Join(b.dir, fmt.Sprintf("lineage-%d", g.datasets))})
	if err != nil {
		return err
	}
	defer file.Close()
	if err := loadLineage(ctx, "embedded", g, file); err != nil {
		return err
	}
	sides.embedded = services.New(services.Options{Store: file})
	if b.neo4j == "" {
		fmt.Println("no Neo4j: its comparisons are left out")
	} else {
		if server, err = b.lineageOnNeo4j(ctx, &sides); err != nil {
			return err
		}
		defer server.Close()
		defer sides.raw.driver.Close(ctx)
	}
	if err := sides.agree(ctx); err != nil {
		return err
	}
	for _, hops := range []int{1, 3, 5, 10, 0} {
		if err := b.walks(&sides, lineage.Downstream, hops, false); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		direction string
		columns   bool
	}{{lineage.Upstream, false}, {lineage.Downstream, true}} {
		if err := b.walks(&sides, c.direction, 5, c.columns); err != nil {
			return err
		}
	}
	if err := sides.wideWalk(ctx); err != nil {
		return err
	}
	if err := b.answers(ctx, &sides); err != nil {
		return err
	}
	if err := b.overHTTP(ctx, &sides); err != nil {
		return err
	}
	if err := b.impacts(ctx, &sides); err != nil {
		return err
	}
	stores := map[string]graphstore.Store{"embedded": file}
	if server != nil {
		stores["neo4j"] = server
	}
	if err := b.hubImpact(ctx, &sides, stores); err != nil {
		return err
	}
	if sides.raw != nil {
		if err := sides.explosion(ctx, server); err != nil {
			return err
		}
	}
	fmt.Printf("%d datasets: this process, both clients and the embedded store: %.0f MiB resident, %.0f before loading\n", g.datasets, resident(), before)
	return nil
}

func loadLineage(ctx context.Context, where string, g lineageGraph, s graphstore.Store) error {
	began := time.Now()
	edges, err := g.load(ctx, s)
	fmt.Printf("%s: %d datasets with %d edges loaded in %v\n", where, g.datasets, edges, time.Since(began).Round(time.Second))
	return err
}

func (b *bench) lineageOnNeo4j(ctx context.Context, sides *lineageSides) (graphstore.Store, error) {
	var err error
	if sides.raw, err = openRawNeo4j(b.neo4j, "", ""); err != nil {
		return nil, err
	}
	if err := sides.raw.wipe(ctx); err != nil {
		return nil, err
	}
	server, err := openNeo4jStore(ctx, b.neo4j)
	if err != nil {
		return nil, err
	}
	sides.neo4j = services.New(services.Options{Store: server})
	return server, loadLineage(ctx, "neo4j", sides.graph, server)
}

// start returns the dataset or column at which walk i begins. Half of the walks begin at
// datasets from which many others derive. Downstream walks begin in the first half of the
// layers, upstream walks in the last.
func (g lineageGraph) start(i int, direction string, columns bool) string {
	random := rand.New(rand.NewPCG(uint64(i), 7))
	layer := g.datasets / lineageLayers
	at := random.Float64()
	if i%2 == 0 {
		at *= at * at
	}
	n := random.IntN(lineageLayers/2)*layer + int(float64(layer)*at)
	if direction == lineage.Upstream {
		n += g.datasets / 2
	}
	if columns {
		return g.column(n, random.IntN(columnEdges))
	}
	return g.urn(n)
}

// walk returns the number of entities that a walk reaches. Like the bare Cypher, it reads
// their degrees.
func walk(ctx context.Context, c *services.Services, urn, direction string, hops int) (int, error) {
	u, _, err := c.ParseURN(urn)
	if err != nil {
		return 0, err
	}
	w, err := c.Lineage.Walk(ctx, lineage.WalkQuery{URN: u, Direction: direction, MaxHops: hops, Reach: lineage.MaxReach})
	if err != nil {
		return 0, err
	}
	return len(w.Reached), nil
}

// bareWalk returns the number of entities that the best Cypher for a walk reaches. It reads
// their degrees.
func (r *rawNeo4j) bareWalk(ctx context.Context, urn, direction string, hops int, columns bool) (int, error) {
	bound := ""
	if hops > 0 {
		bound = fmt.Sprint(hops)
	}
	types, left, right := bareEdges(direction, columns)
	query := fmt.Sprintf("MATCH p = (a:Entity {urn: $urn})%s[:%s*1..%s]%s(b:Entity) WITH b, min(length(p)) AS degree RETURN b.urn AS urn, degree", left, types, bound, right)
	return r.count(ctx, query, map[string]any{"urn": urn})
}

// barePaths reads a page of a walk with the best Cypher, the nearest entities first. For
// each entity it reads the name and a path: the URNs on the path and the data of its edges.
func (r *rawNeo4j) barePaths(ctx context.Context, urn, direction string, count int, columns bool) (int, error) {
	types, left, right := bareEdges(direction, columns)
	query := fmt.Sprintf(`MATCH p = SHORTEST 1 (a:Entity {urn: $urn})%s[:%s]%s+(b:Entity)
WITH b, p ORDER BY length(p), b.urn LIMIT $count
RETURN b.urn AS urn, b.name AS name, [n IN nodes(p) | n.urn] AS urns, [e IN relationships(p) | properties(e)] AS edges`, left, types, right)
	return r.count(ctx, query, map[string]any{"urn": urn, "count": count})
}

// bareEdges returns the pattern of a walk's edges in Cypher.
func bareEdges(direction string, columns bool) (types, left, right string) {
	types, left, right = "DownstreamOf|Consumes|FED_BY", "-", "->"
	if columns {
		types = "DownstreamOf"
	}
	if direction == lineage.Downstream {
		left, right = "<-", "-"
	}
	return types, left, right
}

// count returns the number of rows of a query.
func (r *rawNeo4j) count(ctx context.Context, query string, parameters map[string]any) (int, error) {
	session := r.driver.NewSession(ctx, neo4j.SessionConfig{AccessMode: neo4j.AccessModeRead})
	defer session.Close(ctx)
	result, err := session.Run(ctx, query, parameters)
	if err != nil {
		return 0, err
	}
	records, err := result.Collect(ctx)
	return len(records), err
}

// agree checks that both sides give the same answers, before they are timed.
func (s *lineageSides) agree(ctx context.Context) error {
	for i := range 20 {
		for _, direction := range []string{lineage.Upstream, lineage.Downstream} {
			urn := s.graph.start(i, direction, i%5 == 4)
			ours, err := walk(ctx, s.embedded, urn, direction, 4)
			if err != nil {
				return err
			}
			if s.neo4j == nil {
				continue
			}
			theirs, err := walk(ctx, s.neo4j, urn, direction, 4)
			if err != nil {
				return err
			}
			bare, err := s.raw.bareWalk(ctx, urn, direction, 4, i%5 == 4)
			if err != nil {
				return err
			}
			if ours != theirs || ours != bare {
				return fmt.Errorf("4 hops %s from %s: embedded %d, neo4j %d, bare Cypher %d", direction, urn, ours, theirs, bare)
			}
		}
	}
	return nil
}

// walks compares walks with the same number of hops.
func (b *bench) walks(s *lineageSides, direction string, hops int, columns bool) error {
	n := b.lineageWalks
	if hops == 0 || hops > 5 {
		n = max(20, n/4)
	}
	reached := 0
	side := func(c *services.Services) func(int) (figure, error) {
		return func(int) (figure, error) {
			reached = 0
			return measure(context.Background(), 1, n, func(ctx context.Context, i int) error {
				count, err := walk(ctx, c, s.graph.start(i, direction, columns), direction, hops)
				reached += count
				return err
			})
		}
	}
	length := fmt.Sprintf("%d hops", hops)
	if hops == 0 {
		length = "all hops"
	}
	if columns {
		length += " of columns"
	}
	name := fmt.Sprintf("%s %s, %d datasets", length, strings.ToLower(direction), s.graph.datasets)
	if s.neo4j == nil {
		f, err := side(s.embedded)(0)
		fmt.Printf("… %s: embedded p50 %v p99 %v, %d entities a walk\n", name, f.percentile(0.5), f.percentile(0.99), reached/n)
		return err
	}
	bare := func(int) (figure, error) {
		return measure(context.Background(), 1, n, func(ctx context.Context, i int) error {
			_, err := s.raw.bareWalk(ctx, s.graph.start(i, direction, columns), direction, hops, columns)
			return err
		})
	}
	if err := b.add(name+": neo4j / bare Cypher", 0.8, side(s.neo4j), bare); err != nil {
		return err
	}
	err := b.add(name+": embedded / neo4j", 4, side(s.embedded), side(s.neo4j))
	fmt.Printf("  %d entities a walk\n", reached/n)
	return err
}

// wideWalk measures walks of five hops that reach about ten thousand entities.
func (s *lineageSides) wideWalk(ctx context.Context) error {
	const wanted = 10_000
	best, distance := "", math.MaxInt
	for i := range 400 {
		urn := s.graph.start(2*i, lineage.Downstream, false)
		reached, err := walk(ctx, s.embedded, urn, lineage.Downstream, 5)
		if err != nil {
			return err
		}
		if off := max(reached-wanted, wanted-reached); off < distance {
			best, distance = urn, off
		}
	}
	reached := 0
	f, err := measure(ctx, 1, 30, func(ctx context.Context, _ int) (err error) {
		reached, err = walk(ctx, s.embedded, best, lineage.Downstream, 5)
		return err
	})
	fmt.Printf("embedded, 5 hops that reach %d entities of %d: p50 %v, p99 %v, %.2f µs an entity\n", reached, s.graph.datasets,
		f.percentile(0.5).Round(100*time.Microsecond), f.percentile(0.99).Round(100*time.Microsecond), float64(f.percentile(0.5).Microseconds())/float64(reached))
	return err
}

// lattice is the smallest graph in which paths multiply: layers of a few datasets, each of
// which derives from all datasets of the layer before.
const (
	latticeLayers = 12
	latticeWidth  = 6
)

func latticeURN(layer, i int) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:lattice,layer_%02d.table_%02d,PROD)", layer, i)
}

func loadLattice(ctx context.Context, s graphstore.Store) error {
	var batch graphstore.Batch
	var urns []string
	for layer := range latticeLayers {
		for i := range latticeWidth {
			urn := latticeURN(layer, i)
			urns = append(urns, urn)
			batch.Nodes = append(batch.Nodes, graphstore.NodeUpdate{URN: urn, Type: "dataset", Exists: true})
			for k := range latticeWidth {
				if layer > 0 {
					batch.AddEdges = append(batch.AddEdges, graphstore.EdgeStatement{
						EdgeID: graphstore.EdgeID{
							Owner: urn, Aspect: "upstreamLineage", Path: "upstreams/*/dataset", Source: urn, Type: "DownstreamOf", Destination: latticeURN(layer-1, k),
						},
						SourceType: "dataset", DestinationType: "dataset", Since: 1,
					})
				}
			}
		}
	}
	return s.Update(ctx, urns, func(tx graphstore.Tx) error { return tx.Write(batch) })
}

// explosion measures the Cypher pattern that people write first, which builds every path,
// beside a walk.
func (s *lineageSides) explosion(ctx context.Context, server graphstore.Store) error {
	const patience = 20 * time.Second
	if err := loadLattice(ctx, server); err != nil {
		return err
	}
	for _, hops := range []int{4, 7, 11} {
		urn := latticeURN(0, 0)
		began := time.Now()
		reached, err := walk(ctx, s.neo4j, urn, lineage.Downstream, hops)
		if err != nil {
			return err
		}
		ours := time.Since(began)
		query := fmt.Sprintf("MATCH p = (a:Entity {urn: $urn})<-[:DownstreamOf*1..%d]-(b:Entity) WITH b, min(length(p)) AS degree, count(p) AS paths RETURN count(b) AS entities, sum(paths) AS paths", hops)
		session := s.raw.driver.NewSession(ctx, neo4j.SessionConfig{AccessMode: neo4j.AccessModeRead})
		began = time.Now()
		result, err := session.Run(ctx, query, map[string]any{"urn": urn}, neo4j.WithTxTimeout(patience))
		var records []*neo4j.Record
		if err == nil {
			records, err = result.Collect(ctx)
		}
		theirs := time.Since(began)
		_ = session.Close(ctx)
		what := "not done"
		if err == nil {
			what = fmt.Sprintf("%v paths", records[0].Values[1])
		}
		fmt.Printf("lattice, %d hops, %d entities: ours on Neo4j %v; a pattern that makes every path: %s after %v\n", hops, reached,
			ours.Round(time.Millisecond), what, theirs.Round(time.Millisecond))
	}
	return nil
}

// resident returns this process's memory in MiB.
func resident() float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return math.NaN()
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	var kib float64
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		return math.NaN()
	}
	return kib / 1024
}
