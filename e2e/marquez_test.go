package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMarquez sends events with the client of OpenLineage and reads them with the unmodified client of Marquez,
// on both kinds of server.
func TestMarquez(t *testing.T) {
	sender, reader := pythonFor(t, "openlineage"), pythonFor(t, "marquez")
	var want any
	if err := json.Unmarshal([]byte(`{
		"namespaces": ["nightly", "postgres://db.example.com:5432", "snowflake://org-account"], "namespace": "nightly",
		"dataset": ["snowflake://org-account", ["total"]], "jobs": ["sum_revenue"],
		"job": ["Sums the revenue.", ["postgres://db.example.com:5432"], "COMPLETED"],
		"runs": [["01938b3e-52a0-7bb0-9c0e-2f3f0c6b8f99", "COMPLETED", 5000]], "run": "2026-11-27T10:00:00.000Z",
		"columns": ["amount", "total"], "tags": [], "unknown": "APIError"}`), &want); err != nil {
		t.Fatal(err)
	}
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			s := startForAdmin(t, b.flags(t)...)
			s.emit(sender, "")
			cmd := exec.Command(filepath.Join(reader, "bin", "python"), "marquez/look.py")
			cmd.Env = append(os.Environ(), "MARQUEZ_URL="+s.base, "MARQUEZ_TOKEN="+strings.TrimPrefix(s.authorization, "Bearer "))
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, errorOutput(err))
			}
			var got any
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the client reads other things:\n%s", diff)
			}
			s.stop()
		})
	}
}

// errorOutput returns the standard error of a program that failed.
func errorOutput(err error) string {
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return string(failed.Stderr)
	}
	return ""
}
