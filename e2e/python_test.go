package e2e

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
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
			examples := testsize.Of(3, 25)
			if b.name != "embedded" { // the generated requests are the same as on the other server, where they take a quarter of the time
				examples = testsize.Of(1, 8)
			}
			s.pytest(venv, "fuzz", "HEADWATER_FUZZ_EXAMPLES="+cmp.Or(os.Getenv("HEADWATER_FUZZ_EXAMPLES"), strconv.Itoa(examples)))
			s.stop()
		})
	}
}

// TestFuzzLesser sends generated GraphQL requests as a user without a role: no failure is the server's, and
// only the user's own entity changes.
func TestFuzzLesser(t *testing.T) {
	venv := pythonFor(t, "fuzz")
	nobody, system, _ := startKnowing(t, "--data", t.TempDir(), "--sample", "--caller-rate", "0")
	system.awaitIndex(time.Minute)
	const ned = "urn:li:corpuser:ned.fuzz"
	system.propose("UPSERT", ned, "corpUserInfo", `{"active":true,"displayName":"Ned"}`, "fuzz")
	token := system.token(ned, "fuzz").text
	_, end := system.send(http.MethodGet, "/events?from=now", "")
	nobody.pytest(venv, "fuzz", "HEADWATER_FUZZ_TOKEN="+token, "HEADWATER_FUZZ_EXAMPLES="+strconv.Itoa(testsize.Of(2, 25)))
	if status, answer := nobody.bearer(token).send(http.MethodGet, "/auth/session", ""); status != http.StatusOK {
		t.Errorf("the token is of no use any more: %d %v", status, answer)
	}
	changed := map[string]int{}
	for cursor := fmt.Sprint(at(end, "next")); ; {
		_, answer := system.send(http.MethodGet, "/events?limit=1000&from="+url.QueryEscape(cursor), "")
		events, _ := at(answer, "events").([]any)
		if len(events) == 0 {
			break
		}
		cursor = fmt.Sprint(at(answer, "next"))
		for _, event := range events {
			urn, aspect := fmt.Sprint(at(event, "entityUrn")), fmt.Sprint(at(event, "aspectName"))
			changed[urn+" "+aspect]++
			own := urn == ned || strings.HasPrefix(urn, "urn:li:dataHubView:") || strings.HasPrefix(urn, "urn:li:dataHubAccessToken:")
			if !own || at(event, "created", "actor") != ned && !strings.Contains(text(event), ned) {
				t.Errorf("somebody without a role has changed %s: %.500s", urn, text(event))
			}
		}
	}
	t.Logf("changed: %v", changed)
	nobody.stop()
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
