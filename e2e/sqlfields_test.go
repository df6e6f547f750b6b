package e2e

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsql"
)

// fieldQueries are queries about fields inside of columns, with the sources of their outputs. sqlglot names the column only.
var fieldQueries = []struct {
	dialect, sql string
	sources      map[string][]string
}{
	{"bigquery", "select p.address.city as city, p.id from people p", map[string][]string{"city": {"people.address.city"}, "id": {"people.id"}}},
	{"bigquery", "select x.a.geo.lat as lat from (select address as a from people) x", map[string][]string{"lat": {"people.address.geo.lat"}}},
	{"bigquery", "with q as (select address.geo as g, id from people) select q.g.lat as lat, q.id from q", map[string][]string{"lat": {"people.address.geo.lat"}, "id": {"people.id"}}},
	{"bigquery", "select concat(p.address.city, p.name) as label from people p", map[string][]string{"label": {"people.address.city", "people.name"}}},
	{"bigquery", "select p.address.city as city from people p union all select o.city from orders o", map[string][]string{"city": {"orders.city", "people.address.city"}}},
	{"databricks", "select people.address.city as city from people", map[string][]string{"city": {"people.address.city"}}},
	{"databricks", "select items[0].sku as sku, max(address.geo.lat) as lat from people group by 1", map[string][]string{"sku": {"people.items.sku"}, "lat": {"people.address.geo.lat"}}},
	{"databricks", "select i.sku as sku from people lateral view explode(items) e as i", map[string][]string{"sku": {"people.items.sku"}}},
	{"bigquery", "select i.price.amount as amount from people p, unnest(p.items) as i", map[string][]string{"amount": {"people.items.price.amount"}}},
	{"bigquery", "select p.address.*, p.address.geo.* from people p", map[string][]string{"city": {"people.address.city"}, "geo": {"people.address.geo"}, "lat": {"people.address.geo.lat"}}},
	{"databricks", "select p.address.*, id from people p", map[string][]string{"city": {"people.address.city"}, "geo": {"people.address.geo"}, "id": {"people.id"}}},
}

// TestSQLFields: the built program names the field inside of a column from which an output comes, where the types of the schema
// have it, and sqlglot agrees on the column wherever it resolves the query.
func TestSQLFields(t *testing.T) {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	kinds := map[string][2]string{
		"bigquery":   {"STRUCT<city STRING, geo STRUCT<lat FLOAT64>>", "ARRAY<STRUCT<sku STRING, price STRUCT<amount NUMERIC>>>"},
		"databricks": {"STRUCT<city: STRING, geo: STRUCT<lat: DOUBLE>>", "ARRAY<STRUCT<sku: STRING, price: STRUCT<amount: DECIMAL(9,2)>>>"},
	}
	var asked []map[string]any
	for _, q := range fieldQueries {
		kind := kinds[q.dialect]
		schema := map[string]any{
			"people": map[string]string{"id": "INT", "name": "STRING", "address": kind[0], "items": kind[1]}, "orders": map[string]string{"person": "INT", "city": "STRING"},
		}
		asked = append(asked, map[string]any{"dialect": q.dialect, "sql": q.sql, "schema": schema})
		text, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		writeFiles(t, folder, map[string]string{q.dialect + ".json": string(text)})
	}
	question, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	judge := exec.Command(filepath.Join(pythonFor(t, "clients"), "bin", "python"), filepath.Join(testservers.Root(), "e2e", "sqlclient", "fields.py"))
	judge.Stdin = strings.NewReader(string(question))
	out, err := judge.Output()
	var answers []map[string]any
	if err == nil {
		err = json.Unmarshal(out, &answers)
	}
	if err != nil || len(answers) != len(fieldQueries) {
		t.Fatal(err, string(out))
	}
	judged := 0
	for i, q := range fieldQueries {
		program := exec.Command(path, "sql", "-", "--dialect", q.dialect, "--schema", q.dialect+".json", "--cache-dir", testsql.Cache(), "-o", "json")
		program.Dir, program.Stdin = folder, strings.NewReader(q.sql)
		out, err := program.Output()
		if err != nil {
			t.Fatal(err)
		}
		var statement struct {
			Columns []struct {
				Output  string
				Sources []struct{ Table, Column string }
			}
		}
		if err := json.Unmarshal(out, &statement); err != nil {
			t.Fatal(err, string(out))
		}
		got := map[string][]string{}
		for _, c := range statement.Columns {
			whole := []string{}
			for _, s := range c.Sources {
				got[c.Output] = append(got[c.Output], s.Table+"."+s.Column)
				column, _, _ := strings.Cut(s.Column, ".")
				whole = append(whole, s.Table+"."+column)
			}
			slices.Sort(got[c.Output])
			slices.Sort(whole)
			if theirs, resolved := answers[i][strings.ToLower(c.Output)].([]any); resolved && len(theirs) > 0 {
				judged++
				names := []string{}
				for _, one := range theirs {
					names = append(names, one.(string))
				}
				if diff := cmp.Diff(names, slices.Compact(whole)); diff != "" {
					t.Errorf("%s: sqlglot does not agree on %s: %s", q.sql, c.Output, diff)
				}
			}
		}
		if diff := cmp.Diff(q.sources, got); diff != "" {
			t.Errorf("%s: %s", q.sql, diff)
		}
	}
	if t.Logf("sqlglot judged %d outputs", judged); judged < 7 {
		t.Errorf("sqlglot judged %d outputs: %v", judged, answers)
	}
}
