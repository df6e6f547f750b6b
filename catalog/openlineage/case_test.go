package openlineage_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/openlineage"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// anyCase is a catalog whose names of tables differ in letter case only.
func anyCase(t *testing.T) *catalogtest.Harness {
	t.Helper()
	h := catalogtest.NewHarness(t)
	h.OpenLineage = openlineage.New(openlineage.Options{
		Registry: model.Default(), Store: h.Store, Writer: h.Writer, Records: records.New(h.Store), Logger: slog.New(slog.DiscardHandler), Alone: true,
		Names: naming.Settings{Namespaces: map[string]naming.Namespace{"postgres://*": {AnyCase: true}}},
	})
	return h
}

func ofTable(at, namespace, name, facets string) string {
	return fmt.Sprintf(`{"eventTime":"2026-11-27T%sZ","dataset":{"namespace":%q,"name":%q,"facets":{%s}}}`, at, namespace, name, facets)
}

// twoSpellings are events that name one table in two spellings.
func twoSpellings(namespace string) []string {
	read := func(at, run, name string) string {
		return ran("COMPLETE", at, run, "", `{"namespace":"prod","name":"`+run+`"}`, fmt.Sprintf(`,"inputs":[{"namespace":%q,"name":%q}]`, namespace, name))
	}
	return []string{
		ofTable("01:00:00", namespace, "SHOP.PUBLIC.ORDERS", `"schema":{"fields":[{"name":"ID","type":"int"}]},"ownership":{"owners":[{"name":"user:ada"}]}`),
		ofTable("02:00:00", namespace, "shop.public.orders", `"documentation":{"description":"All orders."},"ownership":{"owners":[{"name":"user:bob"}]}`),
		read("03:00:00", "upper", "SHOP.PUBLIC.ORDERS"), read("04:00:00", "lower", "shop.public.orders"),
	}
}

// TestTwoSpellings: two names of a table that differ in letter case are one dataset, in whatever order they come.
func TestTwoSpellings(t *testing.T) {
	for _, c := range []struct{ namespace, urn string }{
		{"snowflake://acme", "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.public.orders,PROD)"},
		{"postgres://db:5432", "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.orders,PROD)"},
	} {
		var want map[string]any
		for i := range 4 {
			events := twoSpellings(c.namespace)
			if i%2 == 1 {
				slices.Reverse(events)
			}
			h := anyCase(t)
			if i < 2 {
				takeAll(t, h, events)
			} else {
				takeTogether(t, h, events)
			}
			graph := graphOf(t, h)
			if want == nil {
				want = graph
			}
			if diff := cmp.Diff(want, graph); diff != "" {
				t.Errorf("%s: the graph depends on the order:\n%s", c.namespace, diff)
			}
		}
		text := fmt.Sprint(want[c.urn+" datasetProperties"], want[c.urn+" schemaMetadata"], want[c.urn+" ownership"])
		for _, part := range []string{"All orders.", "fieldPath:ID", "urn:li:corpuser:bob"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %s: %s", c.urn, part, text)
			}
		}
		for name, value := range want {
			if strings.Contains(name+fmt.Sprint(value), "SHOP.PUBLIC") && !strings.Contains(name, "dataset:") {
				t.Errorf("%s has the other spelling: %v", name, value)
			}
		}
	}
}

