package write

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/model"
)

// Earlier releases did not write the edges that lead from a dataset to the
// columns that its fine-grained lineage begins at. A store of such a release
// gets them once, in the background.

const (
	// backfillFollower is the follower whose position shows that the edges have
	// been written.
	backfillFollower = "edges/columns-of-datasets"
	// backfilledAspect is the aspect that states the edges, and backfilledField the member with the edges in the value
	// of the aspect.
	backfilledAspect = model.AspectUpstreamLineage
	backfilledField  = `"fineGrainedLineages"`
	// scanPage bounds how many entities are read at a time, backfilledAtOnce how
	// many edges are written in a transaction, unless one entity states more.
	scanPage         = 500
	backfilledAtOnce = 2000
)

// needsBackfill reports whether earlier releases did not write the edge of a statement.
func needsBackfill(e *graphstore.EdgeStatement) bool {
	return e.Source == e.Owner && e.Aspect == backfilledAspect && e.DestinationType == model.EntitySchemaField
}

// BackfillEdges starts to write the edges that earlier releases did not write, in
// the background, unless this has been done.
func (w *Writer) BackfillEdges(ctx context.Context) error {
	mark, err := w.store.LoadCursor(ctx, backfillFollower)
	if err != nil || mark != "" {
		return catalog.StoreFailure(err)
	}
	return w.work.run("edges of earlier releases", func(ctx context.Context) {
		w.untilDone(ctx, "edges of earlier releases", w.backfillAll)
	})
}

// untilDone runs a step of work in the background until it succeeds or the
// writer stops.
func (w *Writer) untilDone(ctx context.Context, what string, step func(context.Context) error) {
	for wait := catalog.RetryFirst; ; wait = min(2*wait, catalog.RetryMost) {
		err := safely.Do(func() error { return step(ctx) })
		if err == nil || ctx.Err() != nil {
			return
		}
		w.logger.WarnContext(ctx, "work in the background failed; trying again", "work", what, "error", err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

// backfillAll processes all datasets and then records that all are processed.
func (w *Writer) backfillAll(ctx context.Context) error {
	end, err := w.store.EndCursor(ctx)
	if err != nil {
		return err
	}
	written := 0
	for _, d := range w.Registry().Dialects() {
		err := w.eachWithPrefix(ctx, "urn:"+d.Namespace+":dataset:", func(urns []string) error {
			stored, err := w.store.LatestAspects(ctx, urns, []string{backfilledAspect})
			if err != nil {
				return err
			}
			n, err := w.backfill(ctx, stored)
			written += n
			return err
		})
		if err != nil {
			return err
		}
	}
	if written > 0 {
		w.logger.InfoContext(ctx, "edges from datasets to the columns they derive from were written", "number", written)
	}
	if end == "" { // nothing was ever written, and a follower cannot record that it has read nothing
		return nil
	}
	return w.store.SaveCursor(ctx, backfillFollower, end)
}

// eachWithPrefix calls a function with the entities whose URNs begin with a
// prefix, some at a time.
func (w *Writer) eachWithPrefix(ctx context.Context, prefix string, each func(urns []string) error) error {
	for after := prefix; ; {
		urns, err := w.store.ScanEntities(ctx, after, scanPage)
		if err != nil {
			return err
		}
		n := 0
		for n < len(urns) && strings.HasPrefix(urns[n], prefix) {
			n++
		}
		if n > 0 {
			if err := each(urns[:n]); err != nil {
				return err
			}
		}
		if n < scanPage {
			return nil
		}
		after = urns[n-1]
	}
}

// backfilling contains the edges of one entity's aspect.
type backfilling struct {
	aspect graphstore.Aspect
	edges  edgeDiff
}

// backfill writes the missing edges of aspects, and returns how many edges these aspects state.
func (w *Writer) backfill(ctx context.Context, stored map[string][]graphstore.Aspect) (written int, err error) {
	var waiting []backfilling
	edges := 0
	for _, aspects := range stored {
		for _, a := range aspects {
			if !bytes.Contains(a.Value, []byte(backfilledField)) {
				continue
			}
			next, err := w.backfillingOf(a)
			if err != nil {
				return written, err
			}
			n := len(next.edges.ensured)
			if n == 0 {
				continue
			}
			if edges > 0 && edges+n > backfilledAtOnce {
				if err := w.writeBackfilled(ctx, waiting); err != nil {
					return written, err
				}
				waiting, edges = nil, 0
			}
			waiting = append(waiting, next)
			edges += n
			written += n
		}
	}
	return written, w.writeBackfilled(ctx, waiting)
}

// backfillingOf returns the edges that an aspect states.
func (w *Writer) backfillingOf(a graphstore.Aspect) (backfilling, error) {
	r := backfilling{aspect: a}
	value, err := w.Registry().ParseStored(a.Name, a.Value)
	if err != nil {
		return r, err
	}
	aspect, _ := w.Registry().Aspect(a.Name) // the model has this aspect
	// Only edges that earlier releases did not write can be missing, because the value stays the
	// same.
	r.edges.ensured = slices.DeleteFunc(w.statements(&change{urn: model.StoredURN(a.URN), aspect: aspect}, value),
		func(statement graphstore.EdgeStatement) bool { return !needsBackfill(&statement) })
	return r, nil
}

// writeBackfilled writes the edges of aspects. An aspect that has changed is left out: the write
// that changed it has added its edges.
func (w *Writer) writeBackfilled(ctx context.Context, waiting []backfilling) error {
	if len(waiting) == 0 {
		return nil
	}
	urns, keys := make([]string, len(waiting)), make([]graphstore.AspectKey, 2*len(waiting))
	for i := range waiting {
		urns[i] = waiting[i].aspect.URN
		keys[i] = graphstore.AspectKey{URN: urns[i], Name: waiting[i].aspect.Name}
		keys[len(waiting)+i] = graphstore.AspectKey{URN: urns[i], Name: model.AspectDerivedLineage}
	}
	return w.commit(ctx, urns, func(tx graphstore.Tx) error {
		states, err := tx.Aspects(keys)
		if err != nil {
			return err
		}
		var batch graphstore.Batch
		for i := range waiting {
			if latest := states[i].Latest; latest != nil && bytes.Equal(latest.Value, waiting[i].aspect.Value) {
				edges, err := w.notOverruled(&waiting[i].edges, states[len(waiting)+i].Latest)
				if err != nil {
					return err
				}
				writeEdges(&batch, &edges, edgeStampOf(&waiting[i].aspect))
				batch.Changes = append(batch.Changes, graphstore.Change{
					Time: tx.Now(), Actor: latest.CreatedBy, Kind: graphstore.ChangeNote, URN: latest.URN,
					EntityType: model.StoredURN(latest.URN).EntityType(), Aspect: latest.Name,
				})
			}
		}
		if batch.Empty() {
			return nil
		}
		return tx.Write(batch)
	})
}
