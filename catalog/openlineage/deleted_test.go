package openlineage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/write"
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

// TestDeletedStaysDeleted: events that come after a complete deletion tell of a new entity, without the facts from former
// events.
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

// TestDeletedRunStatesNoAssertion: a run that was deleted does not keep an assertion that the last other run no longer states.
func TestDeletedRunStatesNoAssertion(t *testing.T) {
	h := catalogtest.NewHarness(t)
	alone(h)
	takeAll(t, h, []string{checked(1, sparkRun, notNull), checked(2, lostRun, notNull)})
	urn, err := model.ParseURN(deletedRun)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Removal.Delete(t.Context(), urn, false, catalog.WriteOptions{Actor: catalogtest.Ada}); err != nil {
		t.Fatal(err)
	}
	if n := countOf(t, h, model.AspectAssertionInfo); n != 1 {
		t.Errorf("while a run states the assertion, there are %d", n)
	}
	takeAll(t, h, []string{checked(3, sparkRun, "")})
	if n := countOf(t, h, model.AspectAssertionInfo); n != 0 {
		t.Errorf("no run states an assertion, and there are %d", n)
	}
}

// TestRemovedAssertionStaysRemoved: an assertion that somebody else has removed is not brought back by a run that states it.
func TestRemovedAssertionStaysRemoved(t *testing.T) {
	h := catalogtest.NewHarness(t)
	alone(h)
	takeAll(t, h, []string{checked(1, sparkRun, notNull)})
	for name := range graphOf(t, h) {
		urn, err := model.ParseURN(strings.TrimSuffix(name, " "+model.AspectAssertionInfo))
		if err != nil || !strings.HasSuffix(name, " "+model.AspectAssertionInfo) {
			continue
		}
		removed := write.Proposal{EntityType: urn.EntityType(), EntityURN: urn.String(), ChangeType: write.Upsert, AspectName: model.AspectStatus, Aspect: &write.GenericAspect{Value: []byte(`{"removed":true}`), ContentType: "application/json"}}
		if _, err := h.IngestWhole(t.Context(), []write.Proposal{removed}, catalog.WriteOptions{Actor: catalogtest.Ada}); err != nil {
			t.Fatal(err)
		}
	}
	if n := countOf(t, h, model.AspectAssertionInfo); n != 0 {
		t.Fatalf("%d assertions are there after the removal", n)
	}
	takeAll(t, h, []string{checked(2, lostRun, notNull)})
	if n := countOf(t, h, model.AspectAssertionInfo); n != 0 {
		t.Errorf("%d assertions are back", n)
	}
}
