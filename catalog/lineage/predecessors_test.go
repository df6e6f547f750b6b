package lineage_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
)

// traced is a store that counts the questions which find paths.
type traced struct {
	graphstore.Store
	feeders, edges *int
}

func (s traced) Feeders(ctx context.Context, q graphstore.FeederQuery) (map[string][]string, error) {
	*s.feeders++
	return s.Store.Feeders(ctx, q)
}

func (s traced) EdgesBetween(ctx context.Context, q graphstore.PairQuery) (map[graphstore.Pair][]graphstore.Edge, error) {
	*s.edges++
	return s.Store.EdgesBetween(ctx, q)
}

// TestPathsFromTheWalk: one path to each entity costs one question after the walk, whatever its
// length. Several paths cost more only where several entities lead to one.
func TestPathsFromTheWalk(t *testing.T) {
	h := catalogtest.NewHarness(t)
	of := func(name string) string {
		return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,%s,PROD)", name)
	}
	derive := func(from string, ups ...string) {
		list := ""
		for _, up := range ups {
			if list != "" {
				list += ","
			}
			list += fmt.Sprintf(`{"dataset":%q,"type":"TRANSFORMED"}`, of(up))
		}
		h.Say(of(from), "upstreamLineage", `{"upstreams":[`+list+`]}`)
	}
	for i := 1; i < 8; i++ {
		derive(fmt.Sprintf("line%d", i), fmt.Sprintf("line%d", i-1))
	}
	derive("left", "root")
	derive("right", "root")
	derive("join", "right", "left")
	for _, c := range []struct {
		from           string
		paths          int
		feeders, edges int
		found          int
	}{
		{"line0", 0, 0, 0, 0}, {"line0", 1, 0, 1, 7}, {"line0", 5, 0, 1, 7}, {"root", 1, 0, 1, 3}, {"root", 2, 1, 1, 4},
	} {
		var feeders, edges int
		asked := services.New(services.Options{Store: traced{h.Store, &feeders, &edges}})
		r := lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(of(c.from)), Direction: lineage.Downstream}, Count: 10, Paths: c.paths}
		page, err := asked.Lineage.Of(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for i := range page.Entities {
			found += len(page.Entities[i].Paths)
		}
		if feeders != c.feeders || edges != c.edges || found != c.found {
			t.Errorf("%d paths from %s: %d and %d questions for %d paths, want %d and %d for %d", c.paths, c.from, feeders, edges, found, c.feeders, c.edges, c.found)
		}
	}
}
