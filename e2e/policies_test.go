package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPolicies manages a server with authentication from the command line, from its first start on: service
// accounts with and without a role, rules from a file, and a denial that only the system client can undo.
func TestPolicies(t *testing.T) {
	data := t.TempDir()
	s := start(t, "--data", data, "--auth", "on")
	keys := filepath.Join(data, "keys.json")
	binaryPath, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	run := func(code int, token string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), binaryPath, append(args, "--server", s.base)...)
		cmd.Env = append(os.Environ(), "HEADWATER_TOKEN="+token)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		_ = cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("headwater %s: exit code %d, want %d: %s", strings.Join(args, " "), got, code, &out)
		}
		return out.String()
	}
	says := func(text, want string) {
		t.Helper()
		if !strings.Contains(text, want) {
			t.Errorf("%s\nwant %s", text, want)
		}
	}
	account := func(name string, flags ...string) string {
		t.Helper()
		return strings.TrimSpace(run(0, "", append([]string{"token", "create", name, "--service-account", name, "--keys", keys}, flags...)...))
	}
	none, editor, admin := account("none"), account("editor", "--role", "Editor"), account("admin", "--role", "Admin")

	// Without a role, a service account may only read.
	const written = "urn:li:tag:policies"
	body := `{"proposal":{"entityType":"tag","entityUrn":"` + written + `","changeType":"UPSERT","aspectName":"tagProperties","aspect":{"contentType":"application/json","value":"{\"name\":\"policies\"}"}}}`
	for token, want := range map[string]int{none: 403, editor: 200, admin: 200} {
		if status, answer := s.send("POST", "/aspects?action=ingestProposal", body, "X-RestLi-Protocol-Version", "2.0.0", "Authorization", "Bearer "+token); status != want {
			t.Errorf("%d %v, want %d", status, answer, want)
		}
	}
	says(run(0, none, "get", written), "policies")

	says(run(0, admin, "policies", "list"), "admin-platform-policy")
	for _, token := range []string{none, editor} {
		says(run(1, token, "policies", "list"), "Unauthorized to perform this action. Please contact your DataHub administrator.")
	}
	file := filepath.Join(t.TempDir(), "policies.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("policies:\n  - {id: shut, name: Shut, deny: ['*'], who: {everybody: true}}\nexpect:\n  - {actor: nobody, privilege: READ, may: false}\n")
	says(run(5, admin, "policies", "test", file), "There is no user urn:li:corpuser:nobody.")
	says(run(5, admin, "policies", "diff", file), "shut (Shut): would be created")
	says(run(0, admin, "policies", "apply", file, "--dry-run"), "shut (Shut): would be created")
	says(run(0, admin, "policies", "apply", file), "shut (Shut): created")
	says(run(1, admin, "policies", "apply", file), "Unauthorized")
	if status, answer := s.send("POST", "/aspects?action=ingestProposal", body, "X-RestLi-Protocol-Version", "2.0.0", "Authorization", "Bearer "+admin); status != 403 {
		t.Errorf("%d %v", status, answer)
	}
	says(run(0, "", "policies", "apply", file, "--keys", keys), "nothing differs")
	write("policies:\n  - {id: shut, name: Shut, state: inactive, deny: ['*'], who: {everybody: true}}\n")
	says(run(0, "", "policies", "apply", file, "--keys", keys), "state: none → inactive")
	says(run(0, admin, "policies", "apply", file), "nothing differs")
	pruned := run(0, admin, "policies", "apply", file, "--prune", "--dry-run")
	says(pruned, "view-entity-page-all (Everybody: see entities): would be deleted")
	if strings.Contains(pruned, "admin") {
		t.Errorf("policies of the server are deleted: %s", pruned)
	}
}
