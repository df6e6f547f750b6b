package moments_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/moments"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
)

const table = "urn:li:dataset:(urn:li:dataPlatform:hive,moments.table,PROD)"

// onStores runs a test with a Harness over each kind of store.
func onStores(t *testing.T, test func(t *testing.T, h *catalogtest.Harness)) {
	catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) {
		f := &catalogtest.Faulty{Store: store}
		test(t, &catalogtest.Harness{Services: services.New(services.Options{Store: f, Now: testclock.Now}), T: t, Store: f})
	})
}

// schema is a schema whose columns have the same types.
func schema(paths ...string) string {
	var fields []string
	for _, path := range paths {
		fields = append(fields, fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":"int","description":"source %s","type":{"type":{"com.linkedin.schema.NumberType":{}}}}`, path, path))
	}
	return `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[` + strings.Join(fields, ",") + `]}`
}

func tags(names ...string) string {
	var list []string
	for _, name := range names {
		list = append(list, `{"tag":"urn:li:tag:`+name+`"}`)
	}
	return `{"tags":[` + strings.Join(list, ",") + `]}`
}

// edited is an aspect in which people describe columns; pairs are paths and descriptions.
func edited(pairs ...string) string {
	var fields []string
	for i := 0; i < len(pairs); i += 2 {
		fields = append(fields, fmt.Sprintf(`{"fieldPath":%q,"description":%q,"globalTags":{"tags":[{"tag":"urn:li:tag:%s"}]}}`, pairs[i], pairs[i+1], pairs[i+1]))
	}
	return `{"created":{"time":1,"actor":"urn:li:corpuser:ada"},"lastModified":{"time":1,"actor":"urn:li:corpuser:ada"},"editableSchemaFieldInfo":[` + strings.Join(fields, ",") + `]}`
}

// shown is an entity as text, without the members that differ between the present and the same moment in the
// past.
func shown(t *testing.T, e *moments.Entity) string {
	t.Helper()
	lines := []string{fmt.Sprint(e.Removed, " ", e.Description, " ", e.SubTypes, " ", e.Names, " ", e.TimeSeries)}
	for _, a := range append(slices.Clone(e.Aspects), e.Series...) {
		lines = append(lines, fmt.Sprintf("%s %s by %s at %d", a.Name, a.Value, a.Created.Actor, a.Created.Time))
	}
	columns, err := moments.ColumnsIn(e.Aspects)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range columns {
		lines = append(lines, fmt.Sprintf("%+v", c))
	}
	return strings.Join(lines, "\n")
}

// TestEntityAtIsWhatWasRead writes a random history, reads the entity and names after each write,
// and then asks for each of these moments: the answers are the same.
func TestEntityAtIsWhatWasRead(t *testing.T) {
	onStores(t, func(t *testing.T, h *catalogtest.Harness) {
		ctx, random := context.Background(), rand.New(rand.NewPCG(42, 1))
		pick := func(list ...string) string { return list[random.IntN(len(list))] }
		type answer struct {
			at             int64
			entity, tagged string
		}
		tag := "urn:li:tag:pii"
		var recorded []answer
		name := func(at int64) string {
			n, err := h.Moments.Names(ctx, []string{table, tag}, at)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(n[table].Name, n[table].Exists, n[table].Removed, n[table].AsOfToday, n[tag].Name, n[tag].Exists)
		}
		h.Say(table, "status", `{"removed":false}`)
		for i := range 14 {
			run := fmt.Sprint("run", i)
			switch random.IntN(8) {
			case 0:
				h.Run(run, table, "schemaMetadata", schema("a", pick("b", "c"), pick("d", "e")))
			case 1:
				h.Run(run, table, "editableSchemaMetadata", edited("a", pick("x", "y"), pick("b", "d"), pick("x", "z")))
			case 2:
				h.Run(run, table, "globalTags", tags("pii", pick("x", "y", "z")))
			case 3:
				h.Run(run, table, "status", `{"removed":`+pick("true", "false")+`}`)
			case 4:
				h.Run(run, table, "datasetProperties", `{"name":"`+pick("One", "Two", "Three")+`","description":"`+pick("d1", "d2")+`"}`)
			case 5:
				h.Run(run, tag, "tagProperties", `{"name":"`+pick("PII", "Private")+`"}`)
			case 6:
				h.Run(run, table, "subTypes", `{"typeNames":["`+pick("Table", "View")+`"]}`)
			case 7:
				h.Run(run, table, "editableDatasetProperties", `{"description":"`+pick("e1", "e2")+`"}`)
				if random.IntN(2) == 0 {
					h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun(run)})
				}
			}
			at := catalogtest.Past(t)
			e, err := h.Moments.Now(ctx, catalogtest.URN(table))
			if err != nil {
				t.Fatal(err)
			}
			recorded = append(recorded, answer{at: at, entity: shown(t, e), tagged: name(0)})
		}
		for i, want := range recorded {
			e, err := h.Moments.At(ctx, catalogtest.URN(table), want.at)
			if err != nil || !e.Recorded || len(e.Lost) > 0 {
				t.Fatal(err, e)
			}
			if diff := cmp.Diff(want.entity, shown(t, e)); diff != "" && len(e.Unsure) == 0 {
				t.Errorf("answer %d: %s", i, diff)
			}
			if got := name(want.at); got != want.tagged {
				t.Errorf("answer %d: %s, was %s", i, got, want.tagged)
			}
		}
	})
}

