package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestAttacks runs every attack in its small size against the built binary.
// The figures are in the log; docs/attacks.md says what must hold.
func TestAttacks(t *testing.T) {
	if testing.Short() {
		t.Skip("runs servers, which -short leaves out")
	}
	o, err := parse([]string{"-size", "small"})
	if err != nil {
		t.Fatal(err)
	}
	o.binary = filepath.Join(t.TempDir(), "headwater")
	build := exec.Command("go", "build", "-o", o.binary, "../cmd/headwater")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// Two seconds are for a machine that does nothing else.
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
