package history_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/write"
)

// changedTable writes a table that changes in every category. changedTable returns a moment
// after the first schema.
func changedTable(t *testing.T) (h *catalogtest.Harness, afterFirst int64) {
	h = catalogtest.NewHarness(t)
	columns := func(names ...string) string {
		var list []string
		for _, name := range names {
			list = append(list, aColumn(name, "x"))
		}
		return aSchema("", list...)
	}
	for i, step := range [][2]string{
		{"schemaMetadata", columns("a", "b")},
		{"schemaMetadata", columns("a", "b", "c")},
		{"globalTags", tagsOf("pii")},
		{"schemaMetadata", columns("a", "c")},
		{"upstreamLineage", `{"upstreams":[{"dataset":"` + catalogtest.Upstream + `","type":"COPY"}]}`},
		{"upstreamLineage", `{"upstreams":[]}`},
		{"datasetProperties", "{" + described("one") + "}"},
		{"datasetProperties", "{" + described("two") + "}"},
	} {
		h.Put("", write.Upsert, catalogtest.Table, step[0], step[1])
		if at := catalogtest.Past(t); i == 0 {
			afterFirst = at
		}
	}
	return h, afterFirst
}

// TestTimelineOfCategories: a timeline of each category has the changes of the category, and
// numbers each version by the greatest of its changes.
func TestTimelineOfCategories(t *testing.T) {
	h, afterFirst := changedTable(t)
	schema := []string{
		"0.0.0 TECHNICAL_SCHEMA Column a was added", "0.0.0 TECHNICAL_SCHEMA Column b was added",
		"0.1.0 TECHNICAL_SCHEMA Column c was added", "1.0.0 TECHNICAL_SCHEMA Column b was removed",
	}
	for _, c := range []struct {
		name    string
		request history.TimelineRequest
		want    []string
	}{
		{"schema", history.TimelineRequest{Categories: []string{"technical_schema"}}, schema},
		{"since", history.TimelineRequest{Categories: []string{"TECHNICAL_SCHEMA"}, Start: afterFirst}, schema[2:]},
		{"lineage and tags", history.TimelineRequest{Categories: []string{"LINEAGE", "TAG"}}, []string{
			"0.1.0 TAG Tag urn:li:tag:pii was added", "0.2.0 LINEAGE Upstream " + catalogtest.Upstream + " was added", "0.3.0 LINEAGE Upstream " + catalogtest.Upstream + " was removed",
		}},
		{"documentation", history.TimelineRequest{Categories: []string{"DOCUMENTATION"}}, []string{
			"0.1.0 DOCUMENTATION The description in datasetProperties was added: 'one'", "0.2.0 DOCUMENTATION The description in datasetProperties was changed from 'one' to 'two'",
		}},
		{"unknown", history.TimelineRequest{Categories: []string{"WEATHER"}}, []string{"invalid"}},
		{"backwards", history.TimelineRequest{Start: 9, End: 8}, []string{"invalid"}},
	} {
		if got := changes(h, c.request); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
	if all := changes(h, history.TimelineRequest{}); len(all) != 9 {
		t.Errorf("all: %q", all)
	}
}

// TestRawTimeline checks the differences of the aspects' values.
func TestRawTimeline(t *testing.T) {
	h, _ := changedTable(t)
	raw, err := h.History.Timeline(context.Background(), history.TimelineRequest{URN: catalogtest.URN(catalogtest.Table), Categories: []string{"DOCUMENTATION"}, Raw: true})
	if err != nil || len(raw) != 2 || string(raw[1].RawDiff) != `[{"value":"two","op":"replace","path":"/datasetProperties/description"}]` ||
		raw[1].VersionStamp != "datasetProperties:0" || raw[0].VersionStamp != "datasetProperties:1" || raw[1].Actor != catalogtest.Ada {
		t.Errorf("raw: %s %v", catalogtest.MustJSON(t, raw), err)
	}
}

// changes returns the timeline of the table as text.
func changes(h *catalogtest.Harness, r history.TimelineRequest) []string {
	r.URN = catalogtest.URN(catalogtest.Table)
	found, err := h.History.Timeline(context.Background(), r)
	if err != nil {
		return []string{string(catalog.CodeOf(err))}
	}
	list := []string{}
	for _, tx := range found {
		for _, e := range tx.ChangeEvents {
			list = append(list, strings.TrimSuffix(tx.SemVer, "-computed")+" "+e.Category+" "+e.Description)
		}
	}
	return list
}
