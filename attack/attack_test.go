package main

import (
	"context"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAttacks runs every attack in its small size against the built binary. The log has the
// figures. docs/attacks.md says which checks must hold.
func TestAttacks(t *testing.T) {
	if testing.Short() {
		t.Skip("runs servers, which -short leaves out")
	}
	o, err := parse([]string{"-size", "small"})
	if err != nil {
		t.Fatal(err)
	}
	o.binary = filepath.Join(t.TempDir(), "headwater")
	readSources(t)
	build := exec.Command("go", "build", "-o", o.binary, "../cmd/headwater")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// The default of two seconds is only for an idle machine.
	o.patience = 10 * time.Second
	o.log = t.Logf
	results, err := run(context.Background(), o)
	t.Logf("\n%s", table(results))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if !r.holds() {
			t.Errorf("%s does not hold", r.name)
		}
	}
}

// readSources reads the folders of the module. So Go does not take a result of this test
// from its cache after a source of the binary has changed.
func readSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "bin" || d.Name() == "data") {
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
