package recipe_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/executor/recipe"
	"github.com/headwater-io/headwater/internal/limits"
)

const ours = "http://127.0.0.1:8080"

// TestRead: the source, its settings, the pipeline and the secrets of a recipe are found, and its text keeps
// their names.
func TestRead(t *testing.T) {
	r, err := recipe.Read(`{"source": {"type": "postgres", "config": {"password": "${PG_PASSWORD}", "host_port": "db:5432", "schemas": ["${SCHEMA:-public}", "x${A}y${B:?needed}"], "n": 12345678901234567890}}, "pipeline_name": "urn:li:dataHubIngestionSource:1"}`, recipe.Options{Server: ours})
	if err != nil {
		t.Fatal(err)
	}
	if r.Type != "postgres" || r.Pipeline != "urn:li:dataHubIngestionSource:1" || !r.Default || !r.Plain || r.Config["host_port"] != "db:5432" {
		t.Errorf("%+v", r)
	}
	if !slices.Equal(r.Secrets, []string{"A", "B", "PG_PASSWORD"}) || !slices.Equal(r.Optional, []string{"SCHEMA"}) {
		t.Errorf("the secrets are %q and %q", r.Secrets, r.Optional)
	}
	text, err := r.Text("run-1")
	if err != nil || !strings.Contains(string(text), "${PG_PASSWORD}") || !strings.Contains(string(text), `"run_id": "run-1"`) || !strings.Contains(string(text), "12345678901234567890") {
		t.Errorf("%s, %v", text, err)
	}
}

// TestSinks: recipes write to the executor's server unless they say otherwise.
func TestSinks(t *testing.T) {
	for sink, want := range map[string]bool{
		``:                                true,
		`,"sink":null`:                    true,
		`,"sink":{"type":"datahub-rest"}`: true,
		`,"sink":{"type":"datahub-rest","config":{"server":"http://localhost:8080/"}}`:                            true,
		`,"sink":{"type":"datahub-rest","config":{"server":"${DATAHUB_GMS_URL}","token":"${DATAHUB_GMS_TOKEN}"}}`: true,
		`,"sink":{"type":"datahub-rest","config":{"server":"http://localhost:8081"}}`:                             false,
		`,"sink":{"type":"datahub-rest","config":{"server":"http://127.0.0.1:8080","token":"other"}}`:             false,
		`,"sink":{"type":"file","config":{"filename":"out.json"}}`:                                                false,
		`,"sink":{"type":"console"},"transformers":[]`:                                                            false,
	} {
		r, err := recipe.Read(`{"source":{"type":"file"}`+sink+`}`, recipe.Options{Server: ours})
		if err != nil || r.Default != want {
			t.Errorf("%s: %v, %v", sink, r, err)
			continue
		}
		text, err := r.Text("x")
		if err != nil || strings.Contains(string(text), `"sink"`) == want {
			t.Errorf("%s: %s, %v", sink, text, err)
		}
	}
}

// TestPlain: a recipe with transformers or other parts is more than its source.
func TestPlain(t *testing.T) {
	for rest, want := range map[string]bool{`,"transformers":[],"run_id":"1"`: true, `,"transformers":[{"type":"add_domain"}]`: false, `,"flags":{"x":1}`: false, `,"reporting":[]`: true} {
		if r, err := recipe.Read(`{"source":{"type":"file"}`+rest+`}`, recipe.Options{Server: ours}); err != nil || r.Plain != want {
			t.Errorf("%s: %+v, %v", rest, r, err)
		}
	}
}

// TestWrong: each recipe that cannot run is refused with the reason.
func TestWrong(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                       "not a JSON object",
		`{`:                        "not a JSON object",
		`{"sink":{}}`:              "no source",
		`{"source":{"config":{}}}`: "no type",
		`{"source":{"type":"x","config":{"a":"${LD_PRELOAD}"}}}`:                                                                       "may not be called LD_PRELOAD",
		`{"source":{"type":"x","config":{"a":"${PythonPath}"}}}`:                                                                       "may not be called PythonPath",
		`{"source":{"type":"x","config":{"a":"${DATAHUB_GMS_TOKEN}"}}}`:                                                                "belongs to the executor",
		`{"source":{"type":"x"},"sink":{"type":"datahub-rest","config":{"server":"http://elsewhere","token":"${DATAHUB_GMS_TOKEN}"}}}`: "belongs to the executor",
	} {
		if _, err := recipe.Read(text, recipe.Options{Server: ours, AllowCode: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestCode: classes and functions are refused wherever the client would import them, unless that is allowed.
func TestCode(t *testing.T) {
	for text, where := range map[string]string{
		`{"source":{"type":"my.module.Source"}}`:       "source.type",
		`{"source":{"type":"my:Source"}}`:              "source.type",
		`{"source":{"type":"file","extractor":"a.B"}}`: "source.extractor",
		`{"source":{"type":"file","config":{"stateful_ingestion":{"state_provider":{"type":"os.system","config":{}}}}}}`:   "config.type",
		`{"source":{"type":"file"},"transformers":[{"type":"add_domain"},{"type":"x.Y"}]}`:                                 "transformers[1].type",
		`{"source":{"type":"file"},"transformers":[{"type":"add_dataset_tags","config":{"get_tags_to_add":"os.system"}}]}`: "get_tags_to_add",
		`{"source":{"type":"file"},"transformers":[{"type":"a","config":{"add_properties_resolver_class":"m.n:Class"}}]}`:  "resolver_class",
		`{"source":{"type":"file"},"sink":{"type":"a.B"}}`:                                                                 "sink.type",
		`{"source":{"type":"file"},"reporting":[{"type":"a.B"}]}`:                                                          "reporting[0].type",
	} {
		if _, err := recipe.Read(text, recipe.Options{Server: ours}); err == nil || !strings.Contains(err.Error(), where) || !strings.Contains(err.Error(), "--allow-code") {
			t.Errorf("%s: %v, want %q", text, err, where)
		}
		if _, err := recipe.Read(text, recipe.Options{Server: ours, AllowCode: true}); err != nil {
			t.Errorf("%s: %v though code is allowed", text, err)
		}
	}
	if _, err := recipe.Read(`{"source":{"type":"unity-catalog","config":{"host":"a.b","type":"some text","table_pattern":{"allow":["a.b.c"]}}},"transformers":[{"type":"simple_add_dataset_tags","config":{"tag_urns":["urn:li:tag:a.b"]}}]}`, recipe.Options{Server: ours}); err != nil {
		t.Errorf("a usual recipe is refused: %v", err)
	}
}

// TestLimits: a recipe may be as long, and name as many secrets, as the limits say, and no more.
func TestLimits(t *testing.T) {
	long := func(n int) string {
		const frame = `{"source":{"type":"file","config":{"x":""}}}`
		return strings.Replace(frame, `"x":""`, `"x":"`+strings.Repeat("a", n-len(frame))+`"`, 1)
	}
	many := func(n int) string {
		var names strings.Builder
		for i := range n {
			fmt.Fprintf(&names, "${S%d}", i)
		}
		return `{"source":{"type":"file","config":{"x":"` + names.String() + `"}}}`
	}
	for text, ok := range map[string]bool{
		long(limits.IngestionRecipe): true, long(limits.IngestionRecipe + 1): false,
		many(limits.MaxSecretsRead): true, many(limits.MaxSecretsRead + 1): false,
	} {
		if _, err := recipe.Read(text, recipe.Options{}); (err == nil) != ok {
			t.Errorf("a recipe of %d bytes: %v", len(text), err)
		}
	}
}
