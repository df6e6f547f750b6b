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

// Environment variables of TestDatabaseJudgesImpact: the seed of a run to repeat, and the
// number of mistakes to show.
const (
	judgeSeed = "HEADWATER_JUDGE_SEED"
	judgeShow = "HEADWATER_JUDGE_SHOW"
)

// judgement compares the answers about columns with what really breaks.
type judgement struct {
	broken, missing, certain int // of broken views: all, those missing in the answer, those answered as certain
	saidCertain, notBroken   int // answers "certain": all, and those whose view does not break
	saidPossible, unbroken   int // answers "possible": all, and those whose view does not break
	mistakes                 []string
}

// TestDatabaseJudgesImpact: PostgreSQL and impact agree on the views that break when a
// column is dropped. The test generates views over ten tables, PostgreSQL creates them, and
// the unmodified client ingests them. To run it with a seed, and to show all mistakes:
//
//	HEADWATER_JUDGE_SEED=7 HEADWATER_JUDGE_SHOW=1000 go test ./e2e -run 'TestDatabaseJudgesImpact/embedded' -v
//
// If HEADWATER_JUDGE_DIR is set, this folder receives the statements and the database's
// answer.
func TestDatabaseJudgesImpact(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			views := 200
			if b.name != "embedded" {
				views = testsize.Of(20, 200)
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

// databaseTruth is PostgreSQL's own knowledge about its views.
type databaseTruth struct {
	Database string
	Columns  []struct {
		Relation, Column string
		// Readers are the relations that read the relation of the column. Direct are the relations that read
		// the column or have a foreign key to it. Broken are the relations that are lost if the column is
		// dropped.
		Readers, Direct, Broken []string
	}
	// Views has the definitions of the views.
	Views map[string]string
}

// makeDatabase makes a new database with generated tables and views.
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

// ingestDatabase runs the client's source for PostgreSQL with the search_path pg_catalog.
// With the usual one, definitions and foreign keys name tables of the schema public without
// their schema, and the client looks for these in the schema of the view, so that it states
// lineage from datasets that do not exist.
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

// effectsOf returns the impact of a column: the effect on each entity.
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

// judge compares the impact of every column with the truth.
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
			if name, known := names[entity]; known { // leave out entities that PostgreSQL does not know because they are neither tables nor views
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

// compare adds the comparison for one column.
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

// report prints the figures, and the mistakes about relations that read a column directly.
// It fails the test if a figure is worse than permitted.
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
	if share(j.certain, j.broken) < 0.99 {
		t.Errorf("%.4f of what breaks is certain, which must be 0.99 or more", share(j.certain, j.broken))
	}
	if share(j.notBroken, j.saidCertain) > 0.01 {
		t.Errorf("%.4f of what is certain does not break, which must be 0.01 or less", share(j.notBroken, j.saidCertain))
	}
}
