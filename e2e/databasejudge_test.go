package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// These variables of the environment repeat a run of TestDatabaseJudgesImpact and say how
// many of its mistakes are shown.
const (
	judgeSeed = "HEADWATER_JUDGE_SEED"
	judgeShow = "HEADWATER_JUDGE_SHOW"
)

// judgement compares the answers about columns with what breaks in truth.
type judgement struct {
	broken, missing, certain int // of what breaks: all, not answered, answered as certain
	saidCertain, notBroken   int // of what is answered as certain: all, and what does not break
	saidPossible, unbroken   int // of what is answered as possible
	mistakes                 []string
}

// TestDatabaseJudgesImpact: PostgreSQL and impact agree on which views break when a column is
// dropped. Views over ten tables are generated, PostgreSQL makes them, and the unmodified
// client ingests them. How to run it, with a seed and with all mistakes shown:
//
//	HEADWATER_JUDGE_SEED=7 HEADWATER_JUDGE_SHOW=1000 go test ./e2e -run 'TestDatabaseJudgesImpact/embedded' -v
//
// The statements and the database's answer are kept in the folder HEADWATER_JUDGE_DIR, if it
// is set.
func TestDatabaseJudgesImpact(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			views := 200
			if b.name != "embedded" {
				views = testsize.Of(40, 200)
			}
			seed := uint64(36)
			if text := os.Getenv(judgeSeed); text != "" {
				var err error
				if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
					t.Fatal(err)
				}
			} else if testsize.Of(0, 1) == 1 {
				seed = rand.Uint64()
			}
			t.Logf("%d views; %s=%d repeats this", views, judgeSeed, seed)
			address := testservers.Postgres(t)
			venv := pythonFor(t, "clients")
			truth := makeDatabase(t, venv, address, seed, views)
			s := start(t, b.flags(t)...)
			s.ingestDatabase(venv, address, truth.Database)
			j := s.judge(truth)
			j.report(t)
			s.stop()
		})
	}
}

// databaseTruth is what a PostgreSQL database says of its own views.
type databaseTruth struct {
	Database string
	Columns  []struct {
		Relation, Column string
		// Readers read the relation. Direct read the column or have a foreign key to it.
		// Broken is what is lost with it.
		Readers, Direct, Broken []string
	}
	// Views are their definitions.
	Views map[string]string
}

