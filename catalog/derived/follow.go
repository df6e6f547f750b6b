package derived

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/model"
)

const (
	// pageSize is how many changes are read at once, and scanned how many entities.
	pageSize = 200
	scanned  = 200
	// version changes when the derivation gives other lineage for the same SQL. Then a new sweep derives the whole
	// catalog again.
	version = 2
)

// sweep is the progress of the derivation through the whole catalog.
type sweep struct {
	// Version and Mode are the version and the mode with which the sweep began.
	Version int  `json:"version"`
	Mode    Mode `json:"mode"`
	// After is the entity up to which the sweep has come. Done: the sweep has reached the last entity.
	After string `json:"after"`
	Done  bool   `json:"done"`
	// Again: the parser did not run, so that the next start must begin anew.
	Again bool `json:"again,omitempty"`
}

// follower reads and delivers while this server holds the follower.
type follower struct {
	*Service
	mode Mode
	// term is the term in which ahead was read. ahead is the sweep as it will be when the batches that were read are
	// delivered.
	term  int64
	ahead sweep
}

// read reads the next batch: entities of the sweep, or changes after it.
func (f *follower) read(ctx context.Context, after delivery.Position, limit int, patience time.Duration) (delivery.Batch, error) {
	if f.term != after.Term {
		stored, _, err := f.sweep.Get(ctx, "")
		if err != nil {
			return delivery.Batch{}, err
		}
		if f.ahead = stored.Value; f.ahead.Version != version || f.ahead.Mode != f.mode || f.ahead.Again && f.ahead.Done {
			f.ahead = sweep{Version: version, Mode: f.mode}
		}
		f.term = after.Term
	}
	if !f.ahead.Done {
		return f.readSweep(ctx, after)
	}
	heads, next, err := f.Log.FollowChangeHeads(ctx, after.Cursor, limit, patience)
	if err != nil || len(heads) == 0 {
		return delivery.Batch{Next: next}, err
	}
	return delivery.Batch{Changes: len(heads), Next: next, Deliver: func(ctx context.Context) error { return f.follow(ctx, heads) }}, nil
}

// readSweep reads the next entities of the sweep.
func (f *follower) readSweep(ctx context.Context, after delivery.Position) (delivery.Batch, error) {
	urns, err := f.Store.ScanEntities(ctx, f.ahead.After, scanned)
	if err != nil {
		return delivery.Batch{}, catalog.StoreFailure(err)
	}
	if len(urns) > 0 {
		f.ahead.After = urns[len(urns)-1]
	}
	f.ahead.Done = len(urns) < scanned
	now := f.ahead
	return delivery.Batch{Changes: max(1, len(urns)), Next: after.Cursor, Deliver: func(ctx context.Context) error {
		if err := f.deriveAll(ctx, urns); err != nil {
			return err
		}
		now.Again = f.down.Load()
		if err := f.save(ctx, now); err != nil {
			return err
		}
		if now.Done {
			f.Logger.InfoContext(ctx, "the SQL of the whole catalog was read for its lineage", "outcomes", f.Counts())
		}
		return nil
	}}, nil
}

// follow derives again the lineage that changes may affect.
func (f *follower) follow(ctx context.Context, heads []catalog.ChangeHead) error {
	var urns []string
	seen := map[string]bool{}
	add := func(some ...string) {
		for _, urn := range some {
			if !seen[urn] {
				seen[urn] = true
				urns = append(urns, urn)
			}
		}
	}
	tables := map[string]bool{}
	for i := range heads {
		h := &heads[i]
		if h.Kind == catalog.ChangeRestate {
			continue
		}
		if slices.Contains(inputs[h.EntityType], h.Aspect) {
			add(h.URN)
		}
		if h.EntityType != model.EntityDataset || h.Aspect != model.AspectSchemaMetadata && h.Aspect != model.AspectDatasetKey || tables[h.URN] {
			continue
		}
		tables[h.URN] = true
		readers, err := f.readersOf(ctx, h.URN)
		if err != nil {
			return err
		}
		add(readers...)
	}
	if err := f.deriveAll(ctx, urns); err != nil || !f.down.Load() || f.ahead.Again {
		return err
	}
	f.ahead.Again = true
	return f.save(ctx, f.ahead)
}

// save saves the sweep.
func (f *follower) save(ctx context.Context, now sweep) error {
	_, err := f.sweep.Update(ctx, "", func(stored *sweep) error {
		*stored = now
		return nil
	})
	return err
}

// readerKinds are the edges by which entities read a table whose columns have changed.
var readerKinds = []graphstore.EdgeKind{
	{Type: model.RelationshipDownstreamOf, SourceType: model.EntityDataset, DestinationType: model.EntityDataset},
	{Type: model.RelationshipConsumes, SourceType: model.EntityDataJob, DestinationType: model.EntityDataset},
	{Type: model.RelationshipIsAssociatedWith, SourceType: model.EntityQuery, DestinationType: model.EntityDataset},
}

// readersOf returns the entities whose SQL may read a table: those that derive from it, and those that wait for it.
func (f *follower) readersOf(ctx context.Context, table string) ([]string, error) {
	var readers []string
	for start := 0; ; start += edgesAtOnce {
		page, err := f.Store.Edges(ctx, graphstore.EdgeQuery{
			URNs: []string{table}, Direction: graphstore.Incoming, Kinds: readerKinds, Page: graphstore.Page{Start: start, Count: edgesAtOnce},
		})
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		edges := page[table].Edges
		for i := range edges {
			readers = append(readers, edges[i].Source)
		}
		if len(edges) < edgesAtOnce {
			break
		}
	}
	for record, err := range f.waits.All(ctx, table+waitsEnd, "") {
		if err != nil {
			return nil, err
		}
		readers = append(readers, strings.TrimPrefix(record.Name, table+waitsEnd))
		if err := f.waits.Delete(ctx, record.Name, record.Revision); err != nil && !errors.Is(err, records.ErrChanged) {
			return nil, err
		}
	}
	return readers, nil
}

const edgesAtOnce = 1000

// waitsEnd marks the end of a table's URN in the name of the record of an entity that waits for the
// table. No URN contains waitsEnd.
const waitsEnd = "\n"

// deriveAll derives the lineage of entities. An error comes from the store; the caller then tries the same entities
// again. SQL that cannot be read is only counted.
func (f *follower) deriveAll(ctx context.Context, urns []string) error {
	ctx = write.OwnWork(ctx)
	for some := range slices.Chunk(urns, scanned) {
		var having []string
		for _, urn := range some {
			if inputs[model.StoredURN(urn).EntityType()] != nil {
				having = append(having, urn)
			}
		}
		if len(having) == 0 {
			continue
		}
		stored, err := f.Store.LatestAspects(ctx, having, textAspects)
		if err != nil {
			return catalog.StoreFailure(err)
		}
		for _, urn := range having {
			if len(stored[urn]) == 0 {
				continue // the aspect has neither SQL nor lineage derived from SQL
			}
			outcome := Failed
			var reason string
			err := safely.Do(func() (err error) {
				outcome, reason, err = f.derive(ctx, urn, f.mode)
				return err
			})
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil && catalog.CodeOf(err).Transient():
				return err
			case err != nil:
				outcome, reason = Failed, err.Error()
			}
			f.told[outcome].Add(1)
			if reason != "" {
				f.Logger.InfoContext(ctx, "no lineage is derived from the SQL of an entity", "urn", urn, "outcome", outcome.String(), "reason", reason)
			}
		}
	}
	return nil
}