// TestFindsMixedCase: with anyCase, the search index finds a dataset in any spelling, but not another platform's, another
// environment's, one of two, or one that events have made. Without an answer of the index, the event is taken.
func TestFindsMixedCase(t *testing.T) {
	const ours = "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.orders,PROD)"
	of := func(platform, name, env string) string {
		return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:%s,%s,%s)", platform, name, env)
	}
	for _, c := range []struct {
		name    string
		made    []string
		failure error
		want    string
	}{
		{"mixed case", []string{of("postgres", "Shop.Public.Orders", "PROD")}, nil, of("postgres", "Shop.Public.Orders", "PROD")},
		{"a part in mixed case", []string{of("postgres", "shop.PUBLIC.OrdErs", "PROD")}, nil, of("postgres", "shop.PUBLIC.OrdErs", "PROD")},
		{"two", []string{of("postgres", "Shop.Public.Orders", "PROD"), of("postgres", "SHOP.Public.Orders", "PROD")}, nil, ours},
		{"one is found without the index", []string{of("postgres", "Shop.Public.Orders", "PROD"), of("postgres", "SHOP.PUBLIC.ORDERS", "PROD")}, nil, ours},
		{"another platform", []string{of("Postgres", "Shop.Public.Orders", "PROD")}, nil, ours},
		{"another environment", []string{of("postgres", "Shop.Public.Orders", "prod")}, nil, ours},
		{"no longer there", []string{"-" + of("postgres", "Shop.Public.Orders", "PROD")}, nil, ours},
		{"no answer", []string{of("postgres", "Shop.Public.Orders", "PROD")}, errors.New("the index is away"), ours},
	} {
		h := catalogtest.NewHarness(t)
		asked, now := 0, time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
		h.OpenLineage = openlineage.New(openlineage.Options{
			Registry: model.Default(), Store: h.Store, Writer: h.Writer, Records: records.New(h.Store), Logger: slog.New(slog.DiscardHandler), Alone: true,
			Names: naming.Settings{Namespaces: map[string]naming.Namespace{"postgres://*": {AnyCase: true}}},
			Now:   func() time.Time { return now },
			Spelled: func(_ context.Context, urn string, most int) (found []string, err error) {
				if asked++; most != limits.OpenLineageSpellings {
					t.Errorf("%d spellings are asked for", most)
				}
				for _, made := range c.made {
					if made = strings.TrimPrefix(made, "-"); strings.EqualFold(made, urn) {
						found = append(found, made)
					}
				}
				return append(found, urn, "no URN"), c.failure
			},
		})
		for _, made := range c.made {
			if strings.HasPrefix(made, "-") {
				continue
			}
			if _, err := h.Ingest(t.Context(), catalogtest.Proposal("UPSERT", made, "datasetProperties", `{"description":"by the connector"}`), catalog.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		takeAll(t, h, twoSpellings("postgres://db:5432"))
		graph := graphOf(t, h)
		for _, job := range []string{"lower", "upper"} {
			if got := fmt.Sprint(graph["urn:li:dataJob:(urn:li:dataFlow:(spark,"+job+",prod),"+job+") dataJobInputOutput"]); !strings.Contains(got, c.want) || c.want != ours && strings.Contains(got, ours) {
				t.Errorf("%s: the job %s reads %s", c.name, job, got)
			}
		}
		if c.failure == nil && asked != 1 {
			t.Errorf("%s: the index was asked %d times", c.name, asked)
		}
		before := asked
		now = now.Add(time.Minute)
		takeAll(t, h, twoSpellings("postgres://db:5432")[:1])
		if asked == before {
			t.Errorf("%s: the index is not asked again", c.name)
		}
	}
}

// TestSpellingsLookedAt: exactly limits.OpenLineageSpellings spellings in the index are looked at.
func TestSpellingsLookedAt(t *testing.T) {
	const made = "urn:li:dataset:(urn:li:dataPlatform:postgres,Shop.Public.Orders,PROD)"
	for _, before := range []int{limits.OpenLineageSpellings - 1, limits.OpenLineageSpellings} {
		h := catalogtest.NewHarness(t)
		h.OpenLineage = openlineage.New(openlineage.Options{
			Registry: model.Default(), Store: h.Store, Writer: h.Writer, Records: records.New(h.Store), Logger: slog.New(slog.DiscardHandler), Alone: true, Now: time.Now,
			Names: naming.Settings{Namespaces: map[string]naming.Namespace{"postgres://*": {AnyCase: true}}},
			Spelled: func(context.Context, string, int) ([]string, error) {
				return append(make([]string, before), made), nil
			},
		})
		if _, err := h.Ingest(t.Context(), catalogtest.Proposal("UPSERT", made, "datasetProperties", `{"description":"by the connector"}`), catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		takeAll(t, h, twoSpellings("postgres://db:5432"))
		got := fmt.Sprint(graphOf(t, h)["urn:li:dataJob:(urn:li:dataFlow:(spark,lower,prod),lower) dataJobInputOutput"])
		if found := strings.Contains(got, made); found != (before < limits.OpenLineageSpellings) {
			t.Errorf("the dataset after %d others is found: %v", before, found)
		}
	}
}

// TestFindsOtherCase: with anyCase, events mean the dataset that another client has made, if there is only one,
// also events that came before the dataset was made.
func TestFindsOtherCase(t *testing.T) {
	const made, ours = "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.ORDERS,PROD)", "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.orders,PROD)"
	make := func(h *catalogtest.Harness, urn string) {
		t.Helper()
		if _, err := h.Ingest(t.Context(), catalogtest.Proposal("UPSERT", urn, "datasetProperties", `{"description":"by the connector"}`), catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	inputs := func(h *catalogtest.Harness, job string) string {
		return fmt.Sprint(graphOf(t, h)["urn:li:dataJob:(urn:li:dataFlow:(spark,"+job+",prod),"+job+") dataJobInputOutput"])
	}
	events := twoSpellings("postgres://db:5432")
	before := anyCase(t)
	make(before, made)
	takeAll(t, before, events)
	after := anyCase(t)
	takeAll(t, after, events)
	if !strings.Contains(inputs(after, "lower"), ours) {
		t.Errorf("without another dataset, the job reads %s", inputs(after, "lower"))
	}
	make(after, made)
	takeAll(t, after, events[:2])
	for _, h := range []*catalogtest.Harness{before, after} {
		for _, job := range []string{"lower", "upper"} {
			if got := inputs(h, job); !strings.Contains(got, made) || strings.Contains(got, ours) {
				t.Errorf("the job %s reads %s", job, got)
			}
		}
		if graph := graphOf(t, h); graph[ours+" schemaMetadata"] != nil {
			t.Errorf("%s is there too", ours)
		}
	}
	two := anyCase(t)
	make(two, made)
	make(two, "urn:li:dataset:(urn:li:dataPlatform:postgres,SHOP.PUBLIC.ORDERS,PROD)")
	takeAll(t, two, events)
	if got := inputs(two, "upper"); !strings.Contains(got, ours) {
		t.Errorf("of two datasets none is meant, and the job reads %s", got)
	}
}
