package gql_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// BenchmarkDataset reads a dataset with five aspects, one of them with 20
// columns.
func BenchmarkDataset(b *testing.B) {
	c := testcatalog.New(b)
	var fields []string
	for i := range 20 {
		fields = append(fields, fmt.Sprintf(`{"fieldPath":"column_%02d","nativeDataType":"varchar","description":"d","type":{"type":{"com.linkedin.schema.StringType":{}}}}`, i))
	}
	writeAspect(b, c, orders, "datasetProperties", `{"name":"orders","description":"`+strings.Repeat("x", 2000)+`","customProperties":{"a":"b"}}`)
	writeAspect(b, c, orders, "editableDatasetProperties", `{"description":"d"}`)
	writeAspect(b, c, orders, "ownership", `{"owners":[{"owner":"urn:li:corpuser:ada","type":"DATAOWNER"}]}`)
	writeAspect(b, c, orders, "globalTags", `{"tags":[{"tag":"urn:li:tag:a"}]}`)
	writeAspect(b, c, orders, "schemaMetadata", `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":"x"}},"fields":[`+strings.Join(fields, ",")+`]}`)
	h := gql.New(gql.Options{Catalog: c})
	body := `{"query":"query read($urn: String!) { dataset(urn: $urn) { urn type name properties { name description customProperties { key value } } editableProperties { description } ownership { owners { type owner { ... on CorpUser { urn username } ... on CorpGroup { urn name } } } lastModified { time actor } } tags { tags { tag { urn } } } schemaMetadata { name hash version fields { fieldPath nativeDataType description type nullable recursive } } } }","variables":{"urn":"` + orders + `"}}`
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/graphql", strings.NewReader(body)))
		if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "errors") {
			b.Fatal(w.Body.String())
		}
	}
}
