package search_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/sample"
)

const (
	mart    = "urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)"
	revenue = "urn:li:schemaField:(" + mart + ",net_revenue)"
)

// TestResolve: names as people write them stand for entities and columns of the sample
// catalog.
func TestResolve(t *testing.T) {
	c, ctx := testcatalog.New(t), context.Background()
	if _, err := sample.Load(ctx, c); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		part  search.Part
		types []string
		// want is the URN that the name stands for. Otherwise says is a part of the message, and
		// candidates is the number of candidates.
		want, says string
		candidates int
	}{
		{name: mart, want: mart},
		{name: " " + mart + " ", want: mart},
		{name: "urn:li:dataset:(urn:li:dataPlatform:snowflake,never.stored,PROD)", want: "urn:li:dataset:(urn:li:dataPlatform:snowflake,never.stored,PROD)"},
		{name: "analytics.marts.orders", want: mart}, // the name does not stand for the dbt model of the same name, which has no columns
		{name: "Analytics.Marts.ORDERS", want: mart},
		{name: "marts.orders", want: mart},
		{name: "marts.orders", types: []string{"dataset"}, want: mart},
		{name: "carrier_rates", want: "urn:li:dataset:(urn:li:dataPlatform:s3,larkspur-lake/landing/carrier_rates,PROD)"},
		{name: "landing/carrier_rates", want: "urn:li:dataset:(urn:li:dataPlatform:s3,larkspur-lake/landing/carrier_rates,PROD)"},
		{name: "Ada Wren", want: "urn:li:corpuser:ada.wren"},
		{name: "ada.wren", types: []string{"corpuser", "corpGroup"}, want: "urn:li:corpuser:ada.wren"},
		{name: "Board overview", want: "urn:li:dashboard:(looker,board)"},
		{name: "Snowflake", types: []string{"dataPlatform"}, want: "urn:li:dataPlatform:snowflake"},
		{name: revenue, part: search.EitherPart, want: revenue},
		{name: "orders.net_revenue", part: search.EitherPart, want: revenue}, // only one of the tables named orders has the column
		{name: "orders.NET_REVENUE", part: search.ColumnPart, want: revenue},
		{name: "marts.orders.net_revenue", part: search.ColumnPart, want: revenue},
		{name: mart + ".net_revenue", part: search.ColumnPart, want: revenue},
		{name: mart + ".net_revenue", says: "parentheses"},

		{name: "orders", says: "several things", candidates: 3},
		{name: "orders.total", part: search.ColumnPart, says: "several things", candidates: 2},
		{name: "ordrs", says: "nearest are", candidates: 5},
		{name: "qqqqqqqq", says: `nothing is named "qqqqqqqq"`},
		{name: "orders.net_revenu", part: search.EitherPart, says: "did you mean net_revenue?"},
		{name: "marts.orders", part: search.ColumnPart, says: `has a column "orders"`},
		{name: "orders.net_revenue", says: "nothing is named"},
		{name: revenue, says: "is a column"},
		{name: mart, part: search.ColumnPart, says: "is not a column"},
		{name: mart, types: []string{"corpuser"}, says: "is not a corpuser"},
		{name: "urn:li:dataset", says: "urn:li:dataset"},
		{name: "analytics.raw.employees", says: "soft-deleted", candidates: 1},
		{name: "snowflake:marts.orders", want: mart},
		{name: "SNOWFLAKE:Analytics.Marts.Orders", want: mart},
		{name: "dataset:snowflake:marts.orders", want: mart},
		{name: "dbt:marts.orders", want: "urn:li:dataset:(urn:li:dataPlatform:dbt,analytics.marts.orders,PROD)"},
		{name: "postgres:orders", want: "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.orders,PROD)"},
		{name: "looker:Board overview", want: "urn:li:dashboard:(looker,board)"},
		{name: "dataPlatform:snowflake", want: "urn:li:dataPlatform:snowflake"},
		{name: "snowflake", types: []string{"dataPlatform"}, want: "urn:li:dataPlatform:snowflake"},
		{name: "tag:pii", want: "urn:li:tag:PII"},
		{name: "domain:finance", want: "urn:li:domain:finance"},
		{name: "snowflake:marts.orders.net_revenue", part: search.EitherPart, want: revenue},
		{name: "snowflake:orders", says: "several things", candidates: 2},
		{name: "hive:orders", says: "nothing is named", candidates: 5},
		{name: "snowflake:orders.net_revenu", part: search.EitherPart, says: "did you mean net_revenue?"},
		{name: "tag:orders", says: `nothing is named "tag:orders"`},
		{name: "snowflake:", says: "nothing is named"},
		{name: "raw.employees", part: search.EitherPart, says: "soft-deleted", candidates: 1}, // raw is a container
		{name: "marts.ordrs", part: search.EitherPart, says: "nearest are", candidates: 5},
		{name: ":orders", says: "nothing is named"},
		{name: "", says: "a name is required"},
		{name: strings.Repeat("x", 20_000), says: "bytes"},
		{name: "x", types: []string{"nonsense"}, says: "nonsense"},
		{name: `.`, part: search.EitherPart, says: "nothing is named"},
		{name: `"*/q (`, part: search.EitherPart, says: "nothing is named"},
	} {
		named, err := c.Search.Resolve(ctx, search.NameRequest{Name: test.name, Part: test.part, Types: test.types})
		var several *search.NameError
		errors.As(err, &several)
		switch {
		case test.want != "" && err != nil:
			t.Errorf("%q: %v", test.name, err)
		case test.want != "":
			if subject, err := named.Subject(); err != nil || subject.String() != test.want {
				t.Errorf("%q is %s (%v), want %s", test.name, subject, err, test.want)
			}
		case err == nil:
			t.Errorf("%q is %+v, want an error with %q", test.name, named, test.says)
		case !strings.Contains(catalog.MessageOf(err), test.says):
			t.Errorf("%.100q: %v, want %q", test.name, err, test.says)
		case test.candidates > 0 && (several == nil || len(several.Candidates) != test.candidates):
			t.Errorf("%q offers %+v, want %d", test.name, several, test.candidates)
		case catalog.CodeOf(err) != catalog.Invalid && catalog.CodeOf(err) != catalog.NotFound:
			t.Errorf("%.100q: %v has the code %v", test.name, err, catalog.CodeOf(err))
		}
	}
}

