package follower

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
)

// rebuildNow builds a new index beside the index in use, and then replaces the index in use.
// The caller must hold rebuilding.
func (f *Follower) rebuildNow(ctx context.Context, reason string) error {
	began := time.Now()
	f.updateStatus(func(s *Status) {
		s.Building, s.Done, s.Total, s.BuildFailure, s.Reason = true, 0, 0, "", reason
		s.Builds++
	})
	build, err := f.index.Rebuild(ctx)
	if err == nil {
		err = f.fill(ctx, build)
		err = errors.Join(err, build.Abandon())
	}
	f.updateStatus(func(s *Status) {
		s.Building = false
		if err != nil {
			s.BuildFailure = catalog.MessageOf(Failure(err))
		} else {
			s.Broken = ""
		}
	})
	if err == nil {
		f.logger.InfoContext(ctx, "search index built", "seconds", time.Since(began).Seconds())
	}
	return err
}

// fill writes the documents of all entities, then again the documents of the entities that
// changed since the start, and swaps the indexes.
func (f *Follower) fill(ctx context.Context, build indexer.Build) error {
	at := position{index: strings.ToLower(rand.Text())}
	var err error
	if at.cursor, err = f.store.EndCursor(ctx); err != nil {
		return err
	}
	if err := f.scan(ctx, build, &at.refused); err != nil {
		return err
	}
	if err = f.catchUp(ctx, build, &at); err != nil {
		return err
	}
	// While applying is held, the index in use receives no changes. So the new index lacks no
	// change that the index in use has.
	f.applying.Lock()
	defer f.applying.Unlock()
	if err = f.catchUp(ctx, build, &at); err != nil {
		return err
	}
	if err := build.Write(ctx, indexer.Batch{Cursor: at.String()}); err != nil {
		return err
	}
	if err := f.register(ctx, &at, build.Swap); err != nil {
		return err
	}
	f.setCursor(at.cursor)
	f.updateStatus(func(s *Status) { s.Refused = at.refused })
	return nil
}

// catchUp applies the changes after a position, up to the present end of the log. catchUp
// leaves changes that are written meanwhile, perhaps faster than they can be indexed.
func (f *Follower) catchUp(ctx context.Context, build indexer.Build, at *position) error {
	end, err := f.store.EndCursor(ctx)
	if err != nil {
		return err
	}
	enough := func(_ int, cursor string) (bool, error) { return f.store.Covers(cursor, end) }
	_, err = f.applyPages(ctx, build, at, enough, func(*changePage) error { return nil })
	return err
}

// scan writes the documents of all entities to a new index.
func (f *Follower) scan(ctx context.Context, build indexer.Build, refused *Refusals) error {
	total, err := f.countEntities(ctx)
	if err != nil {
		return err
	}
	type page struct {
		batch indexer.Batch
		urns  int
	}
	var done int64
	var at position // no position is written into an unfinished index
	err = inStep(ctx, func(ctx context.Context, emit func(page) error) error {
		for after := ""; ; {
			urns, err := f.store.ScanEntities(ctx, after, followBatch)
			if err != nil || len(urns) == 0 {
				return err
			}
			after = urns[len(urns)-1]
			batch, err := f.project(ctx, urns)
			if err != nil {
				return err
			}
			if err := emit(page{batch, len(urns)}); err != nil {
				return err
			}
		}
	}, func(p page) error {
		if err := f.write(ctx, build, p.batch, &at); err != nil {
			return err
		}
		done += int64(p.urns)
		f.updateStatus(func(s *Status) { s.Done, s.Total = done, max(total, done) })
		return nil
	})
	*refused = at.refused
	return err
}

func (f *Follower) countEntities(ctx context.Context) (int64, error) {
	var total int64
	for _, e := range f.registry.Entities() {
		_, n, err := f.store.ListEntities(ctx, e.Name, graphstore.Page{})
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}
