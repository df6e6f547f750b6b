package openlineage

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// oddFacets are facets in forms that a decoder may read in another way than encoding/json does.
var oddFacets = []string{
	`{"a":{"_deleted":true},"b":null}`,
	`{"a":1,"a":{"x":2}}`,
	`{"a":{"x":1},"a":null}`,
	`{"":{}, "A":[1, 2 ], "a":"text"}`,
	`{"a":{"n":12345678901234567890.50e-3,"s":"<&> \u2028 ` + "\u2028" + ` \ud800 \/"}}`,
	"{\"a\":{\"s\":\"\xff\xfe\"},\"n\xff\":7}",
	`null`, `"text"`, `[{"a":1}]`, `7`, `true`, `{}`,
}

// TestEventsAsEncodingJSONReads: events, also unusual ones, mean what encoding/json reads in them.
func TestEventsAsEncodingJSONReads(t *testing.T) {
	type inOut struct {
		Namespace, Name                   string
		Facets, InputFacets, OutputFacets json.RawMessage
	}
	var texts []string
	for _, odd := range oddFacets {
		texts = append(texts, fmt.Sprintf(`{"eventTime":"2026-01-01T00:00:00Z","EVENTTYPE":"START","eventtype":"COMPLETE","producer":"\u00e9 <p>","unknown":{"run":[]},
			"run":{"runId":"r","facets":%[1]s},"job":{"namespace":"n","NAME":"j","facets":%[1]s},"inputs":[{"namespace":"n","name":"a","facets":%[1]s,"inputFacets":%[1]s}],"outputs":null}`, odd))
	}
	for _, text := range texts {
		e, err := parse(json.RawMessage(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var want struct {
			EventType, Producer string
			Run                 struct{ Facets json.RawMessage }
			Job                 inOut
			Inputs, Outputs     []inOut
		}
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if e.EventType != want.EventType || e.Producer != want.Producer || e.Job.Name != want.Job.Name || len(e.Outputs) != len(want.Outputs) {
			t.Errorf("%s was read as %+v", text, e)
		}
		for _, side := range []struct {
			got  facets
			want json.RawMessage
		}{{e.Run.Facets, want.Run.Facets}, {e.Job.Facets, want.Job.Facets}, {e.Inputs[0].Facets, want.Inputs[0].Facets}, {e.Inputs[0].InputFacets, want.Inputs[0].InputFacets}, {e.Inputs[0].OutputFacets, nil}} {
			var plain map[string]json.RawMessage
			_ = json.Unmarshal(side.want, &plain) // what is not an object has no facets
			for key, value := range plain {
				if string(value) == "null" {
					delete(plain, key)
				}
			}
			if len(side.got)+len(plain) > 0 && !cmp.Equal(map[string]json.RawMessage(side.got), plain) {
				t.Errorf("the facets %s were read as %s, want %s", side.want, side.got, plain)
			}
		}
	}
	for _, text := range []string{``, `{`, `[]`, `"x"`, `{}{}`, `{"run":7}`, `{"job":{"name":7}}`, `{"inputs":{}}`, `{"run":{"facets":{"a":}}}`, `{"run":{"facets":{"a" 1}}}`} {
		if _, err := parse(json.RawMessage(text)); err == nil {
			t.Errorf("%s was read as an event", text)
		}
	}
}

// TestFacetsAsFarAsTheyHaveTheForm: a member of another type does not cost the members beside it.
func TestFacetsAsFarAsTheyHaveTheForm(t *testing.T) {
	type part struct {
		A string   `json:"a"`
		B []string `json:"b"`
		C *part    `json:"c"`
		D int      `json:"d"`
	}
	for _, text := range []string{
		`{"a":7,"b":["x",8,"y"],"c":{"a":"in","b":"no"},"d":1.5}`, `{"d":"7","a":"text"}`, `{"c":[],"A":"text","d":3}`,
		`[]`, `{"a":"text","b":["x"`, `{"d":99999999999999999999999,"a":"text"}`, `{"a":"text"}}`,
	} {
		var want part
		_ = json.Unmarshal([]byte(text), &want)
		if got := read[part](json.RawMessage(text)); !cmp.Equal(got, want) {
			t.Errorf("%s was read as %+v, want %+v", text, got, want)
		}
	}
}

// TestStatesAsEncodingJSONWrites: an upgraded server writes a state that has not changed as it was written before.
func TestStatesAsEncodingJSONWrites(t *testing.T) {
	for i, odd := range oddFacets {
		value := json.RawMessage(odd)
		for _, state := range []any{
			&dataset{Facets: factSet{"z<": {At: 3, Value: value}, "a": {At: -1, Rank: 2, Run: "r\u2028", Value: value}}},
			&told{Events: []toldEvent{{place: place{1, 2, "s"}, Type: "<&>", Bytes: 3, Text: value}, {place: place{At: 4}}}, Dropped: &place{At: 5}},
			&run{Facets: factSet{"a": {Value: value}}, Shown: map[string]shown{"x": {At: 1}}},
			&job{}, &flow{}, &origin{}, &asserted{}, value,
		} {
			want, wantErr := json.Marshal(state)
			got, err := jsontree.Marshal(state)
			if string(got) != string(want) || (err == nil) != (wantErr == nil) {
				t.Errorf("facets %d in %T were written as %s (%v), want %s (%v)", i, state, got, err, want, wantErr)
			}
		}
	}
	if got, err := jsontree.Marshal(json.RawMessage(`{"a":}`)); err == nil {
		t.Errorf("a text that is not JSON was written as %s", got)
	}
}
