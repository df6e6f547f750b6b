package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/model"
)

// TestFeed: the owner of a table two hops downstream is told of a dropped column, over
// REST.
func TestFeed(t *testing.T) {
	s := start(t)
	c := &dialectClient{server: s, t: t, d: model.LI()}
	table := func(name string) string { return "urn:li:dataset:(urn:li:dataPlatform:hive,feed." + name + ",PROD)" }
	schema := func(columns ...string) string {
		for i, path := range columns {
			columns[i] = fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}}`, path)
		}
		return `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.Schemaless":{}},"fields":[` + strings.Join(columns, ",") + `]}`
	}
	derives := func(from, path, to string) string {
		return fmt.Sprintf(`{"upstreams":[{"dataset":%q,"type":"TRANSFORMED"}],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","upstreams":["urn:li:schemaField:(%s,%s)"],"downstreamType":"FIELD","downstreams":["urn:li:schemaField:(%s,a)"]}]}`, from, from, path, to)
	}
	c.propose(http.StatusOK, "UPSERT", table("raw"), "schemaMetadata", schema("a", "b"))
	c.propose(http.StatusOK, "UPSERT", table("clean"), "upstreamLineage", derives(table("raw"), "a", table("clean")))
	c.propose(http.StatusOK, "UPSERT", table("mart"), "upstreamLineage", derives(table("clean"), "a", table("mart")))
	c.propose(http.StatusOK, "UPSERT", table("mart"), "ownership", `{"owners":[{"owner":"urn:li:corpuser:bo","type":"TECHNICAL_OWNER"}],"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}`)
	c.propose(http.StatusOK, "UPSERT", table("raw"), "schemaMetadata", schema("b"))
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		answer := c.want(http.StatusOK, http.MethodGet, "/feed?actor=urn%3Ali%3Acorpuser%3Abo", "").(map[string]any)
		items := answer["items"].([]any)
		if len(items) == 0 && time.Now().Before(deadline) {
			continue
		}
		if len(items) != 1 {
			t.Fatalf("feed: %v", answer)
		}
		item := items[0].(map[string]any)
		affected := item["affected"].([]any)[0].(map[string]any)
		c.equal("affected", fmt.Sprint(item["entity"], affected["urn"], affected["effect"], affected["degree"], len(affected["path"].([]any))), fmt.Sprint(table("raw"), table("mart"), "certain", 2, 3))
		break
	}
	c.want(http.StatusBadRequest, http.MethodGet, "/feed", "")
	c.want(http.StatusBadRequest, http.MethodGet, "/feed?actor=urn%3Ali%3Atag%3Abo", "")
	c.want(http.StatusNotFound, http.MethodPost, "/subscriptions", `{"actor":"urn:li:corpuser:bo","entity":"urn:li:tag:none"}`)
	c.want(http.StatusBadRequest, http.MethodPost, "/subscriptions", `{"actor":"urn:li:corpuser:bo"}`)
	s.stop()
}
