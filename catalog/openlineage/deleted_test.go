package openlineage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// deletedEntities are the entities of [day] that the test deletes.
const (
	deletedTable = "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.orders,PROD)"
	deletedLake  = "urn:li:dataset:(urn:li:dataPlatform:glue,lake.orders,PROD)"
	deletedJob   = "urn:li:dataJob:(urn:li:dataFlow:(spark,nightly,prod),loader.insert)"
	deletedRun   = "urn:li:dataProcessInstance:" + lostRun
)

// TestDeletedStaysDeleted: events that come after a complete deletion tell of a new entity, without what former events
// have told.
func TestDeletedStaysDeleted(t *testing.T) {
	catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) {
		h := catalogtest.HarnessOn(t, store)
		alone(h)
		takeAll(t, h, day())
		for _, text := range []string{deletedTable, deletedLake, deletedJob, deletedRun} {
			urn, err := model.ParseURN(text)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := h.Removal.Delete(t.Context(), urn, false, catalog.WriteOptions{Actor: catalogtest.Ada}); err != nil {
				t.Fatal(err)
			}
		}
		// The job view has read the table, the job loader.insert has written files that were the table of the lake. Neither
		// event tells of more than its job or dataset.
		takeAll(t, h, []string{
			ran("START", "08:00:00", "later", "", `{"namespace":"prod","name":"view"}`, ""),
			ran("START", "08:00:00", "again", parentTask, spark, `,"outputs":[{`+lakePath+`}]`),
			ran("RUNNING", "08:00:00", lostRun, "", `{"namespace":"prod","name":"other"}`, ""),
			`{"eventTime":"2026-11-27T09:00:00Z","dataset":{"namespace":"postgres://db:5432","name":"shop.public.orders","facets":{"datasetType":{"datasetType":"VIEW"}}}}`,
		})
		graph := graphOf(t, h)
		for name, absent := range map[string]string{
			"urn:li:dataJob:(urn:li:dataFlow:(unknown,view,prod),view) dataJobInputOutput":           deletedTable,
			deletedTable + " schemaMetadata":                                                         "",
			deletedTable + " ownership":                                                              "",
			deletedTable + " datasetProperties":                                                      "All orders",
			deletedLake + " datasetKey":                                                              "",
			"urn:li:dataJob:(urn:li:dataFlow:(spark,nightly,prod),loader.insert) dataJobInputOutput": "fineGrainedLineages",
			deletedRun + " dataProcessInstanceOutput":                                                "",
			deletedRun + " dataProcessInstanceProperties":                                            "unknown rate",
		} {
			value, exists := graph[name]
			if exists && (absent == "" || strings.Contains(fmt.Sprint(value), absent)) {
				t.Errorf("%s is back: %v", name, value)
			}
		}
		for _, name := range []string{
			deletedTable + " subTypes", deletedRun + " dataProcessInstanceProperties", deletedJob + " dataJobInfo",
			"urn:li:dataset:(urn:li:dataPlatform:s3,lake/warehouse/orders,PROD) datasetKey",
		} {
			if graph[name] == nil {
				t.Errorf("%s is missing", name)
			}
		}
	})
}
