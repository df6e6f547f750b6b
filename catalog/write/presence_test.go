package write

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// counting is a store whose answers about kinds a test decides.
type counting struct {
	graphstore.Store
	count func(ctx context.Context) (int64, error)
}

func (c *counting) CountAspects(ctx context.Context, _, _ string) (int64, error) { return c.count(ctx) }

type discardingTx struct{ graphstore.Tx }

func (discardingTx) Write(graphstore.Batch) error { return nil }

// TestWritesOfKinds: every batch that may bring back derived lineage is noted, and others are not.
func TestWritesOfKinds(t *testing.T) {
	key := graphstore.AspectKey{URN: "u", Name: model.AspectDerivedLineage}
	for name, c := range map[string]struct {
		batch graphstore.Batch
		kind  kind
		want  bool
	}{
		"a version":             {graphstore.Batch{PutVersions: []graphstore.Aspect{{Name: "status"}, {Name: key.Name}}}, derivedLineage, true},
		"a restored version":    {graphstore.Batch{Restore: []graphstore.VersionKey{{Key: key}}}, derivedLineage, true},
		"an archived version":   {graphstore.Batch{Archive: []graphstore.AspectKey{key}}, derivedLineage, false},
		"another version":       {graphstore.Batch{PutVersions: []graphstore.Aspect{{Name: "upstreamLineage"}}}, derivedLineage, false},
		"a source":              {graphstore.Batch{Nodes: []graphstore.NodeUpdate{{Type: model.EntityDataHubIngestionSource, Exists: true}}}, ingestionSources, true},
		"a source that is gone": {graphstore.Batch{Nodes: []graphstore.NodeUpdate{{Type: model.EntityDataHubIngestionSource}}}, ingestionSources, false},
		"a dataset":             {graphstore.Batch{Nodes: []graphstore.NodeUpdate{{Type: model.EntityDataset, Exists: true}}}, ingestionSources, false},
	} {
		p, first := &presence{now: time.Now}, false
		tx := &watchedTx{discardingTx{}, p, &first}
		for range 2 {
			if err := tx.Write(c.batch); err != nil {
				t.Fatal(err)
			}
		}
		if first != c.want || p.states[c.kind].some != c.want {
			t.Errorf("%s: first %v, known %v, want %v", name, first, p.states[c.kind].some, c.want)
		}
	}
}

// TestLooksAtKinds: if a kind is written during the look, or the look fails or takes too long, the kind counts as
// present. Only the look that takes too long is remembered, because the next look would take as long.
func TestLooksAtKinds(t *testing.T) {
	looks := 0
	var p *presence
	for name, c := range map[string]struct {
		count func(ctx context.Context) (int64, error)
		want  bool
		looks int
	}{
		"none":    {func(context.Context) (int64, error) { return 0, nil }, false, 1},
		"some":    {func(context.Context) (int64, error) { return 1, nil }, true, 1},
		"failing": {func(context.Context) (int64, error) { return 0, errors.New("broken") }, true, 3},
		"slow":    {func(ctx context.Context) (int64, error) { <-ctx.Done(); return 0, ctx.Err() }, true, 1},
		"written meanwhile": {func(context.Context) (int64, error) {
			p.write(derivedLineage)
			return 0, nil
		}, true, 1},
	} {
		looks = 0
		p = &presence{now: time.Now, alone: true, store: &counting{count: func(ctx context.Context) (int64, error) {
			looks++
			return c.count(ctx)
		}}}
		for range 3 {
			if got := p.mayHave(t.Context(), derivedLineage); got != c.want {
				t.Errorf("%s: %v", name, got)
			}
		}
		if looks != c.looks {
			t.Errorf("%s: %d looks, want %d", name, looks, c.looks)
		}
	}
}

// TestKnowledgeOfKindsEnds: a server that shares its store looks again after a moment.
func TestKnowledgeOfKindsEnds(t *testing.T) {
	stored := int64(0)
	p := &presence{now: time.Now, store: &counting{count: func(context.Context) (int64, error) { return stored, nil }}}
	if p.mayHave(t.Context(), derivedLineage) {
		t.Error("something of which there is nothing")
	}
	stored = 1
	p.states[derivedLineage].until = time.Now().Add(-1)
	if !p.mayHave(t.Context(), derivedLineage) {
		t.Error("nothing of which there is something")
	}
}