// TestBeforeTheFirstRecord: an entity that was not recorded yet has nothing, and one of which
// nothing is stored is not found.
func TestBeforeTheFirstRecord(t *testing.T) {
	onStores(t, func(t *testing.T, h *catalogtest.Harness) {
		ctx, u := context.Background(), catalogtest.URN(table)
		before := catalogtest.Past(t)
		if _, err := h.Moments.At(ctx, u, before); catalog.CodeOf(err) != catalog.NotFound {
			t.Error(err)
		}
		h.Say(table, "schemaMetadata", schema("a"))
		h.Say(table, "datasetProfile", `{"timestampMillis":`+fmt.Sprint(testclock.Now().UnixMilli())+`,"rowCount":1}`)
		made := catalogtest.Past(t)
		e, err := h.Moments.At(ctx, u, before)
		if err != nil || e.Recorded || len(e.Aspects)+len(e.TimeSeries) > 0 || e.FirstRecorded <= before || e.FirstRecorded > made {
			t.Errorf("%+v %v", e, err)
		}
		columns, err := h.Moments.Columns(ctx, u, before)
		if err != nil || columns.Recorded || len(columns.Columns) > 0 {
			t.Errorf("%+v %v", columns, err)
		}
		if e, err = h.Moments.At(ctx, u, made); err != nil || len(e.Series) != 1 {
			t.Errorf("%+v %v", e, err)
		}
	})
}

// TestSince: the changes after a moment begin with the first record, have the words of timelines,
// and name the aspects that differ.
func TestSince(t *testing.T) {
	onStores(t, func(t *testing.T, h *catalogtest.Harness) {
		ctx, u := context.Background(), catalogtest.URN(table)
		before := catalogtest.Past(t)
		h.Run("first", table, "globalTags", tags("a"))
		made := catalogtest.Past(t)
		h.Run("second", table, "globalTags", tags("a", "b"))
		h.Run("second", table, "browsePaths", `{"paths":["/x"]}`)
		second := catalogtest.Past(t)
		h.Run("third", table, "globalTags", tags("a"))
		told := func(from, to int64) []string {
			t.Helper()
			since, err := h.Moments.Since(ctx, moments.SinceRequest{URN: u, From: from, To: to, Categories: []string{"TAG"}, Count: 100})
			if err != nil || since.Partial || since.Total != len(since.Changes.Changes) {
				t.Fatal(err, since)
			}
			lines := []string{fmt.Sprint(since.From == since.FirstRecorded)}
			for _, c := range since.Changes.Changes {
				lines = append(lines, c.Run+": "+c.Description)
			}
			for _, a := range since.Aspects {
				if a.Name == "globalTags" || a.Name == "browsePaths" {
					lines = append(lines, fmt.Sprint(a.Name, " ", a.Operation, " ", a.Told))
				}
			}
			return lines
		}
		for _, c := range []struct {
			from, to int64
			want     []string
		}{
			{before, second, []string{"true", "second: Tag b was added", "first: Tag a was added", "browsePaths ADD false", "globalTags ADD true"}},
			{made, second, []string{"false", "second: Tag b was added", "browsePaths MODIFY false", "globalTags MODIFY true"}},
			{made, 0, []string{"false", "third: Tag b was removed", "second: Tag b was added", "browsePaths MODIFY false"}},
			{second, second, []string{"false"}},
			{before, before, []string{"true"}},
		} {
			if diff := cmp.Diff(c.want, told(c.from, c.to)); diff != "" {
				t.Error(diff)
			}
		}
		for _, r := range []moments.SinceRequest{{URN: u}, {URN: u, From: 2, To: 1}, {URN: u, From: made, Categories: []string{"NONE"}, Count: 1}} {
			if _, err := h.Moments.Since(ctx, r); catalog.CodeOf(err) != catalog.Invalid {
				t.Error(r, err)
			}
		}
	})
}

