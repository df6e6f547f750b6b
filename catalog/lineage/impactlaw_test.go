package lineage_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
	"github.com/headwater-io/headwater/model"
)

// TestImpactLaw checks two laws of the impact of a lost column c. If the loss of c affects a
// column d, and the loss of d certainly affects an entity, then the loss of c at least possibly
// affects that entity. If an entity is affected as a whole, all of its columns are affected. In
// the random catalogs of this test, not all lineage between columns has lineage between
// entities beside it.
func TestImpactLaw(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		t.Cleanup(func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		})
		seed := testseed.Of(t)
		g := &lawGraph{random: rand.New(rand.NewPCG(seed, 36)), name: fmt.Sprintf("law%x", seed)}
		c := services.New(services.Options{Store: store, Now: testclock.Now})
		results, err := c.IngestBatch(context.Background(), g.proposals(t, testsize.Of(40, 300)), catalog.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range results {
			if results[i].Err != nil {
				t.Fatal(results[i].Err)
			}
		}
		for _, change := range []string{lineage.ChangeDrop, lineage.ChangeRetype} {
			g.check(t, c, change, testsize.Of(15, 200))
		}
	})
}

// lawGraph is a random catalog of tables, views with and without SQL, jobs, charts, dashboards,
// assertions, queries and foreign keys.
type lawGraph struct {
	random *rand.Rand
	name   string
	tables []string
	out    []write.Proposal
}

var lawColumns = []string{"a", "b", "c"}

func (g *lawGraph) table(i int) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:postgres,%s.public.t%d,PROD)", g.name, i)
}

func (g *lawGraph) pick() string { return g.tables[g.random.IntN(len(g.tables))] }

func (g *lawGraph) column() string { return lawColumns[g.random.IntN(len(lawColumns))] }

func (g *lawGraph) say(t *testing.T, urn, aspect string, value any) {
	t.Helper()
	g.out = append(g.out, write.Proposal{
		EntityType: model.StoredURN(urn).EntityType(), EntityURN: urn, AspectName: aspect,
		Aspect: &write.GenericAspect{ContentType: "application/json", Value: []byte(catalogtest.MustJSON(t, value))},
	})
}

func (g *lawGraph) proposals(t *testing.T, tables int) []write.Proposal {
	for i := range tables {
		urn := g.table(i)
		fields, keys := []object{}, []object{}
		for _, column := range lawColumns {
			fields = append(fields, object{"fieldPath": column, "nativeDataType": "n", "type": object{"type": object{"com.linkedin.schema.NumberType": object{}}}})
		}
		if i > 2 && g.random.IntN(6) == 0 {
			parent := g.pick()
			keys = append(keys, object{"name": "fk", "foreignFields": []string{catalogtest.ColumnOf(parent, g.column())}, "sourceFields": []string{catalogtest.ColumnOf(urn, "a")}, "foreignDataset": parent})
		}
		g.say(t, urn, "schemaMetadata", object{
			"schemaName": "s", "platform": "urn:li:dataPlatform:postgres", "version": 0, "hash": "", "fields": fields, "foreignKeys": keys,
			"platformSchema": object{"com.linkedin.schema.OtherSchema": object{"rawSchema": ""}},
		})
		if i > 2 {
			g.derive(t, urn)
		}
		g.tables = append(g.tables, urn)
		g.about(t, i)
	}
	return g.out
}

// some returns a list that is mostly one item, and sometimes empty.
func some[T any](g *lawGraph, item T) []T {
	if g.random.IntN(3) == 0 {
		return []T{}
	}
	return []T{item}
}

// derive states the upstream tables of an entity, with or without columns, with or without SQL.
func (g *lawGraph) derive(t *testing.T, urn string) {
	upstreams, fine, joins := []object{}, []object{}, []string{}
	for range 1 + g.random.IntN(2) {
		up := g.pick()
		alone := g.random.IntN(5) == 0
		if !alone {
			upstreams = append(upstreams, object{"dataset": up, "type": "VIEW"})
		}
		if alone || g.random.IntN(3) > 0 {
			fine = append(fine, object{
				"upstreamType": "FIELD_SET", "upstreams": []string{catalogtest.ColumnOf(up, g.column())}, "downstreamType": "FIELD", "downstreams": []string{catalogtest.ColumnOf(urn, g.column())},
			})
		}
		_, table, _ := strings.Cut(model.StoredURN(up).Parts()[1], ".")
		joins = append(joins, table)
	}
	g.say(t, urn, "upstreamLineage", object{"upstreams": upstreams, "fineGrainedLineages": fine})
	if g.random.IntN(2) == 0 {
		text := "select x." + g.column() + " from " + joins[0] + " x"
		if len(joins) > 1 {
			text += " join " + joins[1] + " y on x." + g.column() + " = y." + g.column()
		}
		if g.random.IntN(6) == 0 {
			text = "select * from " + joins[0]
		}
		g.say(t, urn, "viewProperties", object{"materialized": false, "viewLanguage": "SQL", "viewLogic": text})
	}
}

