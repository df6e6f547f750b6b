package openlineage_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/openlineage"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// fixturesVariable names a folder with checkouts of OpenLineage/OpenLineage and OpenLineage/compatibility-tests, each in a folder
// of its own. Their events are read there, and are not part of this repository.
const fixturesVariable = "HEADWATER_OPENLINEAGE_FIXTURES"

// fixturesFolder returns the folder of other people's events. A test that lacks it is left out.
func fixturesFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv(fixturesVariable)
	if folder == "" {
		t.Skipf("%s names the folder with the events of the specification and of its compatibility tests; make test-openlineage-events sets it", fixturesVariable)
	}
	return folder
}

var jsonBlock = regexp.MustCompile("(?s)```json[^\n]*\n(.*?)```")

// textsOf returns the JSON of a file: the file, or the blocks of a page.
func textsOf(t *testing.T, path string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(path) == ".json" {
		return [][]byte{text}
	}
	var blocks [][]byte
	for _, block := range jsonBlock.FindAllSubmatch(text, -1) {
		blocks = append(blocks, block[1])
	}
	return blocks
}

// othersEvents returns the events below a folder, by their files: JSON files and blocks of pages that are events, or
// lists of events. The expected results of tests are left out: they have expressions such as {{ is_datetime(result) }}
// and ${json-unit.any-string} in the place of values.
func othersEvents(t *testing.T, folder string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".json", ".md", ".mdx"}, filepath.Ext(path)) {
			return err
		}
		for _, text := range textsOf(t, path) {
			var list []json.RawMessage
			if json.Unmarshal(text, &list) != nil {
				list = []json.RawMessage{text}
			}
			for _, one := range list {
				var event map[string]json.RawMessage
				if !strings.Contains(string(one), "{{") && !strings.Contains(string(one), "${json-unit.") && json.Unmarshal(one, &event) == nil && event["eventTime"] != nil && (event["run"] != nil || event["job"] != nil || event["dataset"] != nil) {
					found[path] = append(found[path], string(one))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// lacksRun reports whether an event is one of a run without an id, which the specification requires. The repositories have some, as examples
// of events that are refused and as expectations.
func lacksRun(text string) bool {
	var event struct{ Run map[string]any }
	return json.Unmarshal([]byte(text), &event) == nil && event.Run != nil && event.Run["runId"] == nil
}

// TestEventsOfOthers: each event of the specification, of its clients' tests and of the compatibility tests is taken, and any order of
// them, with repetitions, gives an equal export on both stores.
func TestEventsOfOthers(t *testing.T) {
	found := othersEvents(t, fixturesFolder(t))
	seed := testseed.Of(t)
	random := rand.New(rand.NewPCG(seed, seed))
	inOrder := catalogtest.NewHarness(t)
	var events []string
	for _, path := range slices.Sorted(maps.Keys(found)) {
		for _, text := range found[path] {
			err := inOrder.OpenLineage.Take(t.Context(), json.RawMessage(text), catalog.WriteOptions{Actor: catalogtest.Ada})
			if lacksRun(text) {
				if catalog.CodeOf(err) != catalog.Invalid {
					t.Errorf("%s: an event without the id of its run: %v", path, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			events = append(events, text)
		}
	}
	if t.Logf("%d events of %d files", len(events), len(found)); len(events) < 50 {
		t.Fatalf("the folder has %d events", len(events))
	}
	want := graphOf(t, inOrder)
	compare := func(t *testing.T, h *catalogtest.Harness, take func(*testing.T, *catalogtest.Harness, []string)) {
		t.Helper()
		shuffled := slices.Clone(events)
		for range len(events) / 10 {
			shuffled = append(shuffled, events[random.IntN(len(events))])
		}
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		take(t, h, shuffled)
		if diff := cmp.Diff(want, graphOf(t, h)); diff != "" {
			t.Errorf("the graph depends on the order (- in order, + in another one):\n%s", diff)
		}
	}
	t.Run("embedded", func(t *testing.T) {
		for _, take := range []func(*testing.T, *catalogtest.Harness, []string){takeAll, takeAtOnce} {
			h := catalogtest.NewHarness(t)
			alone(h)
			compare(t, h, take)
		}
	})
	t.Run("neo4j", func(t *testing.T) {
		uri := testservers.Neo4j(t)
		testservers.WipeNeo4j(t, uri)
		compare(t, catalogtest.HarnessOn(t, catalogtest.OpenNeo4j(t, uri)), takeAll)
	})
}

// placesOfExamples has the place of each facet of which spec/tests has examples, by the end of the folder's name; the
// first entry that fits counts.
var placesOfExamples = []struct {
	end   string
	place openlineage.Place
}{
	{"InputDatasetFacet", openlineage.OfInput},
	{"OutputDatasetFacet", openlineage.OfOutput},
	{"DatasetFacet", openlineage.OfDataset},
	{"JobFacet", openlineage.OfJob},
	{"RunFacet", openlineage.OfRun},
	{"Facet", openlineage.OfDataset},
}

// TestFacetsOfTheSpecification: each example of a facet in spec/tests of the specification is taken and kept as it is.
func TestFacetsOfTheSpecification(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(fixturesFolder(t), "*", "spec", "tests", "*", "*.json"))
	if err != nil || len(paths) < 30 {
		t.Fatalf("the folder has %d examples of facets: %v", len(paths), err)
	}
	for _, path := range paths {
		kind := filepath.Base(filepath.Dir(path))
		t.Run(kind+" "+filepath.Base(path), func(t *testing.T) {
			var example map[string]json.RawMessage
			if err := json.Unmarshal(textsOf(t, path)[0], &example); err != nil || len(example) == 0 {
				t.Fatal(example, err)
			}
			for key, text := range example {
				f := openlineage.Facet{Key: key}
				for _, of := range placesOfExamples {
					if strings.HasSuffix(kind, of.end) {
						f.Of = of.place
						break
					}
				}
				h := catalogtest.NewHarness(t)
				takeAll(t, h, []string{withFacet(&f, string(text))})
				sent := sentOf(t, h, &f)
				if len(sent) == 0 {
					t.Fatalf("the facet %s is not kept", key)
				}
				var got, want any
				if err := json.Unmarshal(sent[0].Facet, &got); err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(text, &want); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}
