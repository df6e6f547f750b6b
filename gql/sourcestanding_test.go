package gql_test

import (
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/model"
)

// TestHowSourcesStand: a source tells why it cannot run, since when its runs fail, and, after a good run, which
// entities that run did not see.
func TestHowSourcesStand(t *testing.T) {
	c := testcatalog.New(t)
	const broken, shop = "urn:li:dataHubIngestionSource:broken", "urn:li:dataHubIngestionSource:shop"
	writeAspect(t, c, broken, "dataHubIngestionSourceInfo", `{"name":"Broken","type":"hive","config":{"recipe":"source: {}"}}`)
	writeAspect(t, c, shop, "dataHubIngestionSourceInfo", `{"name":"Shop","type":"hive","config":{"recipe":"{\"source\":{\"type\":\"hive\"}}"}}`)
	for i, status := range []string{"SUCCESS", "FAILURE", "FAILURE"} {
		urn := fmt.Sprint("urn:li:dataHubExecutionRequest:r", i)
		writeAspect(t, c, urn, "dataHubExecutionRequestInput", fmt.Sprintf(`{"task":"RUN_INGEST","args":{},"executorId":"e","source":{"type":"CLI","ingestionSource":%q},"requestedAt":%d}`, broken, i+1))
		writeAspect(t, c, urn, "dataHubExecutionRequestResult", fmt.Sprintf(`{"status":%q,"startTimeMs":%d}`, status, i+1))
	}
	h := gql.New(gql.Options{Catalog: c})
	standing := func(urn, want string) step {
		return step{`query ingestionSource(urn: "` + urn + `") { problem failingSince { run status at runs lastAt } unseen(start: 0, count: 5) { start total partial entities { urn } } }`, want, ""}
	}
	askAll(t, h, []step{
		standing(broken, `{"problem":"The recipe must be a JSON object, such as {\"source\": {\"type\": \"postgres\", \"config\": {}}}.","failingSince":{"run":"r1","status":"FAILURE","at":2,"runs":2,"lastAt":3},"unseen":null}`),
		standing(shop, `{"problem":null,"failingSince":null,"unseen":null}`),
	})
	request, err := c.Ingestion.Request(t.Context(), model.StoredURN(shop), catalog.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.Ingestion.Take(t.Context(), ingestion.Claim{Worker: "w"})
	if err != nil || run == nil || run.URN != request {
		t.Fatalf("%+v, %v", run, err)
	}
	if err := c.Ingestion.End(t.Context(), ingestion.Outcome{Lease: run.Lease, Status: ingestion.StatusSuccess}); err != nil {
		t.Fatal(err)
	}
	askAll(t, h, []step{
		standing(shop, `{"problem":null,"failingSince":null,"unseen":{"start":0,"total":0,"partial":false,"entities":[]}}`),
		{`query ingestionSource(urn: "` + shop + `") { unseen(count: 100000) { total } }`, "", "count must be from 0"},
	})
}
