package testservers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFirstRun: on a machine without any installed server, a script of compose/local
// installs its server, waits for it and runs its command. It covers the case that the last
// output of Maven has no line end, so that the first output of Neo4j was not found.
func TestFirstRun(t *testing.T) {
	if testing.Short() {
		t.Skip("installs Neo4j, which -short leaves out")
	}
	if dockerRuns() {
		t.Skip("the script leaves the servers to Docker")
	}
	cmd := exec.Command(filepath.Join(Root(), "compose", "local", "with-neo4j.sh"), "sh", "-c", `echo "its address is $HEADWATER_TEST_NEO4J"`)
	cmd.Env = append(os.Environ(), "HEADWATER_CACHE="+t.TempDir(), neo4jVariable+"=")
	said, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(said), "its address is bolt://127.0.0.1:") {
		t.Errorf("%v\n%s", err, said)
	}
}
