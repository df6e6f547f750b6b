package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// dbtClient is a version of the client whose dbt source is compared with headwater ingest dbt.
type dbtClient struct {
	version, folder string
	// config has the settings that every run has.
	config map[string]any
}

var (
	todaysDBTClient = dbtClient{"1.7.0.17", "clients", map[string]any{"write_semantics": "OVERRIDE", "infer_dbt_schemas": false, "include_column_lineage": false}}
	oldDBTClient    = dbtClient{"0.10.5", "python", map[string]any{"write_semantics": "OVERRIDE"}}
)

// dbtComparison is a run of the client's source and of headwater ingest dbt with the same settings.
type dbtComparison struct {
	name   string
	client dbtClient
	config map[string]any
	flags  []string
	// allowed are the differences that there must be, and no others.
	allowed []dbtDifference
	// version names artifacts of the translator's testdata, "" the project that the test builds.
	version string
	// optional: an allowed difference need not occur.
	optional bool
}

// dbtFiles are the artifacts of a project: the folder, and the results of the command that built it.
type dbtFiles struct{ target, results string }

// existing returns the name of an artifact, "" if the folder lacks it.
func (f dbtFiles) existing(name string) string {
	path := filepath.Join(f.target, name)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// dbtDifference is a difference with a reason. where is a pattern of the kind of the entity, the aspect and the place.
type dbtDifference struct {
	where, text, reason string
}

// alwaysDifferent are the differences from today's client with any settings.
var alwaysDifferent = []dbtDifference{
	{`^dashboard dashboardInfo \.lastModified\.(created|lastModified)\.time$`, "the time in `dashboardInfo.lastModified`", "dbt does not record when an exposure changes, so that both write the time at which they run"},
	{`^dataset viewProperties \.formattedViewLogic$`, "`viewProperties.formattedViewLogic`", "Headwater writes the compiled code as dbt wrote it; the client formats it anew"},
}

// fromOld are the differences from client 0.10.5.
var fromOld = []dbtDifference{
	{`^dashboard \S+ only headwater$`, "dashboards", "0.10.5 does not read exposures"},
	{`^dataProcessInstance \S+ only headwater$`, "instances of data processes", "0.10.5 does not read the runs of models"},
	{`^query \S+ only headwater$`, "queries", "0.10.5 does not read `meta.queries`"},
	{`^semanticModel \S+ only headwater$`, "semantic models", "0.10.5 does not read them"},
	{`^dataset dataPlatformInstance only headwater$`, "`dataPlatformInstance` of datasets", "0.10.5 writes it of assertions only"},
	{`^tag tagKey only headwater$`, "tags of exposures", "0.10.5 does not read exposures"},
	{`^assertion \S+ only (client|headwater)$`, "assertions of tests that depend on several nodes, of tests with an owner, and of freshness checks", "0.10.5 gives a test one assertion, whose last dataset stays, and gives it no owner; it does not read freshness"},
	{`^assertion assertionInfo \.(type|customAssertion|datasetAssertion|source|description|customProperties\.(dbt_unique_id|dbt_test_upstream_unique_id))( only (client|headwater))?$`, "`assertionInfo`", "0.10.5 writes `datasetAssertion`, 1.7 `customAssertion`"},
	{`^assertion assertionRunEvent \.(asserteeUrn|result\.(severity only headwater|type))$`, "`assertionRunEvent`", "0.10.5 says that tests are about the table, 1.7 that they are about dbt's dataset; the severity is new in 1.7"},
	{`^dataset datasetProperties \.customProperties\.dbt_package_name only headwater$`, "the property `dbt_package_name`", "0.10.5 does not write it"},
	{`^dataset ownership \.ownerTypes only headwater$`, "`ownership.ownerTypes`", "the model of 0.10.5 lacks it"},
	{`^dataset schemaMetadata \.fields\[\]\.type\.type\.com\.linkedin\.schema\.\w+ only (client|headwater)$`, "the kind of the type `TIMESTAMP`", "0.10.5 calls it a time, 1.7 bytes"},
	{`^dataset subTypes \.typeNames$`, "`subTypes`", "0.10.5 adds the kind of the table"},
	{`^dataset upstreamLineage \.upstreams\[\]\.auditStamp\.time$`, "the time in `upstreamLineage`", "0.10.5 writes the time at which it runs, 1.7 none"},
	{`^dataset upstreamLineage \.upstreams\[\]\.dataset$`, "which dataset of a seed or a source is upstream", "0.10.5 names dbt's, 1.7 the table of a seed"},
	{`^dataset upstreamLineage \.(upstreams\[\]\.type|fineGrainedLineages only headwater)$`, "the lineage of sources", "columns are new in 1.7, and 0.10.5 writes another type of lineage"},
	{`^dataset upstreamLineage patch$`, "the lineage of tables", "columns are new in 1.7, and 0.10.5 writes the time at which it runs"},
	{`^dataset viewProperties \.formattedViewLogic only headwater$`, "`viewProperties.formattedViewLogic`", "0.10.5 leaves out the compiled code"},
}

func dbtComparisons() []dbtComparison {
	return []dbtComparison{
		{"usual", todaysDBTClient, nil, nil, alwaysDifferent, "", false},
		{"instances", todaysDBTClient, map[string]any{"env": "dev", "platform_instance": "north", "target_platform_instance": "barn"}, []string{"--env", "dev", "--platform-instance", "north", "--target-platform-instance", "barn"}, alwaysDifferent, "", false},
		{"no tests", todaysDBTClient, map[string]any{"entities_enabled": map[string]string{"test_definitions": "NO", "test_results": "NO"}}, []string{"--no-tests"}, alwaysDifferent, "", false},
		{"snowflake", todaysDBTClient, map[string]any{"target_platform": "snowflake"}, []string{"--platform", "snowflake"}, alwaysDifferent, "", false},
		{"with SQL", todaysDBTClient, map[string]any{"infer_dbt_schemas": true, "include_column_lineage": true}, nil, slices.Concat(alwaysDifferent, inferredTypes), "", false},
		{"manifest v10", todaysDBTClient, map[string]any{"target_platform": "postgres"}, nil, alwaysDifferent, "v10", false},
		{"manifest v11", todaysDBTClient, map[string]any{"target_platform": "snowflake"}, nil, alwaysDifferent, "v11", false},
		{"manifest v12", todaysDBTClient, nil, nil, alwaysDifferent, "v12", false},
		{"old", oldDBTClient, nil, nil, fromOld, "", false},
	}
}

// TestDBT builds a project with dbt on DuckDB, and compares the proposals of headwater ingest dbt with the proposals
// of the unmodified client's dbt source. It installs dbt, so it runs only if HEADWATER_TEST_DBT is set, as in make
// test-dbt.
func TestDBT(t *testing.T) {
	if os.Getenv("HEADWATER_TEST_DBT") == "" {
		t.Skip("make test-dbt compares headwater ingest dbt with the client's dbt source")
	}
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	project := builtDBTProject(t)
	built := dbtFiles{filepath.Join(project, "target"), filepath.Join(project, "target", "build.json")}
	var rows []string
	tell := func(c dbtComparison) {
		for _, d := range c.allowed {
			if row := fmt.Sprintf("| %s | %s | %s |", c.client.version, d.text, d.reason); !slices.Contains(rows, row) {
				rows = append(rows, row)
			}
		}
	}
	t.Run("rules", func(t *testing.T) { tell(comparedRules(t, path)) })
	t.Run("settings", func(t *testing.T) {
		clientsSettingsAreKnown(t)
		comparedSettings(t, path, tell)
	})
	for _, c := range dbtComparisons() {
		t.Run(c.name, func(t *testing.T) {
			files := built
			if c.version != "" {
				target := filepath.Join(testservers.Root(), "catalog", "dbt", "testdata", c.version)
				files = dbtFiles{target, filepath.Join(target, "run_results.json")}
			}
			theirs := c.client.run(t, files, c.config)
			flags := c.flags
			if c.config["include_column_lineage"] == nil {
				flags = append(slices.Clone(flags), "--no-column-lineage")
			}
			ours := ingestedDBT(t, path, files, flags)
			compiled := compiledCode(t, files.existing("manifest.json"))
			if len(ours) < 40 {
				t.Fatalf("there are %d proposals", len(ours))
			}
			c.compare(t, theirs, ours)
			for key, value := range ours {
				if code, ok := at(value, "formattedViewLogic").(string); ok && !compiled[code] {
					t.Errorf("%s: formattedViewLogic is not what dbt compiled: %s", key, code)
				}
			}
			t.Logf("%d aspects of the client, %d of headwater", len(theirs), len(ours))
			tell(c)
		})
	}
	comparePage(t, rows)
	writtenDBT(t, path, built)
}

// builtDBTProject builds the project of testdata, checks its freshness and generates its documentation. A test of it
// fails, and its source is not fresh.
func builtDBTProject(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(filepath.Join("testdata", "dbtproject"))); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(pythonFor(t, "producers/dbt"), "bin", "dbt")
	run := func(fails bool, command string) {
		runProgram(t, folder, program, strings.Fields(command), fails, "DBT_PROFILES_DIR="+folder, "DBT_SEND_ANONYMOUS_USAGE_STATS=false")
	}
	run(true, "build")
	if err := os.Rename(filepath.Join(folder, "target", "run_results.json"), filepath.Join(folder, "target", "build.json")); err != nil {
		t.Fatal(err)
	}
	run(true, "source freshness")
	run(false, "docs generate")
	return folder
}

