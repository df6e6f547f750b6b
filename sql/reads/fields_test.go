package reads_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/testing/testleaks"
	"github.com/headwater-io/headwater/internal/testing/testsql"
	"github.com/headwater-io/headwater/sql"
	"github.com/headwater-io/headwater/sql/parser"
	"github.com/headwater-io/headwater/sql/reads"
)

func TestMain(m *testing.M) { testleaks.Main(m) }

// TestFieldsInsideColumns: a read of a field is a read of the column around it, and not of the fields beside it; a read
// of a column is a read of the fields inside it. The lines are known, because the text is parsed.
func TestFieldsInsideColumns(t *testing.T) {
	p := parser.New(testsql.Cache())
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	texts := reads.NewTexts(p)
	table := sql.Table{Name: []string{"shop", "people"}, Columns: []string{"id", "address", "address.city", "address.zip", "items", "items.sku"}}
	for text, want := range map[string]map[string]string{
		"select address.city\nfrom shop.people where address.zip = 1": {"address.city": "[{SELECT 1}]", "address.zip": "[{WHERE 2}]", "address": "[{SELECT 1} {WHERE 2}]", "items": "[]", "id": "[]"},
		"select p.address from shop.people p":                         {"address.city": "[{SELECT 1}]", "address": "[{SELECT 1}]", "items.sku": "[]"},
		"select i.sku from shop.people p, unnest(p.items) i":          {"items.sku": "[{SELECT 1}]", "address.city": "[]"},
		"select i.qty from shop.people p, unnest(p.items) i":          {"items": "[{SELECT 1}]", "address.city": "[]"},
	} {
		for path, places := range want {
			found, err := texts.Reader(time.Now().Add(time.Minute), time.Now).Read(t.Context(), []string{path}, &reads.Tables{Table: table}, []reads.Statement{{Text: text, Language: "SQL", Platform: "bigquery"}})
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(found.Places); got != places || found.Names != (places != "[]") || found.Unread != "" {
				t.Errorf("%q reads %s at %s, want %s: %+v", text, path, got, places, found)
			}
		}
	}
}