// TestRestore restores an entity, an aspect, a version, a column, a member and a label. A dry run reports the
// same changes and writes nothing.
func TestRestore(t *testing.T) {
	onStores(t, func(t *testing.T, h *catalogtest.Harness) {
		ctx, u := context.Background(), catalogtest.URN(table)
		h.Say(table, "globalTags", tags("a", "b"))
		h.Say(table, "editableSchemaMetadata", edited("x", "one", "y", "two"))
		h.Say(table, "editableDatasetProperties", `{"description":"first","name":"N"}`)
		made := catalogtest.Past(t)
		h.Say(table, "globalTags", tags("a", "c"))
		h.Say(table, "editableSchemaMetadata", edited("x", "three", "z", "four"))
		h.Say(table, "editableDatasetProperties", `{"description":"second","name":"M"}`)
		h.Say(table, "deprecation", `{"deprecated":true,"note":"","actor":"urn:li:corpuser:ada"}`)
		now := h.State()
		restore := func(r moments.RestoreRequest) *moments.Restored {
			t.Helper()
			r.URN, r.DryRun = u, true
			before := h.State()
			dry, err := h.Moments.Restore(ctx, r, catalog.WriteOptions{Actor: "urn:li:corpuser:ada"})
			if err != nil || h.State() != before {
				t.Fatal("a dry run changes something", err)
			}
			r.DryRun = false
			done, err := h.Moments.Restore(ctx, r, catalog.WriteOptions{Actor: "urn:li:corpuser:ada"})
			if err != nil {
				t.Fatal(err)
			}
			dry.DryRun = false
			if diff := cmp.Diff(dry, done); diff != "" {
				t.Error("the dry run told something else: ", diff)
			}
			for _, a := range done.Aspects {
				if got := h.Value(table, a.Name, 0); !sameJSON(t, got, string(a.After)) {
					t.Errorf("%s is %s, told was %s", a.Name, got, a.After)
				}
			}
			return done
		}
		has := func(aspect string, texts ...string) {
			t.Helper()
			value := h.Value(table, aspect, 0)
			for _, text := range texts {
				if without, no := strings.CutPrefix(text, "!"); strings.Contains(value, without) == no {
					t.Errorf("%s of %s", text, value)
				}
			}
		}
		restore(moments.RestoreRequest{AsOf: made, Label: catalogtest.URN("urn:li:tag:b")})
		has("globalTags", "tag:a", "tag:b", "tag:c")
		restore(moments.RestoreRequest{AsOf: made, Label: catalogtest.URN("urn:li:tag:c")})
		has("globalTags", "tag:a", "tag:b", "!tag:c")
		restore(moments.RestoreRequest{AsOf: made, Column: "x", Member: "description"})
		has("editableSchemaMetadata", `"description":"one"`, "tag:three", "!two", "four")
		restore(moments.RestoreRequest{AsOf: made, Column: "x", Label: catalogtest.URN("urn:li:tag:one")})
		has("editableSchemaMetadata", "tag:one", "tag:three")
		restore(moments.RestoreRequest{AsOf: made, Column: "y"})
		has("editableSchemaMetadata", "two", "four")
		restore(moments.RestoreRequest{AsOf: made, Column: "z"})
		has("editableSchemaMetadata", "two", "!four")
		restore(moments.RestoreRequest{AsOf: made, Aspects: []string{"editableDatasetProperties"}, Member: "description"})
		has("editableDatasetProperties", "first", `"M"`)
		one := int64(1)
		restore(moments.RestoreRequest{Version: &one, Aspects: []string{"editableDatasetProperties"}})
		has("editableDatasetProperties", "first", `"N"`)
		done := restore(moments.RestoreRequest{AsOf: made})
		has("editableSchemaMetadata", "one", "two", "!three", "!four")
		if h.Value(table, "deprecation", 0) != "" || len(done.Skipped) > 0 {
			t.Error(done)
		}
		if second := restore(moments.RestoreRequest{AsOf: made}); second.Changed || len(second.Aspects) > 0 {
			t.Error(second)
		}
		if h.State() == now {
			t.Error("nothing was restored")
		}
	})
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	if a == "" || b == "" {
		return a == b
	}
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatal(err)
	}
	return cmp.Equal(x, y)
}

