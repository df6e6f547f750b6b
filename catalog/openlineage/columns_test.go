package openlineage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// inputsOf returns the URNs of the inputs of a job with one output, and of the inputs of its run.
func inputsOf(t *testing.T, h *catalogtest.Harness) (ofJob, ofRun []string) {
	t.Helper()
	for name, value := range graphOf(t, h) {
		switch of := value.(type) {
		case map[string]any:
			if strings.HasSuffix(name, " "+model.AspectDataJobInputOutput) {
				for _, edge := range of["inputDatasetEdges"].([]any) {
					ofJob = append(ofJob, edge.(map[string]any)["destinationUrn"].(string))
				}
			}
			if strings.HasSuffix(name, " "+model.AspectDataProcessInstanceInput) {
				for _, urn := range of["inputs"].([]any) {
					ofRun = append(ofRun, urn.(string))
				}
			}
		}
	}
	return ofJob, ofRun
}

// columnsFrom is the last event of a dbt model whose column lineage names tables that its inputs lack.
func columnsFrom(tables ...string) string {
	var fields []string
	for _, table := range tables {
		fields = append(fields, fmt.Sprintf(`{"namespace":"duckdb:///shop.duckdb","name":%q,"field":"amount","transformations":[]}`, table))
	}
	return `{"eventType":"COMPLETE","eventTime":"2026-11-27T10:00:00Z","run":{"runId":"r"},"job":{"namespace":"n","name":"shop.main.shop.paid"},"inputs":[],
		"outputs":[{"namespace":"duckdb:///shop.duckdb","name":"shop.main.paid","facets":{"columnLineage":{"fields":{"amount":{"inputFields":[` + strings.Join(fields, ",") + `]}}}}}]}`
}

// TestColumnsTellInputs: dbt does not list seeds as inputs of models, but its column lineage names them. The job
// and the run have them as inputs, except the output itself and names that an event may not have.
func TestColumnsTellInputs(t *testing.T) {
	h := catalogtest.NewHarness(t)
	takeAll(t, h, []string{columnsFrom("shop.main.orders", "shop.main.paid", "", strings.Repeat("x", limits.OpenLineageName))})
	ofJob, ofRun := inputsOf(t, h)
	want := "[urn:li:dataset:(urn:li:dataPlatform:duckdb,shop.main.orders,PROD)]"
	if fmt.Sprint(ofJob) != want || fmt.Sprint(ofRun) != want {
		t.Errorf("the job reads %v, the run %v", ofJob, ofRun)
	}
}

// TestColumnsTellManyInputs: the inputs that column lineage names count among the inputs that an event may have.
func TestColumnsTellManyInputs(t *testing.T) {
	tables := make([]string, limits.OpenLineageDatasets+1)
	for i := range tables {
		tables[i] = fmt.Sprintf("shop.main.t%d", i)
	}
	h := catalogtest.NewHarness(t)
	takeAll(t, h, []string{columnsFrom(tables...)})
	if ofJob, _ := inputsOf(t, h); len(ofJob) != limits.OpenLineageDatasets-1 {
		t.Errorf("the job has %d inputs", len(ofJob))
	}
}

// TestExplicitLineage: the facet lineage of a job names inputs, outputs and columns, and counts more than columnLineage.
func TestExplicitLineage(t *testing.T) {
	h := catalogtest.NewHarness(t)
	source := `"namespace":"mysql://db:3306","name":"shop.in","type":"DATASET"`
	takeAll(t, h, []string{
		ran("COMPLETE", "01:00:00", "r", "", `{"namespace":"prod","name":"copy","facets":{"lineage":{"entries":[{"namespace":"hive://h","name":"lake.out","type":"DATASET","inputs":[{`+source+`,"field":"day","transformations":[{"type":"INDIRECT","subtype":"FILTER"}]}],"fields":{"id":{"inputs":[{`+source+`,"field":"key"}]}}},{"type":"JOB","inputs":[{"namespace":"mysql://db:3306","name":"shop.only_read","type":"DATASET"}]}]}}}`,
			`,"outputs":[{"namespace":"hive://h","name":"lake.out","facets":{"columnLineage":{"fields":{"id":{"inputFields":[{"namespace":"mysql://db:3306","name":"shop.wrong","field":"key"}]}}}}}]`),
		`{"eventTime":"2026-11-27T02:00:00Z","dataset":{"namespace":"hive://h","name":"lake.view","facets":{"datasetType":{"datasetType":"VIEW"},"lineage":{"inputs":[{"namespace":"hive://h","name":"lake.out","type":"DATASET"}],"fields":{"id":{"inputs":[{"namespace":"hive://h","name":"lake.out","type":"DATASET","field":"id"}]}}}}}}`,
	})
	graph := graphOf(t, h)
	job := fmt.Sprint(graph["urn:li:dataJob:(urn:li:dataFlow:(spark,copy,prod),copy) dataJobInputOutput"])
	for _, part := range []string{"mysql,shop.in,PROD),key)", "mysql,shop.in,PROD),day)", "INDIRECT:FILTER", "mysql,shop.only_read,PROD)", "destinationUrn:urn:li:dataset:(urn:li:dataPlatform:hive,lake.out,PROD)"} {
		if !strings.Contains(job, part) {
			t.Errorf("the lineage of the job lacks %s: %s", part, job)
		}
	}
	if strings.Contains(job, "shop.wrong") {
		t.Errorf("columnLineage counts beside lineage: %s", job)
	}
	view := fmt.Sprint(graph["urn:li:dataset:(urn:li:dataPlatform:hive,lake.view,PROD) upstreamLineage"])
	for _, part := range []string{"type:VIEW", "dataset:urn:li:dataset:(urn:li:dataPlatform:hive,lake.out,PROD)", "hive,lake.view,PROD),id)"} {
		if !strings.Contains(view, part) {
			t.Errorf("the lineage of the view lacks %s: %s", part, view)
		}
	}
}
