package unused_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/unused"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testleaks"
	"github.com/headwater-io/headwater/model"
)

func TestMain(m *testing.M) { testleaks.Main(m) }

var (
	orders  = catalogtest.Dataset("postgres", "shop.orders", "PROD")
	report  = catalogtest.Dataset("postgres", "shop.report", "PROD")
	gone    = catalogtest.Dataset("postgres", "shop.gone", "PROD")
	opaque  = catalogtest.Dataset("postgres", "shop.opaque", "PROD")
	alone   = catalogtest.Dataset("hive", "alone", "PROD")
	silent  = catalogtest.Dataset("postgres", "shop.silent", "PROD")
	removed = catalogtest.Dataset("postgres", "shop.removed", "PROD")
)

func schema(columns ...string) string {
	var fields []string
	for _, c := range columns {
		fields = append(fields, fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":"text","type":{"type":{"com.linkedin.schema.StringType":{}}}}`, c))
	}
	return `{"schemaName":"s","platform":"urn:li:dataPlatform:postgres","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[` + strings.Join(fields, ",") + `]}`
}

func column(dataset, path string) string {
	return "urn:li:schemaField:(" + dataset + "," + path + ")"
}

// lineageOf states that columns of orders flow to a table, or that the table is only known to derive from orders.
func lineageOf(table string, columns ...string) string {
	var entries []string
	for _, c := range columns {
		entries = append(entries, fmt.Sprintf(`{"upstreamType":"FIELD_SET","upstreams":[%q],"downstreamType":"FIELD","downstreams":[%q]}`, column(orders, c), column(table, c)))
	}
	return fmt.Sprintf(`{"upstreams":[{"dataset":%q,"type":"VIEW","auditStamp":%s}],"fineGrainedLineages":[%s]}`, orders, catalogtest.Stamp, strings.Join(entries, ","))
}

// verdicts returns the verdicts on the columns of a page, in few words.
func verdicts(page *unused.Page) []string {
	var list []string
	for i := range page.Columns {
		c := &page.Columns[i]
		text := c.Path + " " + c.Verdict
		for _, r := range c.Readers {
			text += " " + r.Because
		}
		for _, d := range c.Doubts {
			text += ", " + strings.SplitN(d, " ", 3)[0] + " " + strings.SplitN(d, " ", 3)[1]
		}
		list = append(list, text)
	}
	return list
}

func query(h *catalogtest.Harness, name, source, text string, at int64, subjects ...string) {
	urn := "urn:li:query:" + name
	h.Say(urn, model.AspectQueryProperties, fmt.Sprintf(`{"statement":{"value":%q,"language":"SQL"},"source":%q,"created":{"time":%d,"actor":"urn:li:corpuser:ada"},"lastModified":{"time":%d,"actor":"urn:li:corpuser:ada"}}`, text, source, at, at))
	var list []string
	for _, s := range subjects {
		list = append(list, fmt.Sprintf(`{"entity":%q}`, s))
	}
	h.Say(urn, model.AspectQuerySubjects, `{"subjects":[`+strings.Join(list, ",")+`]}`)
}

func usage(h *catalogtest.Harness, dataset string, at time.Time, columns ...string) {
	var fields []string
	for _, c := range columns {
		fields = append(fields, fmt.Sprintf(`{"fieldPath":%q,"count":1}`, c))
	}
	h.Say(dataset, model.AspectDatasetUsageStatistics, fmt.Sprintf(`{"timestampMillis":%d,"eventGranularity":{"unit":"DAY","multiple":1},"totalSqlQueries":3,"fieldCounts":[%s]}`, at.UnixMilli(), strings.Join(fields, ",")))
}

// shop is a catalog in which each column of orders is read in another way, or not at all.
func shop(t *testing.T) *catalogtest.Harness {
	h := catalogtest.NewHarness(t)
	now := h.Now()
	h.Say(orders, model.AspectSchemaMetadata, schema("id", "flows", "filtered", "asserted", "keyed", "saved", "ran", "used", "used_long_ago", "ran_long_ago", "flows_to_removed", "part", "part.inner", "part.other", "nobody"))
	h.Say(report, model.AspectSchemaMetadata, schema("flows"))
	h.Say(report, model.AspectUpstreamLineage, lineageOf(report, "flows"))
	h.Say(report, model.AspectViewProperties, `{"materialized":false,"viewLanguage":"SQL","viewLogic":"create view shop.report as select flows from shop.orders where filtered = 1"}`)
	h.Say(removed, model.AspectUpstreamLineage, lineageOf(removed, "flows_to_removed"))
	h.Say(removed, model.AspectStatus, `{"removed":true}`)
	h.Say("urn:li:assertion:one", model.AspectAssertionInfo, fmt.Sprintf(`{"type":"DATASET","datasetAssertion":{"dataset":%q,"scope":"DATASET_COLUMN","fields":[%q],"operator":"NOT_NULL"}}`, orders, column(orders, "asserted")))
	query(h, "saved", "MANUAL", "select saved from shop.orders", now.UnixMilli(), orders)
	query(h, "ran", "SYSTEM", "select id, ran from shop.orders", now.UnixMilli(), orders, column(orders, "id"))
	query(h, "old", "SYSTEM", "select ran_long_ago from shop.orders", now.AddDate(0, 0, -91).UnixMilli(), orders)
	usage(h, orders, now.AddDate(0, 0, -2), "used", "part.inner")
	usage(h, orders, now.AddDate(0, 0, -91), "used_long_ago")
	return h
}

func TestVerdicts(t *testing.T) {
	h := shop(t)
	page, err := h.Unused.Columns(t.Context(), unused.Request{Datasets: catalogtest.URNs(orders), All: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"id read sql", "flows read columnLineage", "filtered read sql", "asserted read assertion", "keyed unused", "saved read sql", "ran read sql", "used read",
		"used_long_ago unused", "ran_long_ago unused", "flows_to_removed unused", "part read", "part.inner read", "part.other unused", "nobody unused",
	}
	if diff := cmp.Diff(want, verdicts(page)); diff != "" {
		t.Error(diff)
	}
	last := page.Columns[len(page.Columns)-1]
	if diff := cmp.Diff(unused.Basis{UsageDays: 1, UsageQueries: 3, UsageColumns: true, Queries: 2}, last.Basis); diff != "" {
		t.Error(diff)
	}
	if page.Datasets != 1 || page.Judged != len(want) || page.Next != 0 {
		t.Errorf("page %+v", page)
	}
	page, err = h.Unused.Columns(t.Context(), unused.Request{Datasets: catalogtest.URNs(orders), Days: 120})
	if err != nil {
		t.Fatal(err)
	}
	want = []string{"keyed unused", "flows_to_removed unused", "part.other unused", "nobody unused"}
	if diff := cmp.Diff(want, verdicts(page)); diff != "" {
		t.Error(diff)
	}
}

// TestDoubts: a column is not called unused if something may read it, or if nothing is known of who reads its table.
func TestDoubts(t *testing.T) {
	h := shop(t)
	h.Say(opaque, model.AspectUpstreamLineage, lineageOf(opaque))
	h.Say(alone, model.AspectSchemaMetadata, schema("a"))
	h.Say(silent, model.AspectSchemaMetadata, schema("b"))
	usage(h, silent, h.Now().AddDate(0, 0, -1))
	h.Say(gone, model.AspectSchemaMetadata, schema("c"))
	h.Say(gone, model.AspectStatus, `{"removed":true}`)
	for _, c := range []struct {
		request unused.Request
		want    []string
	}{
		{unused.Request{Datasets: catalogtest.URNs(orders)}, []string{
			"keyed notKnown columnsNotStated, something reads", "used_long_ago notKnown columnsNotStated, something reads", "ran_long_ago notKnown columnsNotStated, something reads",
			"flows_to_removed notKnown columnsNotStated, something reads", "part.other notKnown columnsNotStated, something reads", "nobody notKnown columnsNotStated, something reads",
		}},
		{unused.Request{Platforms: catalogtest.URNs("urn:li:dataPlatform:hive")}, []string{"a notKnown, neither the"}},
		{unused.Request{Datasets: catalogtest.URNs(silent, gone)}, []string{"b notKnown, the usage"}},
	} {
		page, err := h.Unused.Columns(t.Context(), c.request)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, verdicts(page)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestPages: pages by any number of columns have the same columns together.
func TestPages(t *testing.T) {
	h := shop(t)
	h.Say(alone, model.AspectSchemaMetadata, schema("a"))
	whole, err := h.Unused.Columns(t.Context(), unused.Request{})
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for start, pages := 0, 0; ; pages++ {
		page, err := h.Unused.Columns(t.Context(), unused.Request{Start: start, Count: 1})
		if err != nil || pages > 10 {
			t.Fatalf("%d pages: %v", pages, err)
		}
		parts = append(parts, verdicts(page)...)
		if start = page.Next; start == 0 {
			break
		}
	}
	if !slices.Equal(parts, verdicts(whole)) || len(parts) < 7 {
		t.Errorf("pages\n%q\nwhole\n%q", parts, verdicts(whole))
	}
}

// TestRefused: the limits of a request, each at its edge.
func TestRefused(t *testing.T) {
	h := shop(t)
	many := make([]model.URN, limits.MaxUnusedDatasets+1)
	for i := range many {
		many[i] = catalogtest.URNs(orders)[0]
	}
	for _, c := range []struct {
		code    catalog.Code
		request unused.Request
	}{
		{"", unused.Request{Days: limits.MaxUnusedDays, Count: limits.MaxUnusedColumns, Datasets: many[:1]}},
		{catalog.Invalid, unused.Request{Days: limits.MaxUnusedDays + 1}},
		{catalog.Invalid, unused.Request{Days: -1}},
		{catalog.Invalid, unused.Request{Count: limits.MaxUnusedColumns + 1}},
		{catalog.Invalid, unused.Request{Start: -1}},
		{"", unused.Request{Datasets: many[:limits.MaxUnusedDatasets], Count: 1}},
		{catalog.Invalid, unused.Request{Datasets: many}},
		{catalog.Invalid, unused.Request{Datasets: catalogtest.URNs("urn:li:tag:x")}},
		{catalog.Invalid, unused.Request{Platforms: catalogtest.URNs(orders)}},
	} {
		_, err := h.Unused.Columns(t.Context(), c.request)
		if c.code == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		h.Want(c.code, err)
	}
}

// TestLimitOfColumns: at most limits.MaxUnusedColumns columns of a dataset are looked at, and at
// most limits.MaxUnusedReaders readers are named.
func TestLimitOfColumns(t *testing.T) {
	h := catalogtest.NewHarness(t)
	names := make([]string, limits.MaxUnusedColumns+1)
	for i := range names {
		names[i] = fmt.Sprintf("c%d", i)
	}
	for _, c := range []struct {
		columns int
		partial bool
	}{{limits.MaxUnusedColumns, false}, {limits.MaxUnusedColumns + 1, true}} {
		h.Say(alone, model.AspectSchemaMetadata, schema(names[:c.columns]...))
		page, err := h.Unused.Columns(t.Context(), unused.Request{Datasets: catalogtest.URNs(alone)})
		if err != nil || len(page.Columns) != limits.MaxUnusedColumns || (page.Partial != "") != c.partial {
			t.Errorf("%d columns: %d, %q, %v", c.columns, len(page.Columns), page.Partial, err)
		}
	}
	h.Say(orders, model.AspectSchemaMetadata, schema("a"))
	for i := range limits.MaxUnusedReaders + 1 {
		table := catalogtest.Dataset("postgres", fmt.Sprintf("t%d", i), "PROD")
		h.Say(table, model.AspectUpstreamLineage, lineageOf(table, "a"))
	}
	page, err := h.Unused.Columns(t.Context(), unused.Request{Datasets: catalogtest.URNs(orders), All: true})
	if err != nil || len(page.Columns) != 1 || len(page.Columns[0].Readers) != limits.MaxUnusedReaders || page.Columns[0].ReaderCount != limits.MaxUnusedReaders+1 {
		t.Errorf("%+v, %v", page, err)
	}
}

// TestLimitOfQueries: at most limits.MaxUnusedQueries queries of a dataset are looked at. If a dataset has more, none
// of its columns is called unused.
func TestLimitOfQueries(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Say(orders, model.AspectSchemaMetadata, schema("a"))
	for i := range limits.MaxUnusedQueries + 1 {
		h.Say(fmt.Sprintf("urn:li:query:q%d", i), model.AspectQuerySubjects, fmt.Sprintf(`{"subjects":[{"entity":%q}]}`, orders))
		if i < limits.MaxUnusedQueries-1 {
			continue
		}
		page, err := h.Unused.Columns(t.Context(), unused.Request{Datasets: catalogtest.URNs(orders)})
		if err != nil || len(page.Columns) != 1 {
			t.Fatal(page, err)
		}
		more := slices.ContainsFunc(page.Columns[0].Doubts, func(d string) bool { return strings.Contains(d, "more queries") })
		if more != (i == limits.MaxUnusedQueries) || page.Columns[0].Basis.Queries != limits.MaxUnusedQueries {
			t.Errorf("%d queries: %+v", i+1, page.Columns[0])
		}
	}
}

func TestSearched(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	h.Say(orders, model.AspectSchemaMetadata, schema("a"))
	h.Say(alone, model.AspectSchemaMetadata, schema("b"))
	h.Await()
	page, err := h.Unused.Columns(t.Context(), unused.Request{Query: "orders"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a notKnown, neither the"}, verdicts(page)); diff != "" {
		t.Error(diff)
	}
}
