package sample_test

import (
	"context"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sample"
)

func TestLoad(t *testing.T) {
	store, err := embedded.Open(context.Background(), embedded.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	c := catalog.New(catalog.Options{Store: store})
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
		"glossaryNode", "domain", "dataProduct", "dataPlatform", "mlFeature", "mlFeatureTable", "mlModel", "mlModelGroup", "assertion",
	} {
		page, err := c.ListURNs(context.Background(), entityType, 0, 1)
		if err != nil || page.Total == 0 {
			t.Errorf("the sample has no %s: %v", entityType, err)
		}
	}
	again, err := sample.Load(context.Background(), c)
	if err != nil || again != first {
		t.Errorf("loading again: %+v, %v", again, err)
	}
}

// TestNoDanglingLineage: whatever derives from something derives from an
// entity of the sample.
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
