package forms_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog/ingestion/forms"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestForms: each form can be shown, and has fields that a person begins with.
func TestForms(t *testing.T) {
	kinds := []forms.Kind{
		forms.Text, forms.Secret, forms.Boolean, forms.Integer, forms.Number, forms.Choice, forms.Moment, forms.Texts,
		forms.Pattern, forms.List, forms.Object,
	}
	for _, form := range forms.All() {
		var basic int
		for _, setting := range form.Settings {
			if !slices.Contains(kinds, setting.Kind) {
				t.Errorf("%s: %s is of the unknown kind %q", form.Type, setting.Path, setting.Kind)
			}
			if (setting.Kind == forms.Choice) != (len(setting.Choices) > 0) {
				t.Errorf("%s: %s is a %s with the choices %v", form.Type, setting.Path, setting.Kind, setting.Choices)
			}
			if setting.Basic {
				basic++
			}
		}
		if basic == 0 || basic > 20 {
			t.Errorf("%s has %d basic settings", form.Type, basic)
		}
		if forms.Of(form.Type) != form {
			t.Errorf("%s is there twice", form.Type)
		}
	}
	if forms.Of("nosuch") != nil {
		t.Error("an unknown type has a form")
	}
}

// TestPasswordsAreSecrets: no setting that holds a password is shown as text.
func TestPasswordsAreSecrets(t *testing.T) {
	for _, path := range []string{"postgres password", "snowflake private_key", "looker client_secret", "bigquery credential.private_key", "dbt-cloud token", "powerbi client_secret", "s3 aws_config.aws_secret_access_key"} {
		sourceType, name, _ := strings.Cut(path, " ")
		form := forms.Of(sourceType)
		i := slices.IndexFunc(form.Settings, func(s forms.Setting) bool { return s.Path == name })
		if i < 0 || form.Settings[i].Kind != forms.Secret {
			t.Errorf("%s is not a secret", path)
		}
	}
}

func TestCheck(t *testing.T) {
	postgres := func(config string) string { return `{"source": {"type": "postgres", "config": ` + config + `}}` }
	tests := []struct {
		name, recipe string
		want         []string
	}{
		{"whole", postgres(`{"host_port": "db:5432", "username": "reader", "password": "${PG}", "profiling": {"enabled": true, "limit": "5"}, "schema_pattern": {"allow": ["public"]}}`), nil},
		{"secrets in all places", postgres(`{"host_port": "$HOST", "top_n_queries": "${TOP}"}`), nil},
		{"not JSON", `{`, []string{"! : A recipe is an object with the member source."}},
		{"a list", `[]`, []string{"! : A recipe is an object with the member source."}},
		{"null", `null`, []string{"! : A recipe is an object with the member source."}},
		{"empty", `{}`, []string{"! source: The recipe needs a source, an object with type and config."}},
		{"a wrong member", `{"sources": {}, "source": {"type": "postgres", "config": {"host_port": "a"}}}`, []string{"! sources: A recipe has no member sources (did you mean source?)."}},
		{"without a type", `{"source": {"config": {}}}`, []string{"! source.type: The source needs a type, such as postgres."}},
		{"a type nearly known", `{"source": {"type": "postgre"}}`, []string{"? source.type: The type postgre is not among the usual ones (did you mean postgres?)."}},
		{"a type of one's own", `{"source": {"type": "our.own.Source", "config": {"x": 1}}}`, nil},
		{"config is a text", postgres(`"x"`), []string{"! source.config: The config of a source is an object."}},
		{"without what is required", postgres(`{}`), []string{"! source.config.host_port: host_port is required."}},
		{"a password for all to read", postgres(`{"host_port": "a", "password": "hunter2"}`), []string{"? source.config.password: password is in the recipe for everybody who may read it. Store it as a secret, and write ${NAME}."}},
		{"a misspelt setting", postgres(`{"host_port": "a", "user_name": "x"}`), []string{"? source.config.user_name: The source postgres of the client " + forms.Client() + " has no setting user_name (did you mean username?)."}},
		{"a misspelt setting below", postgres(`{"host_port": "a", "profiling": {"enable": true}}`), []string{"? source.config.profiling.enable: The source postgres of the client " + forms.Client() + " has no setting profiling.enable (did you mean profiling.enabled?)."}},
		{"an object is a text", postgres(`{"host_port": "a", "profiling": "yes"}`), []string{"! source.config.profiling: profiling is an object."}},
		{"wrong kinds", postgres(`{"host_port": {}, "include_views": "perhaps", "top_n_queries": 1.5, "auth_mode": "NONE", "end_time": "soon", "query_exclude_patterns": [1], "stateful_ingestion": {"fail_safe_threshold": "much"}}`), []string{
			"! source.config.auth_mode: auth_mode is one of PASSWORD, AWS_IAM.",
			"! source.config.end_time: end_time is a moment such as 2026-01-31T12:00:00Z.",
			"! source.config.host_port: host_port is a text.",
			"! source.config.include_views: include_views is true or false.",
			"! source.config.query_exclude_patterns: query_exclude_patterns is a list of texts.",
			"! source.config.stateful_ingestion.fail_safe_threshold: stateful_ingestion.fail_safe_threshold is a number.",
			"! source.config.top_n_queries: top_n_queries is a whole number.",
		}},
		{"wrong patterns", postgres(`{"host_port": "a", "schema_pattern": ["public"], "table_pattern": {"allow": "x"}, "view_pattern": {"only": []}, "profile_pattern": {"ignoreCase": "no"}}`), []string{
			"! source.config.profile_pattern: profile_pattern has true or false in ignoreCase.",
			"! source.config.schema_pattern: schema_pattern is an object with allow and deny, which are lists of regular expressions.",
			"! source.config.table_pattern: table_pattern has a list of regular expressions in allow.",
			"! source.config.view_pattern: view_pattern has the members allow, deny and ignoreCase, not only.",
		}},
		{"a list", `{"source": {"type": "s3", "config": {"path_specs": {}}}}`, []string{"! source.config.path_specs: path_specs is a list."}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, problem := range forms.Check(test.recipe) {
				mark := "!"
				if problem.Warning {
					mark = "?"
				}
				got = append(got, fmt.Sprintf("%s %s: %s", mark, problem.Path, problem.Message))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestManyProblems: [limits.MaxRecipeProblems] are told, and no more.
func TestManyProblems(t *testing.T) {
	for count, want := range map[int]int{limits.MaxRecipeProblems - 1: limits.MaxRecipeProblems, limits.MaxRecipeProblems + 1: limits.MaxRecipeProblems} {
		config := map[string]any{}
		for i := range count {
			config[fmt.Sprintf("setting%d", i)] = i
		}
		recipe, err := json.Marshal(map[string]any{"source": map[string]any{"type": "postgres", "config": config}})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(forms.Check(string(recipe))); got != want {
			t.Errorf("%d wrong settings: %d problems", count, got)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(`{"source": {"type": "postgres", "config": {"host_port": "a", "profiling": {"enabled": 1}}}}`)
	f.Add(`{"source": {"type": "s3", "config": {"path_specs": [{}]}}, "sink": null}`)
	f.Fuzz(func(t *testing.T, recipe string) {
		if got := forms.Check(recipe); len(got) > limits.MaxRecipeProblems {
			t.Errorf("%d problems", len(got))
		}
	})
}
