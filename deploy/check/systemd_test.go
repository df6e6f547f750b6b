package check

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSystemd: systemd accepts the unit and rates its exposure as low. Without systemd, the
// test checks only the settings on which the data depends.
func TestSystemd(t *testing.T) {
	unit := string(read(t, "deploy/systemd/headwater.service"))
	for _, line := range []string{"DynamicUser=yes", "StateDirectory=headwater", "Environment=HEADWATER_DATA=/var/lib/headwater", "Environment=HEADWATER_AUTH=on", "ProtectSystem=strict", "ExecReload=/bin/kill -HUP $MAINPID"} {
		if !strings.Contains(unit, "\n"+line+"\n") {
			t.Errorf("the unit has no line %s", line)
		}
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not here")
	}
	// The program is not installed here, so another one takes its place.
	path := filepath.Join(t.TempDir(), "headwater.service")
	if err := os.WriteFile(path, []byte(strings.Replace(unit, "/usr/local/bin/headwater", "/bin/true", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(analyze, "verify", path).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("verify: %v %s", err, out)
	}
	if out, err := exec.Command(analyze, "security", "--offline=true", "--threshold=20", path).CombinedOutput(); err != nil {
		t.Errorf("security: %v %s", err, out)
	}
}

// TestSystemdSettings: every setting in the example is a setting of the program.
func TestSystemdSettings(t *testing.T) {
	settings := string(read(t, "docs/configuration.md"))
	count := 0
	for line := range strings.Lines(string(read(t, "deploy/systemd/headwater.env"))) {
		name, _, ok := strings.Cut(strings.TrimPrefix(line, "#"), "=")
		if !ok || !strings.HasPrefix(name, "HEADWATER_") {
			continue
		}
		count++
		if !strings.Contains(settings, "`"+name+"`") {
			t.Errorf("docs/configuration.md has no %s", name)
		}
	}
	if count < 3 {
		t.Errorf("only %d settings", count)
	}
}
