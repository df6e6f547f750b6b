package visible_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/access/visible"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
)

// hundred returns 100 policies. Half of them are about the owner, the tags and the domains of their
// resources.
func hundred() []policies.Policy {
	set := []policies.Policy{allow(), deny(criterion("DOMAIN", policies.Equals, "urn:li:domain:d1"))}
	for i := len(set); i < 100; i++ {
		switch i % 4 {
		case 0:
			set = append(set, deny(criterion("TAG", policies.Equals, fmt.Sprintf("urn:li:tag:none%d", i))))
		case 1:
			set = append(set, allow(criterion("DOMAIN", policies.Equals, fmt.Sprintf("urn:li:domain:none%d", i))))
		case 2:
			set = append(set, deny(criterion("OWNER", policies.Equals, fmt.Sprintf("urn:li:corpuser:none%d", i)), criterion("TYPE", policies.Equals, "dataset")))
		default:
			set = append(set, allow(criterion("TYPE", policies.Equals, "dataset", "chart"), criterion("CONTAINER", policies.Equals, fmt.Sprintf("urn:li:container:none%d", i))))
		}
	}
	return set
}

const benched = 2000

// BenchmarkVisible compares searches and walks of a caller whom 100 policies concern with those of the server
// itself. Each request has a context of its own; the permissions last as long as the gate keeps them.
func BenchmarkVisible(b *testing.B) {
	h := catalogtest.NewSearchHarness(b)
	var all []thing
	for i := range 5 {
		all = append(all, thing{urn: fmt.Sprintf("urn:li:domain:d%d", i)})
	}
	for i := range benched {
		t := thing{urn: fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,x%d,PROD)", i), domain: fmt.Sprintf("urn:li:domain:d%d", i%5), owner: piet, tag: fmt.Sprintf("urn:li:tag:t%d", i%3)}
		if i > 0 {
			t.upstreams = []string{fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,x%d,PROD)", i/2)}
		}
		all = append(all, t)
	}
	write(h, all, all)
	s := &seen{SearchHarness: h, all: all}
	s.store = visible.NewStore(h.Store, model.Default())
	s.index = visible.NewIndex(h.Index, h.Store, model.Default())
	c := services.New(services.Options{
		Store: h.Store, Index: &follower.Index{Index: h.Index}, Now: testclock.Now, Shown: services.Shown{Store: s.store, Index: s.index, Changes: s.store.Shown},
	})
	whole := s.permissions(append(hundred()[:1], hundred()[2:]...))
	permissions := s.permissions(hundred())
	ask := map[string]func(ctx context.Context) error{
		"search": func(ctx context.Context) error {
			q := indexer.Query{Text: indexer.Text{Tokens: []string{"table"}}, Size: 10, Facets: []string{"owners", "tags", "domains", "platform"}, FacetSize: 20}
			_, err := s.index.Search(ctx, &q)
			return err
		},
		"lineage": func(ctx context.Context) error {
			_, err := c.Lineage.Of(ctx, lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(all[5].urn), Direction: lineage.Downstream, Reach: lineage.MaxReach}, Count: 20})
			return err
		},
		"search in lineage": func(ctx context.Context) error {
			_, err := c.Lineage.Search(ctx, lineage.SearchRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(all[5].urn), Direction: lineage.Downstream, Reach: lineage.MaxReach}, Request: search.Request{Count: 20}})
			return err
		},
		"walk": func(ctx context.Context) error {
			_, err := s.store.Walk(ctx, graphstore.WalkQuery{From: []string{all[5].urn}, Steps: downstream, Limit: 10_000})
			return err
		},
	}
	for name, question := range ask {
		for _, who := range []string{"server", "piet", "piet, nothing hidden"} {
			b.Run(name+"/"+who, func(b *testing.B) {
				for b.Loop() {
					ctx := context.Background()
					switch who {
					case "piet":
						ctx = visible.With(ctx, permissions)
					case "piet, nothing hidden":
						ctx = visible.With(ctx, whole)
					}
					if err := question(ctx); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	b.Run("condition", func(b *testing.B) {
		for b.Loop() {
			if err := ask["search"](visible.With(context.Background(), s.permissions(hundred()))); err != nil {
				b.Fatal(err)
			}
		}
	})
}