// run runs the dbt source of the client with the sink file, and returns the aspects that it writes.
func (c dbtClient) run(t *testing.T, files dbtFiles, more map[string]any) map[string]any {
	t.Helper()
	return c.runRecipe(t, c.settings(files, more))
}

// runRecipe runs the dbt source of the client with some settings.
func (c dbtClient) runRecipe(t *testing.T, config map[string]any) map[string]any {
	t.Helper()
	folder := t.TempDir()
	written := filepath.Join(folder, "written.json")
	writeFiles(t, folder, map[string]string{"recipe.yml": dbtRecipe(t, config, written)})
	runProgram(t, folder, filepath.Join(pythonFor(t, c.folder), "bin", "datahub"), []string{"ingest", "-c", "recipe.yml"}, false, "DATAHUB_TELEMETRY_ENABLED=false")
	text, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	var records []map[string]any
	if err := json.Unmarshal(bytes.ReplaceAll(text, []byte("pegasus2avro."), nil), &records); err != nil {
		t.Fatal(err)
	}
	return aspectsOf(t, records)
}

// dbtRecipe returns a recipe of the client. JSON is YAML.
func dbtRecipe(t *testing.T, config map[string]any, written string) string {
	t.Helper()
	recipe, err := json.Marshal(map[string]any{"source": map[string]any{"type": "dbt", "config": config}, "sink": map[string]any{"type": "file", "config": map[string]string{"filename": written}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(recipe)
}

// settings returns the settings of the client for some artifacts.
func (c dbtClient) settings(files dbtFiles, more map[string]any) map[string]any {
	config := map[string]any{"manifest_path": files.existing("manifest.json"), "target_platform": "duckdb"}
	for setting, name := range map[string]string{"catalog_path": "catalog.json", "sources_path": "sources.json"} {
		if path := files.existing(name); path != "" {
			config[setting] = path
		}
	}
	maps.Copy(config, c.config)
	if c.folder == todaysDBTClient.folder {
		config["run_results_paths"] = []string{files.results}
	} else {
		config["test_results_path"] = files.results
	}
	maps.Copy(config, more)
	return config
}

// ingestedDBT returns the aspects that headwater ingest dbt --dry-run prints.
func ingestedDBT(t *testing.T, path string, files dbtFiles, flags []string) map[string]any {
	t.Helper()
	return printedDBT(t, path, append([]string{"dbt", files.target, "--run-results", files.results, "--dry-run"}, flags...)...)
}

// printedDBT returns the aspects that headwater ingest prints.
func printedDBT(t *testing.T, path string, args ...string) map[string]any {
	t.Helper()
	cmd := exec.Command(path, append([]string{"ingest"}, args...)...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err, errs.String())
	}
	var records []map[string]any
	for line := range bytes.Lines(out) {
		var record map[string]any
		if err := json.Unmarshal(line, &record); err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
	return aspectsOf(t, records)
}

// aspectsOf returns the values of aspects by entity, aspect, and time if the value is one of a time series. The last
// value counts, as in a catalog.
func aspectsOf(t *testing.T, records []map[string]any) map[string]any {
	t.Helper()
	aspects := map[string]any{}
	for _, record := range records {
		if snapshot, ok := record["proposedSnapshot"].(map[string]any); ok {
			for _, body := range snapshot {
				list, _ := at(body, "aspects").([]any)
				for _, holder := range list {
					for name, value := range holder.(map[string]any) {
						name = name[strings.LastIndex(name, ".")+1:]
						aspects[fmt.Sprint(at(body, "urn"), " ", strings.ToLower(name[:1])+name[1:])] = value
					}
				}
			}
			continue
		}
		value := at(record, "aspect", "json")
		if text, ok := at(record, "aspect", "value").(string); ok {
			if err := json.Unmarshal([]byte(text), &value); err != nil {
				t.Fatal(err)
			}
		}
		key := fmt.Sprint(record["entityUrn"], " ", record["aspectName"])
		if record["changeType"] == "PATCH" {
			key += " patch"
		}
		if series, ok := value.(map[string]any); ok && series["timestampMillis"] != nil {
			key += fmt.Sprintf(" %.0f", series["timestampMillis"])
		}
		aspects[key] = value
	}
	return aspects
}

// compare fails for every difference that is not allowed, and for every allowed difference that does not occur.
func (c dbtComparison) compare(t *testing.T, theirs, ours map[string]any) {
	t.Helper()
	used := map[string]bool{}
	check := func(place, detail string) {
		for _, d := range c.allowed {
			if regexp.MustCompile(d.where).MatchString(place) {
				used[d.where] = true
				return
			}
		}
		t.Errorf("%s\n%s", place, detail)
	}
	for _, key := range slices.Sorted(maps.Keys(theirs)) {
		if value, ok := ours[key]; ok {
			differences(theirs[key], value, "", func(path string, a, b any) {
				check(strings.TrimSpace(kindOf(key)+" "+path), fmt.Sprintf("%s\nclient:    %v\nheadwater: %v", key, a, b))
			})
		} else {
			check(kindOf(key)+" only client", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(ours)) {
		if _, ok := theirs[key]; !ok {
			check(kindOf(key)+" only headwater", key)
		}
	}
	for _, d := range c.allowed {
		if !used[d.where] && !c.optional {
			t.Errorf("the allowed difference %s does not occur", d.where)
		}
	}
}

// kindOf returns the kind of an entity and the aspect, without the time.
func kindOf(key string) string {
	urn, rest, _ := strings.Cut(key, " ")
	if strings.Contains(urn, ",semantic_model.") {
		return "semanticModel " + rest
	}
	parts := strings.Fields(rest)
	if last := len(parts) - 1; strings.Trim(parts[last], "0123456789") == "" {
		parts = parts[:last]
	}
	return strings.Split(urn, ":")[2] + " " + strings.Join(parts, " ")
}

// differences tells of the places at which two values differ. The numbers of elements are left out of a place.
func differences(a, b any, path string, tell func(path string, a, b any)) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			if other, ok := y[name]; ok {
				differences(x[name], other, path+"."+name, tell)
			} else {
				tell(path+"."+name+" only client", x[name], nil)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(y)) {
			if _, ok := x[name]; !ok {
				tell(path+"."+name+" only headwater", nil, y[name])
			}
		}
		return
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) || path == "" {
			break
		}
		for i := range x {
			differences(x[i], y[i], path+"[]", tell)
		}
		return
	}
	if fmt.Sprintf("%#v", a) != fmt.Sprintf("%#v", b) {
		tell(path, a, b)
	}
}

// compiledCode returns the compiled code of the nodes of a manifest.
func compiledCode(t *testing.T, file string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(file)
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
	compiled := map[string]bool{}
	for _, n := range manifest.Nodes {
		compiled[n.Code] = n.Code != ""
	}
	return compiled
}

const (
	dbtRowsBegin = "<!-- written by TestDBT -->\n| client | what differs | why |\n| --- | --- | --- |\n"
	dbtRowsEnd   = "<!-- end -->"
)

// comparePage compares the table of docs/dbt.md with the differences that were found.
func comparePage(t *testing.T, rows []string) {
	t.Helper()
	file := filepath.Join(testservers.Root(), "docs", "dbt.md")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), dbtRowsBegin)
	_, after, ends := strings.Cut(rest, dbtRowsEnd)
	if !found || !ends {
		t.Fatal("docs/dbt.md lacks the table of differences")
	}
	want := before + dbtRowsBegin + strings.Join(rows, "\n") + "\n" + dbtRowsEnd + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) {
		t.Error("docs/dbt.md lacks what was compared; run the test with -update and look at the difference")
	}
}

// writtenDBT writes the project to a server, which accepts all of it, and reads some facts that people look at.
func writtenDBT(t *testing.T, path string, files dbtFiles) {
	t.Helper()
	s := start(t, backends()[0].flags(t)...)
	defer s.stop()
	args := []string{"ingest", "dbt", files.target, "--run-results", files.results, "--server", s.base}
	out, err := exec.Command(path, args...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), ", 0 failed") {
		t.Fatalf("%v\n%s", err, out)
	}
	second, err := exec.Command(path, args...).CombinedOutput()
	if err != nil || !strings.Contains(string(second), "(0 created, ") {
		t.Errorf("the second run: %v\n%s", err, second)
	}
	table := "urn:li:dataset:(urn:li:dataPlatform:duckdb,orchard.main.harvest,PROD)"
	lineage, err := exec.Command(path, "lineage", table, "--server", s.base).CombinedOutput()
	for _, name := range []string{"harvest", "kept", "stg_picks", "raw_picks", "trees"} {
		if err != nil || !strings.Contains(string(lineage), name) {
			t.Errorf("the lineage lacks %s: %v\n%s", name, err, lineage)
		}
	}
}
