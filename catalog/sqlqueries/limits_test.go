package sqlqueries_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/sqlqueries"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testsql"
	"github.com/headwater-io/headwater/model"
)

// numbered repeats a text with numbers from 0.
func numbered(n int, text string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, text, i)
	}
	return b.String()
}

// TestBoundsOfAnswers: at each limit nothing is missing, and beyond it the answer says so or is refused.
func TestBoundsOfAnswers(t *testing.T) {
	t.Parallel()
	h := shop(t)
	ask := func(sql string) (*sqlqueries.Answer, error) {
		return h.SQL.Read(context.Background(), sqlqueries.Question{SQL: sql, Dialect: "postgres", Database: "shop", Schema: "public"})
	}
	if a, err := ask(numbered(limits.MaxSQLTables, "select 1 from shop.public.orders union select 2 from no.no.t%d;")); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("one table more than are looked up: %v %v", a, err)
	}
	if a, err := ask(numbered(limits.MaxSQLTables, "select 1 from no.no.t%d;")); err != nil || len(a.Tables) != limits.MaxSQLTables {
		t.Errorf("as many tables as are looked up: %v", err)
	} else if near := "the nearest names are looked for of 10 tables"; a.Reason != near {
		t.Errorf("%q, not %q", a.Reason, near)
	}
	if a, err := ask(numbered(limits.MaxSQLNearest, "select 1 from no.no.t%d;")); err != nil || a.Partial {
		t.Errorf("as many tables as have near names: %v", err)
	}
	if _, err := ask("select 1 --" + strings.Repeat("x", limits.MaxSQLScriptBytes)); catalog.CodeOf(err) != catalog.TooLarge {
		t.Errorf("a text that is too long: %v", err)
	}
	// A statement has 100 outputs, and 100 sources.
	statement := "select amount as a" + numbered(99, ", amount as a%d") + " from orders;"
	if a, err := ask(strings.Repeat(statement, limits.MaxSQLAnswerItems/200)); err != nil || a.Partial {
		t.Errorf("as many items as are listed: %v", err)
	}
	if a, err := ask(strings.Repeat(statement, limits.MaxSQLAnswerItems/200) + "select amount from orders order by order_id"); err != nil || !a.Partial {
		t.Errorf("one item more than are listed: %v", err)
	} else if last := a.Statements[len(a.Statements)-1]; len(last.Columns)+len(last.ColumnsRead) > 0 || last.Runs != sqlqueries.RunsYes {
		t.Errorf("%+v", last)
	}
}

// TestBoundsOfDrops: the drop of a column is looked for in a limited number of tables and versions.
func TestBoundsOfDrops(t *testing.T) {
	t.Parallel()
	h := shop(t)
	ask := func(tables int) *sqlqueries.Answer {
		a, err := h.SQL.Read(context.Background(), sqlqueries.Question{SQL: numbered(tables, "select x.gone from t%d x;"), Dialect: "postgres", Database: "shop", Schema: "public"})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for i := range limits.MaxSQLDrops + 1 {
		put(h, urnOf(fmt.Sprintf("shop.public.t%d", i)), model.AspectSchemaMetadata, schema("a", "gone"))
		put(h, urnOf(fmt.Sprintf("shop.public.t%d", i)), model.AspectSchemaMetadata, schema("a"))
	}
	if a := ask(limits.MaxSQLDrops); a.Partial || a.Statements[limits.MaxSQLDrops-1].Gone[0].Since == 0 {
		t.Errorf("%q %+v", a.Reason, a.Statements[limits.MaxSQLDrops-1])
	}
	if a := ask(limits.MaxSQLDrops + 1); !a.Partial || a.Statements[limits.MaxSQLDrops].Gone[0].Since != 0 {
		t.Errorf("%q %+v", a.Reason, a.Statements[limits.MaxSQLDrops])
	}
}

// TestBoundOfSchemas: the drop of a column is looked for in as many versions of a schema as the limit. The
// server has no index, so that the answer says that the labels of personal data are not known.
func TestBoundOfSchemas(t *testing.T) {
	t.Parallel()
	h := catalogtest.NewHarness(t)
	h.Services = services.New(services.Options{Store: h.Store, Now: testclock.Now, Retention: write.Retention{{Entity: write.Any, Aspect: write.Any}: 1000}, SQL: testsql.Parser()})
	table := urnOf("shop.public.t")
	h.Say(table, model.AspectSchemaMetadata, schema("a", "gone"))
	for i := range limits.MaxSchemasLookedAt - 1 {
		h.Say(table, model.AspectSchemaMetadata, schema("a", fmt.Sprintf("b%d", i)))
	}
	ask := func() *sqlqueries.Answer {
		a, err := h.SQL.Read(context.Background(), sqlqueries.Question{SQL: "select x.gone from shop.public.t x", Dialect: "postgres"})
		if err != nil || !strings.Contains(a.Reason, "no search index") {
			t.Fatal(a, err)
		}
		return a
	}
	if a := ask(); a.Statements[0].Gone[0].Since == 0 {
		t.Error("the oldest version that is looked at has the column")
	}
	h.Say(table, model.AspectSchemaMetadata, schema("b"))
	if a := ask(); a.Statements[0].Gone[0].Since != 0 {
		t.Error("an older version was looked at")
	}
}

// TestQueueOfQuestions: the limits bound how many questions are answered at once and how many wait; further
// questions are refused.
func TestQueueOfQuestions(t *testing.T) {
	t.Parallel()
	service := sqlqueries.New(sqlqueries.Options{Registry: model.Default()})
	ctx, cancel := context.WithCancel(context.Background())
	for range limits.SQLReads {
		if _, err := service.Enter(ctx); err != nil {
			t.Fatal(err)
		}
	}
	var waiting sync.WaitGroup
	for range limits.MaxSQLWaiting {
		waiting.Go(func() {
			if _, err := service.Enter(ctx); catalog.CodeOf(err) != catalog.Unavailable {
				t.Errorf("a question that waits: %v", err)
			}
		})
	}
	testclock.Await(t, "so many wait", func() bool { return service.Waiting() == limits.MaxSQLWaiting })
	if _, err := service.Enter(ctx); catalog.CodeOf(err) != catalog.Busy {
		t.Errorf("a further question: %v", err)
	}
	cancel()
	waiting.Wait()
	if _, err := (service.Read(context.Background(), sqlqueries.Question{SQL: "select 1", Dialect: "postgres"})); catalog.CodeOf(err) != catalog.Unavailable {
		t.Errorf("a server without the parser: %v", err)
	}
}
