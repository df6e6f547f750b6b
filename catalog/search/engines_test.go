package search_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/indexer"
	searchfile "github.com/headwater-io/headwater/indexer/embedded"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sample"
)

// These are the reasons why the first hits of two kinds of index differ.
const (
	countsFields   = "Typesense puts first what has the words in more fields; the embedded index compares the best field of each word"
	severalSimilar = "several words are similar to what was typed; Typesense orders only by whether a name has one of them"
)

// otherOrder has the queries for which fewer than eight of the first ten hits are the same in
// both kinds of index, with the reason. The sets of all their hits are equal.
var otherOrder = map[string]string{
	"Order": countsFields, "orders": countsFields, "odrers": countsFields, "ordres": countsFields,
	"staging": countsFields, "Shops": countsFields, "marts": countsFields, "Mar": countsFields, "larksspur": countsFields,
	"analytics staging": countsFields, "analyetics staing": countsFields, "analytcis stging": countsFields,
	"anaytics stagirg": countsFields, "analutics straging": countsFields, "analytics marts": countsFields,
	"customer_id": countsFields,
	"Metr":        severalSimilar, "tale": severalSimilar, "shep": severalSimilar, "cleanrd ttped": severalSimilar,
}

// otherScripts are names that are not written in ASCII letters.
var otherScripts = []string{
	"Größe der Übergröße", "日本語の売上", "Заказы клиентов", "πωλήσεις ελληνικά", "Café Crème naïve", "Łódź ñandú", "고객 한국어", "數據", "عملاء", "हिन्दी ग्राहक",
}

// engine is a kind of index with a catalog whose changes it follows.
type engine struct {
	name string
	*services.Services
	index indexer.Index
}

func openEngine(t *testing.T, name string, store graphstore.Store, index indexer.Index) engine {
	t.Helper()
	e := engine{name, services.New(services.Options{Store: store, Index: &follower.Index{Index: index}, Now: testclock.Now}), index}
	ctx, stop := context.WithCancel(context.Background())
	var following sync.WaitGroup
	following.Go(func() { e.Follower.Follow(ctx) })
	t.Cleanup(func() {
		stop()
		following.Wait()
		e.Stop()
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// openEngines opens one catalog, the sample with names in other scripts, with both kinds of index.
func openEngines(t *testing.T) []engine {
	t.Helper()
	ctx, dir, schema := context.Background(), t.TempDir(), indexer.NewSchema(model.Default())
	store, err := embedded.Open(ctx, embedded.Options{Dir: dir, Now: testclock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	file, err := searchfile.Open(ctx, searchfile.Options{Dir: dir, Fingerprint: schema.Fingerprint()})
	if err != nil {
		t.Fatal(err)
	}
	server := catalogtest.OpenTypesense(t)
	engines := []engine{openEngine(t, "embedded", store, file)}
	if _, err := sample.Load(ctx, engines[0].Services); err != nil {
		t.Fatal(err)
	}
	for i, name := range otherScripts {
		if _, err := engines[0].Ingest(ctx, write.Proposal{
			EntityType: model.EntityDataset, EntityURN: catalogtest.Dataset("hive", fmt.Sprintf("scripts.t%d", i), "PROD"), AspectName: model.AspectDatasetProperties,
			Aspect: &write.GenericAspect{ContentType: "application/json", Value: []byte(catalogtest.MustJSON(t, map[string]any{"name": name, "description": "table of " + name}))},
		}, catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	engines = append(engines, openEngine(t, "typesense", store, server))
	for _, e := range engines {
		for waited := 0; e.Follower.Await(ctx) != nil; waited++ {
			if waited == 6 {
				t.Fatalf("the index %s does not follow", e.name)
			}
		}
	}
	return engines
}

// found returns the URNs that a query finds, the best first.
func (e engine) found(t *testing.T, input string) []string {
	t.Helper()
	result, err := e.Search.Search(context.Background(), search.Request{Input: input, Count: 1000})
	if err != nil {
		t.Fatalf("%s: %q: %v", e.name, input, err)
	}
	urns := make([]string, len(result.Hits))
	for i, hit := range result.Hits {
		urns[i] = hit.URN
	}
	return urns
}

// named returns the URNs of the entities whose name is exactly the input.
func (e engine) named(t *testing.T, input string) []string {
	t.Helper()
	result, err := e.index.Search(context.Background(), &indexer.Query{
		Filter: indexer.In{Field: indexer.FieldName, Values: []string{indexer.Normalize(input)}}, Size: 1000, Plain: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	urns := make([]string, len(result.Hits))
	for i, hit := range result.Hits {
		urns[i] = hit.URN
	}
	return urns
}

// TestEnginesAgree: for queries of the usual kinds (testdata/queries.txt), both kinds of index
// find the same entities. Eight of the first ten hits are the same, except for the queries of
// otherOrder. An entity whose name is exactly the input is first.
func TestEnginesAgree(t *testing.T) {
	engines := openEngines(t)
	text, err := os.ReadFile("testdata/queries.txt")
	if err != nil {
		t.Fatal(err)
	}
	queries, empty, reordered := 0, 0, map[string]bool{}
	for line := range strings.Lines(string(text)) {
		kind, query, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		queries++
		named := engines[0].named(t, query)
		var found [2][]string
		for i, e := range engines {
			found[i] = e.found(t, query)
			isNamed := func(urn string) bool { return slices.Contains(named, urn) }
			if slices.ContainsFunc(found[i], isNamed) && !isNamed(found[i][0]) {
				t.Errorf("%s, %s: %q finds %s first, which does not have exactly this name", e.name, kind, query, found[i][0])
			}
		}
		if len(found[0]) == 0 {
			empty++
		}
		first := found[0][:min(10, len(found[0]))]
		same := 0
		for _, urn := range first {
			if slices.Contains(found[1][:min(10, len(found[1]))], urn) {
				same++
			}
		}
		if same*10 < 8*len(first) {
			reordered[query] = true
			if otherOrder[query] == "" {
				t.Errorf("%s: %q: only %d of the first %d hits are the same", kind, query, same, len(first))
			}
		}
		slices.Sort(found[0])
		slices.Sort(found[1])
		if diff := gocmp.Diff(found[0], found[1]); diff != "" {
			t.Errorf("%s: %q (-embedded +typesense):\n%s", kind, query, diff)
		}
	}
	for query := range otherOrder {
		if !reordered[query] {
			t.Errorf("%q has the same first hits: take it out of otherOrder", query)
		}
	}
	if queries < 500 || empty > queries/5 {
		t.Errorf("of %d queries, %d find nothing: they judge too little", queries, empty)
	}
}
