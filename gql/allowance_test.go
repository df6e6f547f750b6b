package gql

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// hub writes a dataset from which many other datasets derive.
func hub(t *testing.T, c *services.Services, others int) string {
	t.Helper()
	urn := "urn:li:dataset:(urn:li:dataPlatform:hive,hub,PROD)"
	for i := range others {
		_, err := c.Ingest(t.Context(), write.Proposal{
			EntityType: "dataset", EntityURN: fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,t%d,PROD)", i), AspectName: "upstreamLineage",
			Aspect: &write.GenericAspect{Value: fmt.Appendf(nil, `{"upstreams":[{"dataset":%q,"type":"COPY","auditStamp":{"time":0,"actor":"urn:li:corpuser:a"}}]}`, urn), ContentType: "application/json"},
		}, catalog.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	return urn
}

func send(h http.Handler, query string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/graphql", strings.NewReader(fmt.Sprintf(`{"query":%q}`, query))))
	return w
}

// TestAllowance: fields and items are counted while an answer is made. Only fields and items
// that exist count, not those that the query would allow. No part of an answer that would be
// too large is sent.
func TestAllowance(t *testing.T) {
	c := testcatalog.New(t)
	urn := hub(t, c, 20)
	h := New(Options{Catalog: c})
	h.largest, h.small = 60, 30
	edges := func(names int) string {
		return `{ ` + repeated(names, `a%d: dataset(urn: "`+urn+`") { relationships(input: {types: [], direction: INCOMING, count: 10000}) { total } } `) + `}`
	}
	if w := send(h, edges(1)); w.Code != http.StatusOK || w.Body.String() != `{"data":{"a0":{"relationships":{"total":20}}},"extensions":{}}` {
		t.Error(w.Code, w.Body)
	}
	want := `{"errors":[{"message":"the answer has more than 60 fields; ask for smaller pages or fewer fields","extensions":{"classification":"DataFetchingException","code":400,"type":"BAD_REQUEST"}}],"data":null,"extensions":{}}`
	for name, query := range map[string]string{
		"items":  edges(4),
		"fields": `{ dataset(urn: "` + urn + `") { relationships(input: {types: [], direction: INCOMING, count: 10000}) { relationships { type entity { urn } } } } }`,
		"hits":   `{ ` + repeated(5, `a%d: searchAcrossLineage(input: {urn: "`+urn+`", direction: DOWNSTREAM, count: 100}) { searchResults { degree } } `) + `}`,
	} {
		if w := send(h, query); w.Code != http.StatusOK || w.Body.String() != want {
			t.Error(name, w.Code, w.Body)
		}
	}
	if n := h.made.Load(); n != 0 {
		t.Errorf("%d fields are still claimed", n)
	}

	h.largest = 1000
	h.made.Store(answersAtOnce)
	if w := send(h, edges(1)); w.Code != http.StatusOK {
		t.Error("small answers are made whatever else is being made", w.Body)
	}
	w := send(h, edges(4))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "too many large answers") || !strings.Contains(w.Body.String(), `"data":null`) {
		t.Error(w.Code, w.Header(), w.Body)
	}
	h.made.Store(0)
	if w := send(h, edges(4)); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "errors") {
		t.Error(w.Code, w.Body)
	}
}
