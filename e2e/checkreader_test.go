package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCheckWithReader: a token of somebody who may only read suffices for the gate: for its questions, for the export of the
// catalog, and for lineage over an overlay. The token may not write.
func TestCheckWithReader(t *testing.T) {
	t.Parallel()
	nobody, _, secrets := startKnowing(t, "--data", t.TempDir(), "--sample")
	token := func(user string) string {
		stdout, stderr, code := nobody.command(nil, "token", "create", "gate", "--user", user, "--keys", secrets)
		if code != 0 {
			t.Fatal(code, stderr)
		}
		return strings.TrimSpace(stdout)
	}
	admin := nobody.bearer(token(authAdmin))
	admin.awaitIndex(time.Minute)
	const reader = "urn:li:corpuser:yuki.brandt"
	admin.graphQL(`mutation($in: BatchAssignRoleInput!) { batchAssignRole(input: $in) }`, map[string]any{"in": map[string]any{"roleUrn": "urn:li:dataHubRole:Reader", "actors": []string{reader}}})
	environment := []string{"HEADWATER_TOKEN=" + token("yuki.brandt")}

	dir := t.TempDir()
	script, overlay, exported := filepath.Join(dir, "042.sql"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "catalog.json")
	if err := os.WriteFile(script, []byte("alter table shop.public.orders drop column customer_id;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := nobody.command(environment, "tag", "shop.public.orders", "PII"); code == 0 {
		t.Errorf("the token may write: %s", stderr)
	}
	var live struct {
		Certain, Possible []struct{ URN string }
	}
	check := func(into any, more ...string) {
		t.Helper()
		stdout, stderr, code := nobody.command(environment, append([]string{"check", "--head", script, "--dialect", "postgres", "-o", "json"}, more...)...)
		if err := json.Unmarshal([]byte(stdout), into); err != nil || code != 0 && code != 6 {
			t.Fatalf("exit %d: %s%s", code, stdout, stderr)
		}
	}
	check(&live, "--overlay-out", overlay)
	if len(live.Certain)+len(live.Possible) == 0 {
		t.Error("nothing is affected by a dropped column that others read")
	}
	if _, stderr, code := nobody.command(environment, "check", "export", exported); code != 0 {
		t.Errorf("export: %d %s", code, stderr)
	}
	if info, err := os.Stat(exported); err != nil || info.Size() < 1000 {
		t.Error("the exported catalog is empty: ", err)
	}
	for _, verb := range []string{"lineage", "impact"} {
		if stdout, stderr, code := nobody.command(environment, verb, "shop.public.orders", "--overlay", overlay, "-o", "json"); code != 0 || !strings.Contains(stdout, "orders") {
			t.Errorf("%s over the overlay: %d %s%s", verb, code, stdout, stderr)
		}
		if _, stderr, code := nobody.command(nil, verb, "shop.public.orders", "--overlay", overlay, "-o", "json"); code == 0 {
			t.Errorf("%s over the overlay is answered to nobody: %s", verb, stderr)
		}
	}
	nobody.stop()
}