// about writes at most one entity about or downstream of a random table: an assertion, a query,
// a chart or a job.
func (g *lawGraph) about(t *testing.T, i int) {
	stamp := object{"time": 1, "actor": catalogtest.Ada}
	of := g.pick()
	switch g.random.IntN(8) {
	case 0:
		g.say(t, fmt.Sprintf("urn:li:assertion:%s-%d", g.name, i), "assertionInfo", object{
			"type": "DATASET", "datasetAssertion": object{"dataset": of, "scope": "DATASET_COLUMN", "operator": "NOT_NULL", "fields": []string{catalogtest.ColumnOf(of, g.column())}},
		})
	case 1:
		urn := fmt.Sprintf("urn:li:query:%s-%d", g.name, i)
		g.say(t, urn, "queryProperties", object{
			"statement": object{"value": "select " + g.column() + " from " + model.StoredURN(of).Parts()[1], "language": "SQL"}, "source": "MANUAL", "created": stamp, "lastModified": stamp,
		})
		subject := of
		if g.random.IntN(2) == 0 {
			subject = catalogtest.ColumnOf(of, g.column())
		}
		g.say(t, urn, "querySubjects", object{"subjects": []object{{"entity": subject}}})
	case 2:
		urn := fmt.Sprintf("urn:li:chart:(looker,%s%d)", g.name, i)
		g.say(t, urn, "chartInfo", object{"title": "c", "description": "", "lastModified": object{"created": stamp, "lastModified": stamp}, "inputEdges": some(g, object{"destinationUrn": of})})
		g.say(t, urn, "inputFields", object{"fields": []object{{"schemaFieldUrn": catalogtest.ColumnOf(of, g.column()), "schemaField": object{
			"fieldPath": "x", "nativeDataType": "n", "type": object{"type": object{"com.linkedin.schema.NumberType": object{}}},
		}}}})
		g.say(t, fmt.Sprintf("urn:li:dashboard:(looker,%s%d)", g.name, i), "dashboardInfo", object{
			"title": "d", "description": "", "charts": []string{urn}, "lastModified": object{"created": stamp, "lastModified": stamp},
		})
	case 3, 4:
		to := g.pick()
		g.say(t, fmt.Sprintf("urn:li:dataJob:(urn:li:dataFlow:(airflow,%s,PROD),j%d)", g.name, i), "dataJobInputOutput", object{
			"inputDatasets": some(g, of), "outputDatasets": some(g, to), "fineGrainedLineages": []object{{
				"upstreamType": "FIELD_SET", "upstreams": []string{catalogtest.ColumnOf(of, g.column())}, "downstreamType": "FIELD", "downstreams": []string{catalogtest.ColumnOf(to, g.column())},
			}},
		})
	}
}

// check checks the law for some columns.
func (g *lawGraph) check(t *testing.T, c *services.Services, change string, starts int) {
	t.Helper()
	impacts := map[string]*lineage.Impact{}
	of := func(column string) *lineage.Impact {
		if impacts[column] == nil {
			impact, err := c.Lineage.Impact(context.Background(), lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(column)}, Change: change})
			if err != nil {
				t.Fatal(err)
			}
			impacts[column] = impact
		}
		return impacts[column]
	}
	checks, broken := 0, []string{}
	// Some catalogs have little lineage; the walks then begin at more columns.
	for begun := 0; begun < starts || checks < starts && begun < 20*starts; begun++ {
		start := catalogtest.ColumnOf(g.pick(), g.column())
		affected := map[string]bool{assetOf(start): true}
		for _, e := range of(start).Entities {
			affected[e.URN] = true
		}
		for _, e := range of(start).Entities {
			columns := e.Columns
			if e.Whole {
				columns = lawColumns
			}
			if e.Type != model.EntityDataset {
				continue
			}
			for _, column := range columns {
				for _, behind := range of(catalogtest.ColumnOf(e.URN, column)).Entities {
					if checks++; behind.Effect == lineage.EffectCertain && !affected[behind.URN] {
						broken = append(broken, fmt.Sprintf("%s of %s affects %s (%s, %s), whose %s certainly affects %s (%s: %s)", change, start, e.URN, e.Effect, e.Because, column, behind.URN, behind.Because, behind.Why))
					}
				}
			}
		}
	}
	if len(broken) > 0 || checks < starts {
		t.Errorf("%s: %d of %d checks are broken:\n%s", change, len(broken), checks, strings.Join(slices.Compact(broken)[:min(5, len(slices.Compact(broken)))], "\n"))
	}
}

type object = map[string]any

func assetOf(column string) string { return model.StoredURN(column).Parts()[0] }
