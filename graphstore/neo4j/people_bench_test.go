package neo4j_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/neo4j"
	"github.com/headwater-io/headwater/graphstore/storetest"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// These are for the cost of column nodes: tables of benchedColumns columns, written several at
// once, each with benchedAspects aspects.
const (
	benchedTables  = 2500
	benchedColumns = 20
	benchedAspects = 6
)

func benchedTable(i int) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.table_%05d,PROD)", i)
}

// load writes the tables, and returns how long that took. Their lineage is a binary tree.
func load(b *testing.B, s *neo4j.Store, columns bool) time.Duration {
	b.Helper()
	field := `{"fieldPath":"some_column","nullable":true,"type":{"type":{"com.linkedin.schema.StringType":{}}},"nativeDataType":"VARCHAR(255)","recursive":false,"isPartOfKey":false}`
	schema := json.RawMessage("[" + strings.TrimSuffix(strings.Repeat(field+",", benchedColumns), ",") + "]")
	began := time.Now()
	var g errgroup.Group
	g.SetLimit(16)
	for i := range benchedTables {
		u := benchedTable(i)
		g.Go(func() error {
			return s.Update(context.Background(), []string{u}, func(tx graphstore.Tx) error {
				var names []graphstore.AspectKey
				for n := range benchedAspects {
					names = append(names, graphstore.AspectKey{URN: u, Name: fmt.Sprintf("aspect%d", n)})
				}
				if _, err := tx.Aspects(names); err != nil {
					return err
				}
				batch := columnsOfTable(u, columns)
				for n, key := range names {
					value := json.RawMessage(`{"description":"A table of the benchmark","customProperties":{}}`)
					if n == 0 {
						value = schema
					}
					batch.PutVersions = append(batch.PutVersions, graphstore.Aspect{URN: u, Name: key.Name, Seq: 1, Value: value, CreatedOn: 1, CreatedBy: "urn:li:corpuser:a"})
					batch.Changes = append(batch.Changes, graphstore.Change{Kind: graphstore.ChangeUpsert, URN: u, EntityType: "dataset", Aspect: key.Name, Seq: 1})
				}
				batch.AddEdges = []graphstore.EdgeStatement{{
					EdgeID:     graphstore.EdgeID{Owner: u, Aspect: "upstreamLineage", Path: "p", Source: u, Type: "DownstreamOf", Destination: benchedTable((i - 1) / 2)},
					SourceType: "dataset", DestinationType: "dataset", Since: 1,
				}}
				return tx.Write(batch)
			})
		})
	}
	if err := g.Wait(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

func columnsOfTable(urn string, gained bool) graphstore.Batch {
	var paths []string
	for n := range benchedColumns {
		paths = append(paths, fmt.Sprintf("some_column_%02d", n))
	}
	if gained {
		return schemaOf(urn, paths, nil)
	}
	return schemaOf(urn, nil, nil)
}

// BenchmarkColumnNodes loads the tables in turn with and without nodes of columns.
// BenchmarkColumnNodes reports the ratio of the times, as the median of three.
func BenchmarkColumnNodes(b *testing.B) {
	uri := testservers.Neo4j(b)
	var ratios []float64
	for range 4 { // the first load warms the server up
		var took [2]time.Duration
		for i, columns := range []bool{false, true} {
			testservers.WipeNeo4j(b, uri)
			s, err := neo4j.Open(context.Background(), peopleOptions(uri))
			if err != nil {
				b.Fatal(err)
			}
			took[i] = load(b, s, columns)
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
		ratios = append(ratios, took[1].Seconds()/took[0].Seconds())
		b.Logf("%v without, %v with", took[0], took[1])
	}
	b.ReportMetric(median(ratios[1:]), "with/without")
}

// BenchmarkWalkBesideColumns walks the tree of tables, and reads the edges of many, without and
// with nodes of columns. BenchmarkWalkBesideColumns reports the ratio of the times, as the
// median of five.
func BenchmarkWalkBesideColumns(b *testing.B) {
	uri := testservers.Neo4j(b)
	testservers.WipeNeo4j(b, uri)
	s, err := neo4j.Open(context.Background(), peopleOptions(uri))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	load(b, s, false)
	setColumns := func(withNodes bool) {
		var g errgroup.Group
		g.SetLimit(16)
		for i := range benchedTables {
			u := benchedTable(i)
			g.Go(func() error {
				return s.Update(context.Background(), []string{u}, func(tx graphstore.Tx) error {
					batch := columnsOfTable(u, true)
					if n := &batch.Nodes[0]; !withNodes {
						for _, c := range n.Shown.Columns {
							n.Shown.LostColumns = append(n.Shown.LostColumns, c.URN)
						}
						n.Shown.Columns = nil
					}
					return tx.Write(batch)
				})
			})
		}
		if err := g.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	var walks, hops []float64
	for range 6 { // the first round warms the server up
		var walk, hop [2]float64
		for i, withNodes := range []bool{false, true} {
			setColumns(withNodes)
			walk[i], hop[i] = walkTime(b, s), hopTime(b, s)
		}
		walks, hops = append(walks, walk[1]/walk[0]), append(hops, hop[1]/hop[0])
		b.Logf("walk %.1f ms and %.1f ms, hop %.1f ms and %.1f ms", walk[0], walk[1], hop[0], hop[1])
	}
	b.ReportMetric(median(walks[1:]), "walk-with/without")
	b.ReportMetric(median(hops[1:]), "hop-with/without")
}

func walkTime(b *testing.B, s *neo4j.Store) float64 {
	return fastest(b, func(ctx context.Context) error {
		walk, err := s.Walk(ctx, graphstore.WalkQuery{
			From: []string{benchedTable(0)}, Steps: []graphstore.Step{{EdgeKind: storetest.Kinds[0], Direction: graphstore.Incoming}}, Limit: 10_000,
		})
		if err == nil && len(walk.Visits) < benchedTables-1 {
			err = fmt.Errorf("the walk reaches %d tables", len(walk.Visits))
		}
		return err
	})
}

func hopTime(b *testing.B, s *neo4j.Store) float64 {
	var urns []string
	for i := range 200 {
		urns = append(urns, benchedTable(i))
	}
	return fastest(b, func(ctx context.Context) error {
		_, err := s.Edges(ctx, graphstore.EdgeQuery{URNs: urns, Direction: graphstore.Incoming, Types: []string{"DownstreamOf"}, Page: graphstore.Page{Count: 10}})
		return err
	})
}

// fastest returns the time of the fastest of 15 calls, in milliseconds: other work of the
// machine makes calls slower, never faster.
func fastest(b *testing.B, call func(context.Context) error) float64 {
	b.Helper()
	var times []float64
	for range 15 {
		began := time.Now()
		if err := call(context.Background()); err != nil {
			b.Fatal(err)
		}
		times = append(times, float64(time.Since(began).Microseconds())/1000)
	}
	return slices.Min(times)
}

func median(numbers []float64) float64 {
	slices.Sort(numbers)
	return numbers[len(numbers)/2]
}
