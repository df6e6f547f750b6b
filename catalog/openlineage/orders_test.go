package openlineage_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/openlineage"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/model"
)

// graphOf is a catalog's state of the entities that are not removed: the latest value of each aspect, and the
// values of time series.
func graphOf(t *testing.T, h *catalogtest.Harness) map[string]any {
	t.Helper()
	graph, removed := map[string]any{}, map[string]bool{}
	err := h.Transfer.Export(t.Context(), func(line *transfer.ExportLine) error {
		if e := line.Entity; e != nil {
			for _, v := range e.Versions {
				if !v.Latest {
					continue
				}
				var value map[string]any
				if err := json.Unmarshal(v.Value, &value); err != nil {
					return err
				}
				delete(value, "lastModified") // the server's clock
				if v.Aspect == model.AspectStatus && value["removed"] != true {
					continue // another name was told first, and the entity was removed until then
				}
				if tags, ok := value["tags"].([]any); ok && len(tags) == 0 && v.Aspect == model.AspectGlobalTags {
					continue // the last tag was removed
				}
				graph[e.URN+" "+v.Aspect] = value
				if v.Aspect == model.AspectStatus && value["removed"] == true {
					removed[e.URN] = true
				}
			}
		}
		if s := line.TimeSeries; s != nil {
			values, _ := graph[s.URN+" "+s.Aspect].([]any)
			for _, v := range s.Values {
				var value any
				if err := json.Unmarshal(v.Value, &value); err != nil {
					return err
				}
				values = append(values, value)
			}
			graph[s.URN+" "+s.Aspect] = values
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range graph {
		for urn := range removed {
			if len(name) > len(urn) && name[:len(urn)+1] == urn+" " {
				delete(graph, name)
			}
		}
	}
	return graph
}

func takeAll(t *testing.T, h *catalogtest.Harness, events []string) {
	t.Helper()
	for _, text := range events {
		if err := h.OpenLineage.Take(t.Context(), json.RawMessage(text), catalog.WriteOptions{Actor: catalogtest.Ada}); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
}

const (
	dagRun   = "0190c3a0-0000-7000-8000-000000000001"
	taskRun  = "0190c3a0-0000-7000-8000-000000000002"
	sparkRun = "0190c3a0-0000-7000-8000-000000000003"
	nextRun  = "0190c3a0-0000-7000-8000-000000000004"
	lostRun  = "0190c3a0-0000-7000-8000-000000000005"
)

// ran is the event of a run.
func ran(kind, at, run, runFacets, job, more string) string {
	return fmt.Sprintf(`{"eventType":%q,"eventTime":"2026-11-27T%sZ","producer":"https://github.com/OpenLineage/OpenLineage/tree/1.53.0/integration/spark","run":{"runId":%q,"facets":{%s}},"job":%s%s}`,
		kind, at, run, runFacets, job, more)
}

const (
	engineOfAirflow = `"processing_engine":{"version":"2.11.0","name":"Airflow"}`
	dag             = `{"namespace":"prod","name":"nightly","facets":{"documentation":{"description":"Loads the lake."},"jobType":{"processingType":"BATCH","integration":"AIRFLOW","jobType":"DAG"}}}`
	task            = `{"namespace":"prod","name":"nightly.load","facets":{"jobType":{"processingType":"BATCH","integration":"AIRFLOW","jobType":"TASK"},"ownership":{"owners":[{"name":"team:lake","type":"DEVELOPER"}]}}}`
	spark           = `{"namespace":"prod","name":"loader.insert","facets":{"jobType":{"processingType":"BATCH","integration":"SPARK","jobType":"SQL_JOB"}}}`
	parentDAG       = `"parent":{"run":{"runId":"` + dagRun + `"},"job":{"namespace":"prod","name":"nightly"}}`
	parentTask      = `"parent":{"run":{"runId":"` + taskRun + `"},"job":{"namespace":"prod","name":"nightly.load"},"root":{"run":{"runId":"` + dagRun + `"},"job":{"namespace":"prod","name":"nightly"}}}`
	orders          = `{"namespace":"postgres://db:5432","name":"shop.public.orders","facets":{"schema":{"fields":[{"name":"id","type":"bigint"},{"name":"amount","type":"numeric(10,2)","description":"in euro"}]}}}`
	lakePath        = `"namespace":"s3://lake","name":"warehouse/orders"`
	lakeSchema      = `"schema":{"fields":[{"name":"id","type":"long"},{"name":"day","type":"struct","fields":[{"name":"month","type":"int"}]}]}`
	lakeColumns     = `"columnLineage":{"fields":{"id":{"inputFields":[{"namespace":"postgres://db:5432","name":"shop.public.orders","field":"id","transformations":[{"type":"DIRECT","subtype":"IDENTITY"}]},{"namespace":"postgres://db:5432","name":"shop.public.orders","field":"amount","transformations":[{"type":"INDIRECT","subtype":"FILTER"}]}]}}}`
	lakeLink        = `"symlinks":{"identifiers":[{"namespace":"arn:aws:glue:eu-west-1:123","name":"table/lake/orders","type":"TABLE"}]}`
)

// day are the events of a day: tasks without inputs at their start, names that are told later, facets that are
// replaced and deleted, a run that completes after it has failed, and two events at one moment.
func day() []string {
	return []string{
		ran("START", "01:00:00", dagRun, engineOfAirflow+`,"nominalTime":{"nominalStartTime":"2026-11-27T01:00:00Z"}`, dag, ""),
		ran("START", "01:00:05", taskRun, engineOfAirflow+","+parentDAG, task, ""),
		ran("OTHER", "01:00:06", sparkRun, parentTask, spark, `,"inputs":[],"outputs":[]`),
		ran("START", "01:00:07.123456789", sparkRun, parentTask, spark, `,"inputs":[`+orders+`],"outputs":[{`+lakePath+`}]`),
		ran("RUNNING", "01:00:30", sparkRun, parentTask, spark, `,"outputs":[{`+lakePath+`,"facets":{`+lakeSchema+`},"outputFacets":{"outputStatistics":{"rowCount":0}}}]`),
		ran("RUNNING", "01:05:00", sparkRun, "", spark, `,"inputs":[],"outputs":[]`),
		ran("COMPLETE", "01:05:00", sparkRun, `"errorMessage":null`, spark, `,"inputs":[`+orders+`],"outputs":[{`+lakePath+`,"facets":{`+lakeSchema+","+lakeColumns+","+lakeLink+`},"outputFacets":{"outputStatistics":{"rowCount":12,"size":4096}}}]`),
		ran("COMPLETE", "01:05:10", taskRun, parentDAG, task, `,"inputs":[{"namespace":"postgres://db:5432","name":"shop.public.orders"}],"outputs":[{`+lakePath+`}]`),
		ran("COMPLETE", "01:05:11", dagRun, "", dag, ""),
		ran("START", "01:06:00", lostRun, parentTask, spark, `,"outputs":[{`+lakePath+`}]`),
		ran("FAIL", "01:06:05", lostRun, `"errorMessage":{"message":"unknown rate","programmingLanguage":"java"}`, spark, `,"outputs":[{`+lakePath+`}]`),
		ran("COMPLETE", "01:06:06", lostRun, "", spark, `,"outputs":[{`+lakePath+`}]`),
		ran("START", "02:00:00", nextRun, parentDAG, task, ""),
		ran("FAIL", "02:00:00", nextRun, `"errorMessage":{"message":"no such table","programmingLanguage":"python"}`, task, ""),
		`{"eventTime":"2026-11-27T03:00:00Z","schemaURL":"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetEvent","dataset":{"namespace":"postgres://db:5432","name":"shop.public.orders","facets":{"documentation":{"description":"All orders."},"tags":{"tags":[{"key":"gold","value":"true"}]},"ownership":{"owners":[{"name":"user:ada"}]}}}}`,
		`{"eventTime":"2026-11-27T04:00:00Z","schemaURL":"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetEvent","dataset":{"namespace":"postgres://db:5432","name":"shop.public.orders","facets":{"tags":{"_deleted":true},"documentation":{"description":"All orders of the shop."}}}}`,
		`{"eventTime":"2026-11-27T05:00:00Z","job":{"namespace":"prod","name":"view"},"inputs":[{"namespace":"postgres://db:5432","name":"shop.public.orders"}],"outputs":[{"namespace":"postgres://db:5432","name":"shop.public.old"}]}`,
		`{"eventTime":"2026-11-27T06:00:00Z","job":{"namespace":"prod","name":"view"},"inputs":[{"namespace":"postgres://db:5432","name":"shop.public.orders"}],"outputs":[{"namespace":"postgres://db:5432","name":"shop.public.big_orders"}]}`,
	}
}

// TestAnyOrder compares the exports after the events of a day in several orders, some events repeated: one by one, in
// one batch, and by several clients at once.
func TestAnyOrder(t *testing.T) {
	seed := testseed.Of(t)
	random := rand.New(rand.NewPCG(seed, seed))
	inOrder := catalogtest.NewHarness(t)
	takeAll(t, inOrder, day())
	want := graphOf(t, inOrder)
	compare := func(t *testing.T, h *catalogtest.Harness, take func(*testing.T, *catalogtest.Harness, []string)) {
		t.Helper()
		events := day()
		for range 5 {
			events = append(events, events[random.IntN(len(events))])
		}
		random.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		take(t, h, events)
		if diff := cmp.Diff(want, graphOf(t, h)); diff != "" {
			t.Fatalf("the graph depends on the order (- in order, + in another one):\n%s", diff)
		}
	}
	ways := []func(*testing.T, *catalogtest.Harness, []string){takeAll, takeTogether, takeAtOnce}
	t.Run("embedded", func(t *testing.T) {
		for i := range 12 {
			h := catalogtest.NewHarness(t)
			if i%2 == 0 {
				alone(h)
			}
			compare(t, h, ways[i%len(ways)])
		}
	})
	t.Run("neo4j", func(t *testing.T) {
		uri := testservers.Neo4j(t)
		for _, way := range ways {
			testservers.WipeNeo4j(t, uri)
			compare(t, catalogtest.HarnessOn(t, catalogtest.OpenNeo4j(t, uri)), way)
		}
	})
}

// TestSpacesOfAMoment: of two events of one moment that differ in a facet, the same one counts in any order, also if an event has
// spaces and letters that states store in another way.
func TestSpacesOfAMoment(t *testing.T) {
	told := func(description string) string {
		return ran("COMPLETE", "01:00:00", sparkRun, "", `{"namespace":"prod","name":"nightly","facets":{"documentation":`+description+`}}`, `,"outputs":[{`+lakePath+`}]`)
	}
	texts := []string{
		told(`{ "description" : "a" }`), told(`{"description":"b"}`), told("{\n  \"description\": \"<c>\"\n}"), told(`{"description":"\u003cd>"}`),
	}
	after := func(events ...string) map[string]any {
		h := catalogtest.NewHarness(t)
		takeAll(t, h, events)
		return graphOf(t, h)
	}
	for i, first := range texts {
		for k, second := range texts[:i] {
			if diff := cmp.Diff(after(first, second), after(second, first)); diff != "" {
				t.Errorf("the graph depends on the order of events %d and %d: %s", i, k, diff)
			}
		}
	}
}

// TestEmptyParametersOfAssertions: an assertion with empty parameters is the one without parameters.
func TestEmptyParametersOfAssertions(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for i, params := range []string{``, `,"params":{}`, `,"params":null`} {
		takeAll(t, h, []string{ran("COMPLETE", fmt.Sprintf("01:00:0%d", i), sparkRun, "", spark,
			`,"inputs":[{`+lakePath+`,"inputFacets":{"dataQualityAssertions":{"assertions":[{"assertion":"not_null","success":true,"column":"id"`+params+`}]}}}]`)})
	}
	count := 0
	for name := range graphOf(t, h) {
		if strings.HasPrefix(name, "urn:li:assertion:") && strings.HasSuffix(name, " "+model.AspectAssertionInfo) {
			count++
		}
	}
	if count != 1 {
		t.Errorf("one assertion has become %d", count)
	}
}

// alone lets the service keep states in memory, as a server on the embedded store does.
func alone(h *catalogtest.Harness, more ...func(*openlineage.Options)) {
	o := openlineage.Options{
		Registry: model.Default(), Store: h.Store, Writer: h.Writer, Records: records.New(h.Store), Logger: slog.New(slog.DiscardHandler), Alone: true,
		Events: 3, // fewer than some runs have
	}
	for _, set := range more {
		set(&o)
	}
	h.OpenLineage = openlineage.New(o)
}

// takeTogether takes events as one batch.
func takeTogether(t *testing.T, h *catalogtest.Harness, events []string) {
	t.Helper()
	texts := make([]json.RawMessage, len(events))
	for i, text := range events {
		texts[i] = json.RawMessage(text)
	}
	for i, err := range h.OpenLineage.TakeAll(t.Context(), texts, catalog.WriteOptions{Actor: catalogtest.Ada}) {
		if err != nil {
			t.Fatalf("%v\n%s", err, events[i])
		}
	}
}

// takeAtOnce takes events from several clients at the same time.
func takeAtOnce(t *testing.T, h *catalogtest.Harness, events []string) {
	t.Helper()
	var group errgroup.Group
	group.SetLimit(8)
	for _, text := range events {
		group.Go(func() error {
			return h.OpenLineage.Take(t.Context(), json.RawMessage(text), catalog.WriteOptions{Actor: catalogtest.Ada})
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}

// TestAnswersOfGroup: events that come together have answers of their own. If their group is not written, each is
// tried alone.
func TestAnswersOfGroup(t *testing.T) {
	h := catalogtest.NewHarness(t)
	texts := []json.RawMessage{json.RawMessage(day()[0]), json.RawMessage(`{"eventTime":"2026-11-27T10:00:00Z"}`), json.RawMessage(day()[1])}
	take := func() []error {
		return h.OpenLineage.TakeAll(t.Context(), texts, catalog.WriteOptions{Actor: catalogtest.Ada})
	}
	h.Store.FailUpdateAt = h.Store.Updates.Load() + 1
	if errs := take(); errs[0] != nil || catalog.CodeOf(errs[1]) != catalog.Invalid || errs[2] != nil {
		t.Errorf("the answers of a group that fails once are %v", errs)
	}
	h.Store.Fail = graphstore.ErrUnavailable
	texts[0] = json.RawMessage(day()[3])
	if errs := take(); catalog.CodeOf(errs[0]) != catalog.Unavailable || catalog.CodeOf(errs[1]) != catalog.Invalid {
		t.Errorf("the answers of a store that is away are %v", errs)
	}
}
