package openlineage

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

func repeated(n int, one func(i int) string) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = one(i)
	}
	return strings.Join(texts, ",")
}

// TestEventsAtTheirLimits compares events at each limit with events that have one more.
func TestEventsAtTheirLimits(t *testing.T) {
	at := `"eventTime":"2026-11-27T10:00:00Z"`
	datasets := func(n int) string {
		return `{` + at + `,"job":{"namespace":"n","name":"j"},"inputs":[` + repeated(n, func(i int) string { return fmt.Sprintf(`{"namespace":"n","name":"d%d"}`, i) }) + `]}`
	}
	name := func(n int) string {
		return `{` + at + `,"job":{"namespace":"n","name":"` + strings.Repeat("j", n-1) + `"}}`
	}
	run := func(n int) string {
		return `{` + at + `,"run":{"runId":"` + strings.Repeat("r", n) + `"},"job":{"namespace":"n","name":"j"}}`
	}
	for _, c := range []struct {
		of   string
		most int
		text func(int) string
		code catalog.Code
	}{
		{"datasets", limits.OpenLineageDatasets, datasets, catalog.TooLarge},
		{"name", limits.OpenLineageName, name, catalog.Invalid},
		{"run", limits.OpenLineageRunID, run, catalog.Invalid},
	} {
		if _, err := parse(json.RawMessage(c.text(c.most))); err != nil {
			t.Errorf("%s at its limit: %v", c.of, err)
		}
		if _, err := parse(json.RawMessage(c.text(c.most + 1))); catalog.CodeOf(err) != c.code {
			t.Errorf("%s over its limit: %v", c.of, err)
		}
	}
}

func TestFactsAtTheirLimits(t *testing.T) {
	set := factSet{}
	for i := limits.OpenLineageFacets; i >= 0; i-- {
		set.put(fmt.Sprintf("facet%04d", i), fact{At: 1, Value: json.RawMessage(`1`)})
	}
	if _, last := set[fmt.Sprintf("facet%04d", limits.OpenLineageFacets)]; len(set) != limits.OpenLineageFacets || last {
		t.Errorf("%d facets are kept, the last one: %v", len(set), last)
	}
	text := func(n int) json.RawMessage { return json.RawMessage(`"` + strings.Repeat("x", n-2) + `"`) }
	set.put("facet0000", fact{At: 2, Value: text(limits.OpenLineageFacetBytes)})
	if n := len(set["facet0000"].Value); n != limits.OpenLineageFacetBytes {
		t.Errorf("a facet at its limit is kept with %d bytes", n)
	}
	set.put("facet0000", fact{At: 3, Value: text(limits.OpenLineageFacetBytes + 1)})
	if got := string(set["facet0000"].Value); got != `{"_tooLarge":true}` {
		t.Errorf("a facet over its limit is kept as %.40s", got)
	}
}

func TestStatesAtTheirLimits(t *testing.T) {
	var known map[string]*jobDataset
	var runs map[string]*runDataset
	for i := range limits.OpenLineageJobDatasets + 1 {
		e := &event{at: 1, Run: &eventRun{RunID: "r"}}
		one := []eventInOut{{eventEntity: eventEntity{Namespace: "n", Name: fmt.Sprint(i)}}}
		known = mergeJobDatasets(known, one, e)
		runs = mergeRunDatasets(runs, one, e)
	}
	if len(known) != limits.OpenLineageJobDatasets || len(runs) != limits.OpenLineageDatasets {
		t.Errorf("a job keeps %d datasets, a run %d", len(known), len(runs))
	}
	var d dataset
	for i := range limits.OpenLineageRenamed + 1 {
		d.use(naming.JobName{Name: fmt.Sprint(i)})
	}
	if len(d.Jobs) != limits.OpenLineageRenamed {
		t.Errorf("a dataset keeps %d jobs", len(d.Jobs))
	}
	identifiers := `{"identifiers":[` + repeated(limits.OpenLineageIdentifiers+1, func(i int) string { return fmt.Sprintf(`{"namespace":"n","name":"d%d"}`, i) }) + `]}`
	if n := len(identifiersIn(json.RawMessage(identifiers))); n != limits.OpenLineageIdentifiers {
		t.Errorf("%d identifiers count", n)
	}
}

func TestPropertiesAtTheirLimits(t *testing.T) {
	p := properties{}
	p.flatten("", json.RawMessage(`{`+repeated(limits.OpenLineageProperties+1, func(i int) string { return fmt.Sprintf(`"p%d":"x"`, i) })+`}`), true)
	if len(p) != limits.OpenLineageProperties {
		t.Errorf("%d properties are kept", len(p))
	}
	p = properties{}
	p.set("whole", strings.Repeat("x", limits.OpenLineagePropertyBytes))
	p.set("cut", strings.Repeat("x", limits.OpenLineagePropertyBytes+1))
	if len(p["whole"]) != limits.OpenLineagePropertyBytes || !strings.HasPrefix(p["cut"], strings.Repeat("x", limits.OpenLineagePropertyBytes)+"…") {
		t.Errorf("texts at and over the limit have %d and %d bytes", len(p["whole"]), len(p["cut"]))
	}
	nested := func(depth int) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"a":`, depth) + `1` + strings.Repeat(`}`, depth))
	}
	for depth, want := range map[int]int{limits.OpenLineageDepth: 1, limits.OpenLineageDepth + 1: 0} {
		p = properties{}
		if p.flatten("", nested(depth), false); len(p) != want {
			t.Errorf("a facet with %d levels has %d properties, want %d", depth, len(p), want)
		}
	}
}

func TestColumnsAtTheirLimits(t *testing.T) {
	w := &work{Service: &Service{dialect: model.Default().Dialects()[0]}}
	fields := make([]schemaField, limits.OpenLineageColumns+1)
	for i := range fields {
		fields[i].Name = fmt.Sprint(i)
	}
	if n := len(w.schemaFields(nil, "", fields, 0)); n != limits.OpenLineageColumns {
		t.Errorf("%d columns are read", n)
	}
}
