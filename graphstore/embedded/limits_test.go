package embedded

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestLimitsDoNotRecompile: SQLite compiles a statement with LIMIT ? again at every run.
func TestLimitsDoNotRecompile(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	plain := regexp.MustCompile(`LIMIT \?(\d+|%\[?\d*\]?d)?( |\)|"|` + "`" + `|$)`)
	limits := 0
	for _, name := range files {
		if filepath.Base(name) == "limits_test.go" || name == "pool.go" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		limits += len(regexp.MustCompile(`LIMIT \?`).FindAll(text, -1))
		for _, found := range plain.FindAllString(string(text), -1) {
			t.Errorf("%s: %q", name, found)
		}
	}
	if limits < 10 {
		t.Errorf("only %d statements with a limit were looked at", limits)
	}
}
