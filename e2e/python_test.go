package e2e

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// TestPythonClient uses the server with the unmodified Python client.
func TestPythonClient(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			venv := pythonFor(t, "python")
			s := start(t, b.flags(t)...)
			s.pytest(venv, "python")
			s.stop()
		})
	}
}

// TestGraphQLFuzz sends generated GraphQL requests.
func TestGraphQLFuzz(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			venv := pythonFor(t, "fuzz")
			s := start(t, append(b.flags(t), "--sample")...)
			s.awaitIndex(time.Minute)
			examples := testsize.Of(5, 25)
			if b.name != "embedded" { // the generated requests are the same as on the other server, where they take a quarter of the time
				examples = testsize.Of(2, 8)
			}
			s.pytest(venv, "fuzz", "HEADWATER_FUZZ_EXAMPLES="+cmp.Or(os.Getenv("HEADWATER_FUZZ_EXAMPLES"), strconv.Itoa(examples)))
			s.stop()
		})
	}
}

// pythonFor returns the virtual environment for a folder of Python tests.
func pythonFor(t *testing.T, folder string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Python packages, which -short leaves out")
	}
	out, err := exec.Command(filepath.Join(testservers.Root(), "e2e", "venv.sh"), folder, "--path").Output()
	if err != nil {
		t.Fatalf("what the tests in e2e/%s need cannot be installed: %v", folder, err)
	}
	return strings.TrimSpace(string(out))
}

// pytest runs a folder of Python tests against the server.
func (s *server) pytest(venv, folder string, environment ...string) {
	s.t.Helper()
	pytest := exec.Command(filepath.Join(venv, "bin", "pytest"), "-q", "-rs", "-p", "no:cacheprovider", filepath.Join(testservers.Root(), "e2e", folder))
	pytest.Env = append(os.Environ(), "HEADWATER_REFERENCE_DIR="+referenceDir(), "HEADWATER_URL="+s.base, "DATAHUB_TELEMETRY_ENABLED=false", "HOME="+s.t.TempDir())
	pytest.Env = slices.Concat(pytest.Env, s.credentials(), environment)
	report, err := pytest.CombinedOutput()
	s.t.Logf("%s", report)
	if err != nil {
		s.t.Errorf("pytest: %v", err)
	}
}

// referenceDir returns the folder with other people's metadata, which is never part of the
// product.
func referenceDir() string {
	if dir := os.Getenv("HEADWATER_REFERENCE_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(testservers.Root(), "..", "shared")
}