// TestRestoreRefuses: a bad request, a value that is not kept, and a part that the caller may not
// write are refused and change nothing.
func TestRestoreRefuses(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	h.Say(table, "globalTags", tags("a"))
	made := catalogtest.Past(t)
	for i := range 25 {
		h.Say(table, "globalTags", tags(fmt.Sprint("t", i)))
	}
	before := h.State()
	u, one := catalogtest.URN(table), int64(1)
	for name, c := range map[string]struct {
		request moments.RestoreRequest
		want    catalog.Code
	}{
		"no moment":              {moments.RestoreRequest{URN: u}, catalog.Invalid},
		"moment and version":     {moments.RestoreRequest{URN: u, AsOf: made, Version: &one, Aspects: []string{"globalTags"}}, catalog.Invalid},
		"a version of all":       {moments.RestoreRequest{URN: u, Version: &one}, catalog.Invalid},
		"a member of all":        {moments.RestoreRequest{URN: u, AsOf: made, Member: "x"}, catalog.Invalid},
		"the key":                {moments.RestoreRequest{URN: u, AsOf: made, Aspects: []string{"datasetKey"}}, catalog.Invalid},
		"a time series":          {moments.RestoreRequest{URN: u, AsOf: made, Aspects: []string{"datasetProfile"}}, catalog.Invalid},
		"another type's aspect":  {moments.RestoreRequest{URN: u, AsOf: made, Aspects: []string{"chartInfo"}}, catalog.Invalid},
		"no label":               {moments.RestoreRequest{URN: u, AsOf: made, Label: u}, catalog.Invalid},
		"an owner of a column":   {moments.RestoreRequest{URN: u, AsOf: made, Column: "a", Label: catalogtest.URN("urn:li:corpuser:ada")}, catalog.Invalid},
		"before the first":       {moments.RestoreRequest{URN: u, AsOf: 1}, catalog.Invalid},
		"nothing stored":         {moments.RestoreRequest{URN: catalogtest.URN(strings.Replace(table, "table", "none", 1)), AsOf: made}, catalog.NotFound},
		"a lost version":         {moments.RestoreRequest{URN: u, Version: &one, Aspects: []string{"globalTags"}}, catalog.NotFound},
		"a value that is lost":   {moments.RestoreRequest{URN: u, AsOf: made, Aspects: []string{"globalTags"}}, catalog.Gone},
		"another aspect's label": {moments.RestoreRequest{URN: u, AsOf: made, Aspects: []string{"ownership"}, Label: catalogtest.URN("urn:li:tag:a")}, catalog.Invalid},
	} {
		if _, err := h.Moments.Restore(ctx, c.request, catalog.WriteOptions{}); catalog.CodeOf(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	whole, err := h.Moments.Restore(ctx, moments.RestoreRequest{URN: u, AsOf: made}, catalog.WriteOptions{})
	if err != nil || len(whole.Skipped) != 1 || whole.Skipped[0].Name != "globalTags" {
		t.Errorf("%+v %v", whole, err)
	}
	if h.State() != before {
		t.Error("something changed")
	}
}

// TestRestoreIsJudged: without the right to write an aspect, neither a restoration nor its dry run
// succeeds, and nothing changes.
func TestRestoreIsJudged(t *testing.T) {
	refusing := false
	h := catalogtest.NewProtectedHarness(t, func(_ context.Context, wants []write.Want) []error {
		refusals := make([]error, len(wants))
		for i, want := range wants {
			if refusing && want.Aspect == model.AspectGlobalTags {
				refusals[i] = catalog.Errorf(catalog.Forbidden, "not you")
			}
		}
		return refusals
	})
	h.Say(table, "globalTags", tags("a"))
	h.Say(table, "ownership", `{"owners":[]}`)
	made := catalogtest.Past(t)
	h.Say(table, "globalTags", tags("b"))
	h.Say(table, "ownership", `{"owners":[{"owner":"urn:li:corpuser:ada","type":"DATAOWNER"}]}`)
	refusing = true
	before := maps.Clone(map[string]string{"globalTags": h.Value(table, "globalTags", 0), "ownership": h.Value(table, "ownership", 0)})
	for _, dry := range []bool{true, false} {
		_, err := h.Moments.Restore(context.Background(), moments.RestoreRequest{URN: catalogtest.URN(table), AsOf: made, DryRun: dry}, catalog.WriteOptions{})
		if err == nil || !strings.Contains(err.Error(), "not you") {
			t.Errorf("dry run %v: %v", dry, err)
		}
	}
	for aspect, value := range before {
		if h.Value(table, aspect, 0) != value {
			t.Error(aspect, "changed")
		}
	}
}
