package gql_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// withoutBefore is a store that cannot read older versions.
type withoutBefore struct{ graphstore.Store }

func (withoutBefore) VersionsBefore(context.Context, []graphstore.AspectKey, graphstore.Origin) ([]*graphstore.Aspect, error) {
	return nil, graphstore.ErrUnavailable
}

// TestPreviewPosition: a preview continues from the position at which a part of the preview
// ended, and any other position is refused.
func TestPreviewPosition(t *testing.T) {
	c := testcatalog.New(t)
	_, err := c.Ingest(t.Context(), write.Proposal{
		EntityType: "dataset", EntityURN: orders, AspectName: "datasetProperties", Aspect: &write.GenericAspect{Value: []byte(`{"description":"d"}`), ContentType: "application/json"},
		System: &catalog.SystemMetadata{RunID: "previewed"},
	}, catalog.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	h := gql.New(gql.Options{Catalog: c})
	for _, test := range []struct{ after, want string }{
		{"rows:", `{"rollbackPreview":{"entitiesAffected":1,"next":null}}`},
		{"rows:?", `"code":400`},
		{"nowhere", `is not a position of a rollback`},
	} {
		got := ask(t, h, `{ rollbackPreview(runId: "previewed", after: "`+test.after+`") { entitiesAffected next } }`, nil)
		if !strings.Contains(got, test.want) {
			t.Errorf("%q: %s", test.after, got)
		}
	}
}

// TestRunWithoutItsValues: if the values of a run cannot be read, the answer is an error and
// not a page without values.
func TestRunWithoutItsValues(t *testing.T) {
	c := testcatalog.Wrapped(t, func(s graphstore.Store) graphstore.Store { return withoutBefore{s} })
	writeAspect(t, c, orders, "editableDatasetProperties", `{"description":"d"}`)
	h := gql.New(gql.Options{Catalog: c})
	got := ask(t, h, `{ run(input: {runId: "no-run-id-provided", values: true}) { total effects { after } } }`, nil)
	if !strings.Contains(got, `"errors"`) || strings.Contains(got, "effects\":[") {
		t.Errorf("got %s", got)
	}
}

// TestListRunsCountsAsRollback: the list of runs counts the rows that a soft rollback would
// roll back, as the list of REST does. Rows of entities that others soft-deleted do not count.
func TestListRunsCountsAsRollback(t *testing.T) {
	c := testcatalog.New(t)
	hidden := strings.Replace(orders, "orders", "hidden", 1)
	in := func(run, urn, aspect, value string) {
		t.Helper()
		if _, err := c.Ingest(t.Context(), write.Proposal{
			EntityType: "dataset", EntityURN: urn, AspectName: aspect, Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"},
			System: &catalog.SystemMetadata{RunID: run},
		}, catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	in("nightly", orders, "datasetProperties", `{"description":"a"}`)
	in("nightly", hidden, "datasetProperties", `{"description":"b"}`)
	in("gone", hidden, "globalTags", `{"tags":[]}`)
	// The newest run is the first one by its name too: the two last writes may have the same millisecond.
	in("hiding", hidden, "status", `{"removed":true}`)
	listed, _, err := c.Removal.Runs(t.Context(), 0, 10, false)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int64{}
	for _, r := range listed {
		rows[r.RunID] = r.Rows
	}
	preview, err := c.Removal.RollbackPreview(t.Context(), removal.RollbackRequest{Origin: removal.Origin{RunID: "nightly"}})
	if err != nil || preview.RowsOfRun != rows["nightly"] {
		t.Fatalf("the preview counts %d rows, the list %d, %v", preview.RowsOfRun, rows["nightly"], err)
	}
	h := gql.New(gql.Options{Catalog: c})
	want := fmt.Sprintf(`{"runId":"nightly","rows":%d,"entities":null}`, rows["nightly"])
	for query, form := range map[string]string{
		`{ listRuns(input: {count: 10}) { total runs { runId rows entities } } }`: `{"listRuns":{"total":2,"runs":[{"runId":"hiding","rows":1,"entities":1},%s]}}`,
		`{ run(input: {runId: "nightly"}) { summary { runId rows entities } } }`:  `{"run":{"summary":%s}}`,
	} {
		if got, want := ask(t, h, query, nil), fmt.Sprintf(form, want); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
}

// TestRunsOfJobs: the runs of a job come newest first, whatever their names and the order in which they were written.
func TestRunsOfJobs(t *testing.T) {
	c := testcatalog.New(t)
	job := "urn:li:dataJob:(urn:li:dataFlow:(airflow,nightly,prod),load)"
	writeAspect(t, c, job, "dataJobInfo", `{"name":"load","type":{"string":"COMMAND"}}`)
	for name, created := range map[string]int{"a": 2, "b": 3, "c": 1} {
		run := "urn:li:dataProcessInstance:" + name
		writeAspect(t, c, run, "dataProcessInstanceProperties", fmt.Sprintf(`{"name":%q,"created":{"time":%d,"actor":"urn:li:corpuser:ada"}}`, name, created))
		writeAspect(t, c, run, "dataProcessInstanceRelationships", `{"parentTemplate":"`+job+`","upstreamInstances":[]}`)
	}
	h := gql.New(gql.Options{Catalog: c})
	for page, want := range map[string]string{
		"":                    `{"start":0,"count":20,"total":3,"runs":[{"name":"b"},{"name":"a"},{"name":"c"}]}`,
		"(start: 1, count:1)": `{"start":1,"count":1,"total":3,"runs":[{"name":"a"}]}`,
	} {
		answer := ask(t, h, `{ dataJob(urn: "`+job+`") { runs`+page+` { start count total runs { name } } } }`, nil)
		if !strings.Contains(answer, `"runs":`+want) {
			t.Errorf("runs%s: %s", page, answer)
		}
	}
}
