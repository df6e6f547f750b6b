package sqlqueries_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/sqlqueries"
	"github.com/headwater-io/headwater/internal/testing/testleaks"
	"github.com/headwater-io/headwater/model"
)

func TestMain(m *testing.M) { testleaks.Main(m) }

func urnOf(name string) string {
	return "urn:li:dataset:(urn:li:dataPlatform:postgres," + name + ",PROD)"
}

// schema is a schema whose columns may have a tag: email:PII.
func schema(columns ...string) string {
	var fields []string
	for _, c := range columns {
		name, tag, tagged := strings.Cut(c, ":")
		tags := ""
		if tagged {
			tags = `,"globalTags":{"tags":[{"tag":"urn:li:tag:` + tag + `"}]}`
		}
		fields = append(fields, fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":"text","type":{"type":{"com.linkedin.schema.StringType":{}}}%s}`, name, tags))
	}
	return `{"schemaName":"s","platform":"urn:li:dataPlatform:postgres","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[` + strings.Join(fields, ",") + `]}`
}

// put writes aspects of an entity: names and values.
func put(h *catalogtest.SearchHarness, urn string, aspects ...string) {
	for i := 0; i < len(aspects); i += 2 {
		h.Say(urn, aspects[i], aspects[i+1])
	}
}

// shop is a catalog with a few tables.
func shop(t *testing.T) *catalogtest.SearchHarness {
	t.Helper()
	h := catalogtest.NewSearchHarness(t)
	put(h, "urn:li:tag:PII", model.AspectTagProperties, `{"name":"PII"}`)
	put(h, "urn:li:corpuser:mira", model.AspectCorpUserInfo, `{"active":true,"displayName":"Mira","email":"mira@example.com"}`)
	put(h, urnOf("shop.public.customers"), model.AspectSchemaMetadata, schema("customer_id", "email:PII", "phone", "city", "fax"),
		model.AspectOwnership, `{"owners":[{"owner":"urn:li:corpuser:mira","type":"TECHNICAL_OWNER"}],"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}`,
		model.AspectDeprecation, `{"deprecated":true,"note":"use people","actor":"urn:li:corpuser:ada"}`)
	put(h, urnOf("shop.public.customers"), model.AspectSchemaMetadata, schema("customer_id", "email:PII", "phone", "city"))
	put(h, urnOf("shop.public.orders"), model.AspectSchemaMetadata, schema("order_id", "customer_id", "amount"))
	put(h, urnOf("SHOP.PUBLIC.REGIONS"), model.AspectSchemaMetadata, schema("region", "name"))
	put(h, urnOf("shop.public.events"), model.AspectDatasetProperties, `{"description":"no columns are known"}`)
	put(h, urnOf("shop.public.old"), model.AspectSchemaMetadata, schema("a"), model.AspectStatus, `{"removed":true}`)
	h.Await()
	return h
}

// told is an answer in lines.
func told(a *sqlqueries.Answer) string {
	var lines []string
	for i := range a.Statements {
		s := &a.Statements[i]
		lines = append(lines, s.Kind+": "+string(s.Runs))
		for _, g := range s.Gone {
			line := fmt.Sprintf("  gone %s.%s line %d certain %v: %s", g.Table, g.Column, g.Line, g.Certain, g.Why)
			if g.Since > 0 {
				line += " by " + g.Actor
			}
			lines = append(lines, line)
		}
	}
	for i := range a.Tables {
		t := &a.Tables[i]
		line := fmt.Sprintf("%s %s", t.Name, t.State)
		for _, o := range t.Owners {
			line += fmt.Sprintf(" %s <%s>", o.Name, o.Email)
		}
		if t.Deprecated {
			line += " deprecated: " + t.Note
		}
		for _, n := range t.Nearest {
			line += " near " + n.Name
		}
		lines = append(lines, line)
		for _, c := range t.Columns {
			line := fmt.Sprintf("  %s %s", c.Name, c.State)
			if c.Personal {
				line += " personal"
			}
			if c.Written {
				line += " written"
			}
			for _, tag := range c.Tags {
				line += " #" + tag.Name
			}
			if c.NameSays != "" {
				line += " says " + c.NameSays
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// TestRead: the tables of a text are found in the catalog in any letter case. The answer names their owners,
// the columns with personal data, and the tables and columns that are gone.
func TestRead(t *testing.T) {
	t.Parallel()
	h := shop(t)
	for _, c := range []struct {
		name, sql, want string
		ask             sqlqueries.Question
	}{
		{
			name: "known", sql: "select c.email, o.amount from customers c join orders o on o.customer_id = c.customer_id where c.phone is not null",
			want: `select: runs
shop.public.customers known Mira <mira@example.com> deprecated: use people
  email known personal #PII
  customer_id known
  phone known says PHONE
shop.public.orders known
  amount known
  customer_id known`,
		},
		{
			name: "upper case in the catalog", sql: "select Name from Regions", want: "select: runs\nSHOP.PUBLIC.REGIONS known\n  name known",
		},
		{
			name: "a column that was dropped", sql: "select\n c.fax from customers c",
			want: `select: fails
  gone shop.public.customers.fax line 2 certain true: the column was dropped from shop.public.customers by urn:li:corpuser:ada
shop.public.customers known Mira <mira@example.com> deprecated: use people
  fax gone says PHONE`,
		},
		{
			name: "a dropped column without its table", sql: "select fax from customers, orders",
			want: `select: mayFail
  gone shop.public.customers.fax line 1 certain false: the column was dropped from shop.public.customers by urn:li:corpuser:ada
shop.public.customers known Mira <mira@example.com> deprecated: use people
shop.public.orders known`,
		},
		{
			name: "a column that never was", sql: "select o.nothing from orders o",
			want: `select: fails
  gone shop.public.orders.nothing line 1 certain true: the table does not have the column
shop.public.orders known
  nothing gone`,
		},
		{
			name: "a column of every table", sql: "select o.ctid, o.amount from orders o", want: "select: runs\nshop.public.orders known\n  amount known",
		},
		{
			name: "a table that the catalog does not have", sql: "select amount from order_s",
			want: `select: mayFail
  gone shop.public.order_s. line 1 certain false: the catalog does not have the table
shop.public.order_s unknown near shop.public.orders
  amount unknown`,
		},
		{
			name: "near names", sql: "select amount from staging.orders",
			want: `select: mayFail
  gone shop.staging.orders. line 1 certain false: the catalog does not have the table
shop.staging.orders unknown near shop.public.orders
  amount unknown`,
		},
		{
			name: "a soft-deleted table", sql: "select a from old",
			want: `select: fails
  gone shop.public.old. line 1 certain true: the table is soft-deleted
shop.public.old removed
  a known`,
		},
		{
			name: "a table without columns", sql: "select kind from events", want: "select: unknown\nshop.public.events known\n  kind unknown",
		},
		{
			name: "a table that the text makes", sql: "create table mine as select amount as a from orders; select a from mine",
			want: `create table: runs
select: runs
shop.public.mine made
  a made written
shop.public.orders known
  amount known`,
		},
		{
			name: "writes", sql: "update orders set amount = 1 where order_id = 2",
			want: `update: runs
shop.public.orders known
  amount known written
  order_id known`,
		},
		{
			name: "not SQL", sql: "selec 1", want: "selec: unknown",
		},
		{
			name: "a template", sql: "select * from {{ ref('orders') }}", want: "template: unknown",
		},
		{
			name: "another platform", sql: "select amount from orders", ask: sqlqueries.Question{Platform: "urn:li:dataPlatform:mysql"},
			want: `select: mayFail
  gone shop.public.orders. line 1 certain false: the catalog does not have the table
shop.public.orders unknown near shop.public.orders
  amount unknown`,
		},
	} {
		q := c.ask
		q.SQL, q.Dialect, q.Database, q.Schema = c.sql, "postgres", "shop", "public"
		got, err := h.SQL.Read(context.Background(), q)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, told(got)); diff != "" || got.Partial {
			t.Errorf("%s: partial %q, -want +got:\n%s", c.name, got.Reason, diff)
		}
	}
}

// TestReadThePast: as of a moment before a column was dropped, the text still ran.
func TestReadThePast(t *testing.T) {
	t.Parallel()
	h := shop(t)
	before := int64(0)
	versions, _, err := h.History.Versions(context.Background(), model.StoredURN(urnOf("shop.public.customers")), model.AspectSchemaMetadata, 0, 10)
	if err != nil || len(versions) != 2 {
		t.Fatal(versions, err)
	}
	for _, v := range versions {
		if before == 0 || v.Written < before {
			before = v.Written
		}
	}
	q := sqlqueries.Question{SQL: "select c.fax, c.email from customers c", Dialect: "postgres", Database: "shop", Schema: "public", AsOf: before}
	got, err := h.SQL.Read(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	want := "select: runs\nshop.public.customers known\n  fax known says PHONE\n  email known personal #PII"
	if diff := cmp.Diff(want, told(got)); diff != "" {
		t.Error(diff)
	}
	q.AsOf = before - 1
	if got, err = h.SQL.Read(context.Background(), q); err != nil || got.Tables[0].State != sqlqueries.StateUnknown {
		t.Errorf("before the table was recorded: %v %+v", err, got)
	}
}

// TestWrongQuestions: wrong questions get an error that says why.
func TestWrongQuestions(t *testing.T) {
	t.Parallel()
	h := shop(t)
	for _, c := range []struct {
		ask  sqlqueries.Question
		code catalog.Code
		says string
	}{
		{sqlqueries.Question{Dialect: "postgres"}, catalog.Invalid, "sql is required"},
		{sqlqueries.Question{SQL: "select 1"}, catalog.Invalid, "dialect is required"},
		{sqlqueries.Question{SQL: "select 1", Dialect: "postgress"}, catalog.Invalid, "did you mean postgres"},
		{sqlqueries.Question{SQL: "select 1", Dialect: "postgres", Platform: "urn:li:tag:x"}, catalog.Invalid, "not the URN of a data platform"},
		{sqlqueries.Question{SQL: "select 1", Dialect: "postgres", Env: "a,b"}, catalog.Invalid, "no dataset can be"},
		{sqlqueries.Question{SQL: "select 1", Dialect: "postgres", AsOf: -1}, catalog.Invalid, "moment"},
	} {
		_, err := h.SQL.Read(context.Background(), c.ask)
		if catalog.CodeOf(err) != c.code || !strings.Contains(catalog.MessageOf(err), c.says) {
			t.Errorf("%+v: %v", c.ask, err)
		}
	}
	if a, err := h.SQL.Read(context.Background(), sqlqueries.Question{SQL: "select 1", Platform: "snowflake"}); err != nil || a.Dialect != "snowflake" || len(a.Tables) != 0 {
		t.Errorf("the platform names the dialect: %v", err)
	}
}
