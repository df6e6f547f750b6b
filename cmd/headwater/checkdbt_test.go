package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// TestCheckStopsDroppedJoin: a model of a dbt project loses a column that another model only joins by. The
// gate refuses the change, and names the model, and the chart and the dashboard behind it that only the
// catalog knows, with their owners. A change that takes the column out of the join as well is let through.
func TestCheckStopsDroppedJoin(t *testing.T) {
	server, dir := goldenServer(t), t.TempDir()
	project := filepath.Join("..", "..", "catalog", "dbt", "testdata", "v12")
	if code, _, errs := headwater(t, "", "ingest", "dbt", project, "--server", server); code != cli.ExitOK {
		t.Fatal(errs)
	}
	const harvest = "urn:li:dataset:(urn:li:dataPlatform:duckdb,orchard.main.harvest,PROD)"
	const chart, dashboard = "urn:li:chart:(looker,harvest_by_tree)", "urn:li:dashboard:(looker,orchard)"
	stamps := `"lastModified":{"created":{"time":1,"actor":"urn:li:corpuser:ada"},"lastModified":{"time":1,"actor":"urn:li:corpuser:ada"}}`
	var lines strings.Builder
	for _, p := range []struct{ entity, urn, aspect, value string }{
		{"chart", chart, "chartInfo", `{"title":"Harvest by tree","description":"","inputs":[{"string":"` + harvest + `"}],` + stamps + `}`},
		{"dashboard", dashboard, "dashboardInfo", `{"title":"Orchard","description":"","charts":["` + chart + `"],` + stamps + `}`},
		{"dashboard", dashboard, "ownership", `{"owners":[{"owner":"urn:li:corpuser:ada","type":"TECHNICAL_OWNER"}],"lastModified":{"time":1,"actor":"urn:li:corpuser:ada"}}`},
	} {
		fmt.Fprintf(&lines, `{"entityType":%q,"entityUrn":%q,"changeType":"UPSERT","aspectName":%q,"aspect":{"json":%s}}`+"\n", p.entity, p.urn, p.aspect, p.value)
	}
	if code, out, errs := headwater(t, lines.String(), "ingest", "-", "--server", server); code != cli.ExitOK {
		t.Fatal(out, errs)
	}
	head := func(name string, change map[string]func(code string) string) string {
		return changedManifest(t, filepath.Join(project, "manifest.json"), filepath.Join(dir, name), change)
	}
	dropped := func(code string) string { return strings.Replace(code, "tree, ", "", 1) }

	refused := head("refused.json", map[string]func(string) string{"model.orchard.stg_picks": dropped})
	code, out, errs := headwater(t, "", "check", "--base", project, "--head", refused, "--server", server, "-o", "json")
	if code != cli.ExitRefused {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	var said struct {
		Certain []struct {
			URN, Name, Clause string
			Owners            []struct{ URN string }
		}
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil {
		t.Fatal(err)
	}
	byName := map[string]int{}
	for i := range said.Certain {
		byName[said.Certain[i].Name] = i
	}
	for name, clause := range map[string]string{"orchard.main.harvest": "join", "Harvest by tree": "behind", "Orchard": "behind"} {
		at, found := byName[name]
		if !found || said.Certain[at].Clause != clause {
			t.Errorf("%s (%s) is not certain: %s", name, clause, out)
			continue
		}
		if owners := said.Certain[at].Owners; name == "Orchard" && !slices.ContainsFunc(owners, func(o struct{ URN string }) bool { return o.URN == "urn:li:corpuser:ada" }) {
			t.Errorf("the owners of the dashboard are %v", owners)
		}
	}

	comment := func(code string) string { return "-- picks of all trees\n" + code }
	harmless := head("harmless.json", map[string]func(string) string{"model.orchard.stg_picks": comment})
	if code, out, errs := headwater(t, "", "check", "--base", project, "--head", harmless, "--server", server); code != cli.ExitOK {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

// changedManifest writes a manifest with other compiled code of some models. The rest of the file stays as
// dbt wrote it.
func changedManifest(t *testing.T, from, to string, change map[string]func(code string) string) string {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Nodes map[string]struct {
			Code string `json:"compiled_code"`
		}
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	for name, edit := range change {
		before := manifest.Nodes[name].Code
		changed := bytes.ReplaceAll(text, asWritten(t, before), asWritten(t, edit(before)))
		if bytes.Equal(changed, text) {
			t.Fatalf("the code of %s is not changed: %s", name, before)
		}
		text = changed
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

// asWritten returns a text as dbt writes it into JSON.
func asWritten(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}
