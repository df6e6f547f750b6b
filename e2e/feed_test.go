package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
)

// TestFeed: if a column is dropped, the owner of a table two hops downstream is told over
// REST, in a page of events and by a webhook.
func TestFeed(t *testing.T) {
	s := start(t, "--data", t.TempDir(), "--webhook-private")
	taken := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err == nil && r.Header.Get("webhook-signature") != "" {
			taken <- string(body)
		}
	}))
	t.Cleanup(receiver.Close)
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
	c.want(http.StatusCreated, http.MethodPost, "/webhooks", fmt.Sprintf(`{"url":%q,"filter":{"format":"feed","actors":["urn:li:corpuser:bo"]}}`, receiver.URL))
	c.propose(http.StatusOK, "UPSERT", table("raw"), "schemaMetadata", schema("b"))
	told := func(how string, of any) {
		item := of.(map[string]any)
		affected := item["affected"].([]any)[0].(map[string]any)
		c.equal(how, fmt.Sprint(item["entity"], affected["urn"], affected["effect"], affected["degree"], len(affected["path"].([]any))), fmt.Sprint(table("raw"), table("mart"), "certain", 2, 3))
	}
	var items []any
	testclock.Poll(time.Minute, func() bool {
		answer := c.want(http.StatusOK, http.MethodGet, "/feed?actor=urn%3Ali%3Acorpuser%3Abo", "").(map[string]any)
		items = answer["items"].([]any)
		return len(items) > 0
	})
	if len(items) != 1 {
		t.Fatalf("feed: %v", items)
	}
	told("the feed", items[0])
	var body struct {
		Type string `json:"type"`
		Data []any  `json:"data"`
	}
	if err := json.Unmarshal([]byte(<-taken), &body); err != nil || body.Type != "feed" || len(body.Data) != 1 {
		t.Fatalf("webhook: %+v, %v", body, err)
	}
	told("the webhook", body.Data[0])
	page := c.want(http.StatusOK, http.MethodGet, "/events?format=feed&actor=urn%3Ali%3Acorpuser%3Abo&limit=1000", "").(map[string]any)
	told("the page of events", page["events"].([]any)[0])
	c.want(http.StatusBadRequest, http.MethodGet, "/feed", "")
	c.want(http.StatusBadRequest, http.MethodGet, "/feed?actor=urn%3Ali%3Atag%3Abo", "")
	c.want(http.StatusNotFound, http.MethodPost, "/subscriptions", `{"actor":"urn:li:corpuser:bo","entity":"urn:li:tag:none"}`)
	c.want(http.StatusBadRequest, http.MethodPost, "/subscriptions", `{"actor":"urn:li:corpuser:bo"}`)
	s.stop()
}
