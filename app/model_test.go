package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBrokenModel: an error in a model file names the file and the line.
func TestBrokenModel(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.json")
	if err := os.WriteFile(good, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"broken": "bad.json, line 1: invalid character",
		"{\"entities\": [\n\n {\"name\": \"x\",}]}":                   "bad.json, line 3: invalid character",
		"{\n\"entitys\": []}":                                         `bad.json, line 2: json: unknown field "entitys"`,
		"{\n\"entities\": {}}":                                        "bad.json, line 2: json: cannot unmarshal",
		"{\"entities\": [{\"name\": \"entitys\"}],\n\"entitys\": []}": `bad.json: json: unknown field "entitys"`,
		"{\"entities\": [\n":                                          "bad.json",
	} {
		bad := filepath.Join(dir, "bad.json")
		if err := os.WriteFile(bad, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := loadModel([]string{good, bad}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := loadModel([]string{filepath.Join(dir, "none.json")}); err == nil || !strings.Contains(err.Error(), "none.json") {
		t.Errorf("no file: %v", err)
	}
	if _, err := loadModel([]string{good}); err != nil {
		t.Error(err)
	}
}
