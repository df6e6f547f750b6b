package naming

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
)

// TestReadFile: a file has every setting, in YAML and in JSON, and the settings make the URNs.
func TestReadFile(t *testing.T) {
	want := Settings{
		Env: "DEV", Orchestrator: "airflow", Partition: regexp.MustCompile("^day=.*$"), Tables: []string{"s3://lake/{table}"},
		Namespaces: map[string]Namespace{
			"postgres://db:5432": {Instance: "crm", Env: "QA", Cluster: "blue", Lowercase: true, StripDatabase: true},
			"oracle://*":         {KeepDatabase: true},
		},
	}
	for form, text := range map[string]string{
		"YAML": `
env: DEV
orchestrator: airflow
partition: ^day=.*$
tables: ["s3://lake/{table}"]
namespaces:
  postgres://db:5432: {instance: crm, env: QA, cluster: blue, lowercase: true, stripDatabase: true}
  oracle://*: {keepDatabase: true}
`,
		"JSON": `{"env": "DEV", "orchestrator": "airflow", "partition": "^day=.*$", "tables": ["s3://lake/{table}"], "namespaces": {
  "postgres://db:5432": {"instance": "crm", "env": "QA", "cluster": "blue", "lowercase": true, "stripDatabase": true}, "oracle://*": {"keepDatabase": true}}}`,
	} {
		path := filepath.Join(t.TempDir(), "names")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := ReadFile(path)
		if err != nil || !reflect.DeepEqual(s, want) {
			t.Errorf("%s: %+v %v", form, s, err)
		}
		u, err := s.DatasetURN(Dataset{Namespace: "postgres://db:5432", Name: "Shop.Public.Orders"})
		if err != nil || u.String() != "urn:li:dataset:(urn:li:dataPlatform:postgres,crm.public.orders,QA)" {
			t.Errorf("%s: %s %v", form, u, err)
		}
	}
}

// TestWrongFiles: a mistake is named, with the nearest right name where there is one.
func TestWrongFiles(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":               {"", "the file is empty"},
		"a wrong name":          {"envx: DEV", "line 1: there is no setting envx"},
		"a similar name":        {"namespaces: {\"a\": {instanc: b}}", "instance"},
		"a wrong form":          {"namespaces: [a]", "namespaces has the wrong form"},
		"no YAML":               {"a: b: c", "mapping values are not allowed"},
		"an asterisk within":    {"namespaces: {\"a*b\": {instance: c}}", "at the end of a namespace only"},
		"two contradictions":    {"namespaces: {a: {stripDatabase: true, keepDatabase: true}}", "contradict each other"},
		"a comma":               {"namespaces: {a: {instance: \"b,c\"}}", "namespaces.a.instance"},
		"no folder":             {"tables: [s3://lake]", "does not have the folder {table}"},
		"no regular expression": {"partition: \"(\"", "missing closing"},
	} {
		if _, err := parseSettings([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is missing is not an error")
	}
}

// TestLargestFile: a file may have limits.OpenLineageNamesBytes, and not one byte more.
func TestLargestFile(t *testing.T) {
	text := "env: DEV\n"
	text += "#" + strings.Repeat("x", limits.OpenLineageNamesBytes-len(text)-1)
	if _, err := parseSettings([]byte(text)); err != nil {
		t.Error(err)
	}
	if _, err := parseSettings([]byte(text + "x")); err == nil || !strings.Contains(err.Error(), "may have") {
		t.Errorf("one byte more: %v", err)
	}
}