// makeDatabase makes generated tables and views in a database of its own.
func makeDatabase(t *testing.T, venv, address string, seed uint64, views int) *databaseTruth {
	t.Helper()
	g := newViewGenerator(seed)
	statements := g.makeTables()
	for range views {
		statements = append(statements, g.makeView())
	}
	database := fmt.Sprintf("judge%d", time.Now().UnixNano())
	order, err := json.Marshal(map[string]any{"address": address, "database": database, "statements": statements})
	if err != nil {
		t.Fatal(err)
	}
	python := exec.Command(filepath.Join(venv, "bin", "python"), filepath.Join(testservers.Root(), "e2e", "judge", "database.py"))
	python.Stdin = bytes.NewReader(order)
	var told bytes.Buffer
	python.Stderr = &told
	answer, err := python.Output()
	if err != nil {
		t.Fatalf("%s=%d: %v: %s", judgeSeed, seed, err, &told)
	}
	truth := &databaseTruth{Database: database}
	if err := json.Unmarshal(answer, truth); err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("HEADWATER_JUDGE_DIR"); dir != "" {
		for name, content := range map[string][]byte{"order.json": order, "truth.json": answer} {
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return truth
}

// ingestDatabase runs the client's source for PostgreSQL. With the server's own search_path,
// definitions and foreign keys name tables of the schema public without it, and the client
// looks for those in the schema of the view: it states lineage from datasets that do not exist.
func (s *server) ingestDatabase(venv, address, database string) {
	s.t.Helper()
	recipe := map[string]any{
		"source": map[string]any{"type": "postgres", "config": map[string]any{
			"host_port": address, "username": "postgres", "database": database,
			"include_view_lineage": true, "include_view_column_lineage": true,
			"options": map[string]any{"connect_args": map[string]any{"options": "-c search_path=pg_catalog"}},
		}},
		"sink": map[string]any{"type": "datahub-rest", "config": map[string]any{"server": s.base}},
	}
	s.ingestRecipe(venv, recipe)
}

// ingestRecipe runs the unmodified client with a recipe.
func (s *server) ingestRecipe(venv string, recipe any) {
	s.t.Helper()
	text, err := json.Marshal(recipe)
	if err != nil {
		s.t.Fatal(err)
	}
	file := filepath.Join(s.t.TempDir(), "recipe.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		s.t.Fatal(err)
	}
	ingest := exec.Command(filepath.Join(venv, "bin", "datahub"), "ingest", "-c", file)
	ingest.Env = append(os.Environ(), "DATAHUB_TELEMETRY_ENABLED=false", "HOME="+s.t.TempDir())
	if told, err := ingest.CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s", err, told)
	}
}

// effectsOf asks for the impact of a column: the effect on each entity.
func (s *server) effectsOf(dataset, column string) map[string]string {
	s.t.Helper()
	status, answer := s.send("GET", "/impact/"+url.PathEscape(dataset)+"?column="+url.QueryEscape(column), "")
	entities, _ := at(answer, "entities").([]any)
	total, _ := at(answer, "total").(float64)
	if status != 200 || at(answer, "partial") != false || int(total) != len(entities) {
		s.t.Fatalf("impact of %s %s: %d, %d of %v entities: %v", dataset, column, status, len(entities), total, answer)
	}
	effects := map[string]string{}
	for _, e := range entities {
		effects[at(e, "urn").(string)] = at(e, "effect").(string)
	}
	return effects
}

// judge asks for the impact of each column.
func (s *server) judge(truth *databaseTruth) *judgement {
	s.t.Helper()
	urn := func(relation string) string {
		return "urn:li:dataset:(urn:li:dataPlatform:postgres," + truth.Database + "." + relation + ",PROD)"
	}
	names := map[string]string{}
	for _, c := range truth.Columns {
		names[urn(c.Relation)] = c.Relation
	}
	j := &judgement{}
	for _, c := range truth.Columns {
		effects := map[string]string{}
		for entity, effect := range s.effectsOf(urn(c.Relation), c.Column) {
			if name, known := names[entity]; known { // what is no table and no view, PostgreSQL does not know
				effects[name] = effect
			}
		}
		j.compare(c.Broken, effects)
		for _, name := range c.Direct {
			if effects[name] != "certain" {
				j.mistake("%s reads %s of %s, which is %s:\n%s", name, c.Column, c.Relation, cmp.Or(effects[name], "missing"), truth.Views[name])
			}
		}
		for _, name := range c.Readers {
			if effects[name] == "certain" && !slices.Contains(c.Broken, name) {
				j.mistake("%s does not read %s of %s, which is certain:\n%s", name, c.Column, c.Relation, truth.Views[name])
			}
		}
	}
	return j
}

// compare adds the answer about one column.
func (j *judgement) compare(broken []string, effects map[string]string) {
	for _, name := range broken {
		j.broken++
		switch effects[name] {
		case "certain":
			j.certain++
		case "":
			j.missing++
		}
	}
	for name, effect := range effects {
		breaks := slices.Contains(broken, name)
		switch effect {
		case "certain":
			j.saidCertain++
			if !breaks {
				j.notBroken++
			}
		default:
			j.saidPossible++
			if !breaks {
				j.unbroken++
			}
		}
	}
}

func (j *judgement) mistake(format string, values ...any) {
	j.mistakes = append(j.mistakes, fmt.Sprintf(format, values...))
}

// report prints the figures, with mistakes about what reads a column itself, and fails where
// the figures are not as good as they must be.
func (j *judgement) report(t *testing.T) {
	t.Helper()
	share := func(part, of int) float64 { return float64(part) / float64(max(of, 1)) }
	t.Logf("of %d that break, %d are missing (%.4f) and %.4f are certain; of %d said to be certain, %.4f do not break; of %d said to be possible, %.4f do not break",
		j.broken, j.missing, share(j.missing, j.broken), share(j.certain, j.broken), j.saidCertain, share(j.notBroken, j.saidCertain), j.saidPossible, share(j.unbroken, j.saidPossible))
	show := 5
	if text := os.Getenv(judgeShow); text != "" {
		var err error
		if show, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d mistakes about what reads a column itself; %s=%d shows so many", len(j.mistakes), judgeShow, show)
	for _, mistake := range j.mistakes[:min(show, len(j.mistakes))] {
		t.Log(mistake)
	}
	if j.broken == 0 {
		t.Error("nothing breaks: nothing was judged")
	}
	if j.missing > 0 {
		t.Errorf("%d that break are missing", j.missing)
	}
	if share(j.certain, j.broken) < 0.95 {
		t.Errorf("%.4f of what breaks is certain, which must be 0.95 or more", share(j.certain, j.broken))
	}
	if share(j.notBroken, j.saidCertain) > 0.1 {
		t.Errorf("%.4f of what is certain does not break, which must be 0.1 or less", share(j.notBroken, j.saidCertain))
	}
}
