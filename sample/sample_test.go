package sample_test

import (
	"context"
	"testing"

	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sample"
)

func TestLoad(t *testing.T) {
	store, err := embedded.Open(context.Background(), embedded.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	c := services.New(services.Options{Store: store})
	first, err := sample.Load(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if first.Entities < 200 {
		t.Errorf("the sample has %d entities, a few hundred are wanted", first.Entities)
	}
	t.Logf("%d entities from %d proposals", first.Entities, first.Proposals)
	for _, entityType := range []string{
		"dataset", "container", "dataFlow", "dataJob", "chart", "dashboard", "corpuser", "corpGroup", "tag", "glossaryTerm",
		"glossaryNode", "domain", "dataProduct", "dataPlatform", "mlFeature", "mlFeatureTable", "mlModel", "mlModelGroup", "assertion", "query",
	} {
		page, err := c.ListURNs(context.Background(), entityType, 0, 1)
		if err != nil || page.Total == 0 {
			t.Errorf("the sample has no %s: %v", entityType, err)
		}
	}
	second, err := sample.Load(context.Background(), c)
	if err != nil || second != first {
		t.Errorf("loading again: %+v, %v", second, err)
	}
}

// TestNoDanglingLineage: each entity from which an entity of the sample derives is in the
// sample.
func TestNoDanglingLineage(t *testing.T) {
	proposals, err := sample.Proposals()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, p := range proposals {
		known[p.EntityURN] = true
	}
	r := model.Default()
	for _, p := range proposals {
		owner, err := model.ParseURN(p.EntityURN)
		if err != nil {
			t.Fatal(err)
		}
		value, err := r.Parse(model.LI(), p.AspectName, p.Aspect.Value)
		if err != nil {
			t.Fatalf("%s of %s: %v", p.AspectName, owner, err)
		}
		for _, e := range r.Edges(owner, value) {
			if e.DestinationType != "schemaField" && !known[e.Destination] {
				t.Errorf("%s of %s names %s, which is not in the sample", p.AspectName, owner, e.Destination)
			}
		}
	}
}

// TestStamps: a stamp with the time of an event names the person of the event. Stamps with
// other times, such as times before the story, may name anybody.
func TestStamps(t *testing.T) {
	proposals, err := sample.Proposals()
	if err != nil {
		t.Fatal(err)
	}
	whose, stamps := sample.WhoseMoments(), 0
	for _, p := range proposals {
		value, err := jsontree.DecodeObject(p.Aspect.Value)
		if err != nil {
			t.Fatal(err)
		}
		eachObject(value, func(o jsontree.Object) {
			actor, at := jsontree.Text(o, "actor"), jsontree.Integer(o["time"])
			by, ok := whose[at]
			if !ok || actor == "" {
				return
			}
			stamps++
			if by != actor {
				t.Errorf("%s of %s: %s at %s, when %s wrote", p.AspectName, p.EntityURN, actor, moment(at), by)
			}
		})
	}
	if stamps < 50 {
		t.Errorf("the story has %d stamps of its events", stamps)
	}
}

// eachObject visits the objects in a value, and the value itself if it is an object.
func eachObject(value any, visit func(jsontree.Object)) {
	switch v := value.(type) {
	case jsontree.Object:
		visit(v)
		for _, member := range v {
			eachObject(member, visit)
		}
	case []any:
		for _, item := range v {
			eachObject(item, visit)
		}
	}
}

// TestSuggestions: for each type that people browse, the beginning of a name suggests an entity
// with the name.
func TestSuggestions(t *testing.T) {
	c, ctx := testcatalog.New(t), context.Background()
	if _, err := sample.Load(ctx, c); err != nil {
		t.Fatal(err)
	}
	if err := c.Follower.Await(ctx); err != nil {
		t.Fatal(err)
	}
	for _, e := range c.Registry().Entities() {
		found, err := c.Search.Search(ctx, search.Request{Types: []string{e.Name}, Count: 1, Named: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Hits) == 0 {
			continue
		}
		name := found.Hits[0].Name
		typed := string([]rune(name)[:min(4, len([]rune(name)))])
		suggested, err := c.Search.Autocomplete(ctx, search.AutocompleteRequest{Types: []string{e.Name}, Query: typed, Limit: 10})
		if err != nil || len(suggested.Texts) == 0 {
			t.Errorf("%s: %q, as of %q, suggests nothing: %v", e.Name, typed, name, err)
		}
	}
}
