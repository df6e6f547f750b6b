package follower

import (
	"context"
	"errors"
	"time"

	"github.com/headwater-io/headwater/graphstore"
)

// followerPrefix begins the names of search indexes among the followers of a store.
const followerPrefix = "search-index/"

// Every index renews its position in the store every renewEvery. The store forgets an index that
// has not done so for forgetAfter. Several servers, each with its own index, may share a store,
// and the index of a server that is only down must not be forgotten.
const (
	renewEvery  = 24 * time.Hour
	forgetAfter = 30 * 24 * time.Hour
)

// register makes a new index known to the store, lets it replace the index in use, and then
// lets the store forget the replaced index.
func (f *Follower) register(ctx context.Context, built *position, swap func(context.Context) error) error {
	former, err := f.stored(ctx)
	if err != nil { // the store forgets an index without a name by its age
		former = position{}
	}
	if err := f.store.SaveCursor(ctx, followerPrefix+built.index, built.cursor); err != nil {
		return err
	}
	if err := swap(ctx); err != nil { // the swap may have happened nevertheless
		return err
	}
	if former.index == "" {
		return nil
	}
	if err := f.store.DropCursor(ctx, followerPrefix+former.index); err != nil {
		f.logger.WarnContext(ctx, "the position of a replaced index stays in the store for some time", "error", err)
	}
	return nil
}

// renewRegistration renews the position of the index in the store, and lets the store forget
// indexes that no longer exist.
func (f *Follower) renewRegistration(ctx context.Context) error {
	own, err := f.stored(ctx)
	if err != nil {
		return err
	}
	if err := f.store.SaveCursor(ctx, followerPrefix+own.index, own.cursor); err != nil {
		return err
	}
	known, err := f.store.Followers(ctx, followerPrefix)
	if err != nil {
		return err
	}
	for _, other := range known {
		if other.Name == followerPrefix+own.index {
			continue
		}
		if err := f.forgetOld(ctx, other); err != nil {
			return err
		}
	}
	return nil
}

// forgetOld lets the store forget an index that has not renewed its position for forgetAfter.
// Indexes of earlier releases did not store the time of renewal; for such an index, forgetAfter
// begins now.
func (f *Follower) forgetOld(ctx context.Context, other graphstore.Follower) error {
	if other.Saved == 0 {
		err := f.store.SaveCursor(ctx, other.Name, other.Cursor)
		if !errors.Is(err, graphstore.ErrBadCursor) { // no follower can continue from this position
			return err
		}
	} else if f.now().Sub(time.UnixMilli(other.Saved)) < forgetAfter {
		return nil
	}
	return f.store.DropCursor(ctx, other.Name)
}
