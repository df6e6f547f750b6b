package follower

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/model"
)

// pass applies the next changes and releases the callers that wait for them. pass reports
// whether there may be more changes.
func (f *Follower) pass(ctx context.Context) (more bool, err error) {
	if f.broken() != "" { // a search has found damage
		return false, indexer.ErrDamaged
	}
	return f.applyNext(ctx)
}

// applyNext applies up to pagesPerPass pages of changes.
func (f *Follower) applyNext(ctx context.Context) (more bool, err error) {
	f.applying.Lock()
	defer f.applying.Unlock()
	at, err := f.stored(ctx)
	if err != nil {
		return false, err
	}
	if err := f.repairNow(ctx, &at); err != nil {
		return false, err
	}
	enough := func(pages int, _ string) (bool, error) { return pages == pagesPerPass, nil }
	more, err = f.applyPages(ctx, f.index, &at, enough, func(p *changePage) error {
		f.appliedChanges.Add(int64(p.size))
		if err := f.passPlatforms(ctx, p); err != nil {
			return err
		}
		return f.arrive(&at)
	})
	if err != nil {
		return false, err
	}
	return more, f.arrive(&at)
}

// arrive records that the index has reached a position, and releases the callers that wait for
// it.
func (f *Follower) arrive(at *position) error {
	f.setCursor(at.cursor)
	f.updateStatus(func(s *Status) { s.Failure, s.Refused = "", at.refused })
	f.passed.Signal()
	return f.answer(f.tickets(), at.cursor)
}

func (f *Follower) setCursor(cursor string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cursor = cursor
}

func (f *Follower) position() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cursor
}

// changePage is a page of the change log with the documents that the changes alter.
type changePage struct {
	from, next string
	size       int
	batch      indexer.Batch
	// platforms tells that the page has changes of platforms.
	platforms bool
}

// applyPages updates the documents of the entities that changed after a position, a page at a
// time, and calls done with each page. While a page is written, the next one is read and
// projected. applyPages ends at the end of the log, or when enough returns true for the number
// of pages and the cursor so far; more then tells that the log may go on.
func (f *Follower) applyPages(ctx context.Context, into indexer.Writer, at *position, enough func(pages int, cursor string) (bool, error), done func(*changePage) error) (more bool, err error) {
	began := at.cursor
	err = inStep(ctx, func(ctx context.Context, emit func(*changePage) error) error {
		for after, n := began, 0; ; n++ {
			var err error
			if more, err = enough(n, after); err != nil || more {
				return err
			}
			p, err := f.nextPage(ctx, after)
			if err != nil || p.size == 0 {
				return err
			}
			if err := emit(p); err != nil {
				return err
			}
			after = p.next
		}
	}, func(p *changePage) error {
		at.cursor = p.next
		if err := f.write(ctx, into, p.batch, at); err != nil {
			return err
		}
		return done(p)
	})
	return more, err
}

// nextPage reads a page of changes and projects the changed entities.
func (f *Follower) nextPage(ctx context.Context, after string) (*changePage, error) {
	changes, next, err := f.store.ChangesWithoutValues(ctx, after, followBatch)
	if err != nil || len(changes) == 0 {
		return &changePage{}, err
	}
	p := &changePage{from: after, next: next, size: len(changes), platforms: slices.ContainsFunc(changes, ofPlatform)}
	p.batch, err = f.project(ctx, f.entitiesToProject(changes))
	return p, err
}

// entitiesToProject lists the entities whose documents the changes may alter, each once.
func (f *Follower) entitiesToProject(changes []graphstore.Change) []string {
	seen := map[string]bool{}
	var urns []string
	for i := range changes {
		c := &changes[i]
		if seen[c.URN] || c.Kind == graphstore.ChangeRestate || c.Kind == graphstore.ChangeNote || !f.schema.Fills(c.EntityType, c.Aspect) && c.Kind != graphstore.ChangeDelete {
			continue
		}
		seen[c.URN] = true
		urns = append(urns, c.URN)
	}
	return urns
}

func ofPlatform(c graphstore.Change) bool { return c.Aspect == model.AspectDataPlatformInfo }

// passPlatforms passes the changes of platforms in a page, with their values, to the writer.
// Such changes are rare.
func (f *Follower) passPlatforms(ctx context.Context, p *changePage) error {
	if !p.platforms {
		return nil
	}
	for after, more := p.from, true; more; { // a page with values may be shorter than the page without them
		changes, next, err := f.store.Changes(ctx, after, followBatch)
		if err != nil || len(changes) == 0 {
			return err
		}
		f.applied(changes)
		after = next
		covered, err := f.store.Covers(after, p.next)
		if err != nil {
			return err
		}
		more = !covered
	}
	return nil
}

// inStep calls consume with each item that produce emits, in the same order. While an item is
// consumed, the next one is produced.
func inStep[T any](ctx context.Context, produce func(ctx context.Context, emit func(T) error) error, consume func(T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	made := make(chan T, 1)
	group.Go(safely.Func(func() error {
		defer close(made)
		return produce(ctx, func(item T) error {
			select {
			case made <- item:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}))
	group.Go(safely.Func(func() error {
		for item := range made {
			if err := consume(item); err != nil {
				return err
			}
		}
		return nil
	}))
	return group.Wait()
}
