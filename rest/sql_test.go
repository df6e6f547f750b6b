package rest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestSQLRequests: SQL is read with the tables of the catalog, and wrong requests get an error that says why.
func TestSQLRequests(t *testing.T) {
	server := newServer(t)
	schema := `{"schemaName":"s","platform":"urn:li:dataPlatform:postgres","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[` +
		`{"fieldPath":"id","nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}},{"fieldPath":"email","nativeDataType":"text","type":{"type":{"com.linkedin.schema.StringType":{}}}}]}`
	if status, body, _ := request(t, server, "POST", "/aspects?action=ingestProposal&wait=index", proposalBody("dataset", "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.people,PROD)", "schemaMetadata", schema)); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	body := func(members map[string]any) string {
		text, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, c := range []struct {
		name, query, body string
		status            int
		says              string
	}{
		{"known", "", body(map[string]any{"sql": "select email from people where id = 1", "dialect": "postgres", "database": "shop", "schema": "public"}), 200, `"runs":"runs","gone":[]`},
		{"sources", "", body(map[string]any{"sql": "select email from people", "dialect": "postgres", "database": "shop", "schema": "public"}), 200, `"sources":[{"table":"shop.public.people","column":"email"}]`},
		{"suggested", "", body(map[string]any{"sql": "select email from people", "dialect": "postgres", "database": "shop", "schema": "public"}), 200, `"personal":false,"nameSays":"EMAIL"`},
		{"gone", "", body(map[string]any{"sql": "select p.fax from shop.public.people p", "dialect": "postgres"}), 200, `"runs":"fails","gone":[{"table":"shop.public.people","column":"fax","certain":true,"line":1`},
		{"not SQL", "", body(map[string]any{"sql": "selec email", "dialect": "postgres"}), 200, `"notUnderstood":[{"line":1`},
		{"as of", "?asOf=2020-01-01", body(map[string]any{"sql": "select email from shop.public.people", "dialect": "postgres"}), 200, `"state":"unknown"`},
		{"no body", "", "", 400, "no body"},
		{"no SQL", "", `{"dialect":"postgres"}`, 400, "sql is required"},
		{"no dialect", "", `{"sql":"select 1"}`, 400, "dialect is required"},
		{"unknown dialect", "", `{"sql":"select 1","dialect":"snowflke"}`, 400, "did you mean snowflake"},
		{"wrong type", "", `{"sql":1,"dialect":"postgres"}`, 400, "parameter sql"},
		{"wrong moment", "?asOf=then", `{"sql":"select 1","dialect":"postgres"}`, 400, "asOf"},
		{"unknown parameter", "?dialect=postgres", `{"sql":"select 1"}`, 400, "dialect"},
		{"too long", "", body(map[string]any{"sql": "select 1 --" + strings.Repeat("x", 16<<20), "dialect": "postgres"}), 413, "bytes"},
	} {
		status, answer, _ := request(t, server, "POST", "/sql/lineage"+c.query, c.body)
		if status != c.status || !strings.Contains(answer, c.says) {
			t.Errorf("%s: %d %.600s", c.name, status, answer)
		}
	}
}
