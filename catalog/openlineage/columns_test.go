package openlineage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// inputsOf returns the URNs of the inputs of a job with one output, and of those of its run.
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

// TestColumnsTellManyInputs: the inputs that column lineage names count to those that an event may have.
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