// TestHandles: each candidate of an ambiguous name has a handle that stands for it alone.
func TestHandles(t *testing.T) {
	c, ctx := testcatalog.New(t), context.Background()
	if _, err := sample.Load(ctx, c); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"orders", "finance", "customers", "orders.total", "orders.order_id", "ordrs", "net_revenue"} {
		_, err := c.Search.Resolve(ctx, search.NameRequest{Name: name, Part: search.EitherPart})
		var several *search.NameError
		if !errors.As(err, &several) || len(several.Candidates) < 2 {
			t.Errorf("%q is not ambiguous: %v", name, err)
			continue
		}
		for _, candidate := range several.Candidates {
			named, err := c.Search.Resolve(ctx, search.NameRequest{Name: candidate.Handle, Part: search.EitherPart})
			if err != nil || named.URN != candidate.URN || named.Column != candidate.Column {
				t.Errorf("%q of %q stands for %+v (%v), want %s %s", candidate.Handle, name, named, err, candidate.URN, candidate.Column)
			}
		}
	}
}

// TestSoftDeletedNames: a name stands for a soft-deleted entity only where the request includes
// soft-deleted entities.
func TestSoftDeletedNames(t *testing.T) {
	c, ctx := testcatalog.New(t), context.Background()
	if _, err := sample.Load(ctx, c); err != nil {
		t.Fatal(err)
	}
	const employees = "urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.raw.employees,PROD)"
	named, err := c.Search.Resolve(ctx, search.NameRequest{Name: "raw.employees", Removed: true})
	if err != nil || named.URN.String() != employees {
		t.Errorf("%+v %v", named, err)
	}
	_, err = c.Search.Resolve(ctx, search.NameRequest{Name: "raw.employees"})
	var removed *search.NameError
	if !errors.As(err, &removed) || !removed.Removed || removed.Candidates[0].Handle != employees {
		t.Errorf("%+v %v", removed, err)
	}
}
