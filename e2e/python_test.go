package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testservers"
)

// TestPythonClient drives the server with the unmodified Python client.
func TestPythonClient(t *testing.T) {
	if testing.Short() {
		t.Skip("needs the Python client, which -short leaves out")
	}
	dir := filepath.Join(testservers.Root(), "e2e", "python")
	out, err := exec.Command(filepath.Join(dir, "install.sh"), "--path").Output()
	if err != nil {
		t.Fatalf("the Python client cannot be installed: %v", err)
	}
	venv := strings.TrimSpace(string(out))
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			s := start(t, b.flags(t)...)
			pytest := exec.Command(filepath.Join(venv, "bin", "pytest"), "-q", "-rs", "-p", "no:cacheprovider", dir)
			pytest.Env = append(os.Environ(), "HEADWATER_REFERENCE_DIR="+referenceDir(), "HEADWATER_URL="+s.base, "DATAHUB_TELEMETRY_ENABLED=false", "HOME="+t.TempDir())
			report, err := pytest.CombinedOutput()
			t.Logf("%s", report)
			if err != nil {
				t.Errorf("pytest: %v", err)
			}
			s.stop()
		})
	}
}

// referenceDir is where other people's metadata may be: never in the product.
func referenceDir() string {
	if dir := os.Getenv("HEADWATER_REFERENCE_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(testservers.Root(), "..", "shared")
}
