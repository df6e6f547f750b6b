package follower

import (
	"context"
	"errors"
	"time"

	"github.com/headwater-io/headwater/graphstore"
)

// followerPrefix begins the names of the indexes among the followers of a
// store.
const followerPrefix = "search-index/"

// Every index renews its position every tendEvery. An index that has not done so
// for forgetAfter is forgotten. Several servers, each with its own index, may
// share a store: an index must not be forgotten while its server is only down.
const (
	tendEvery   = 24 * time.Hour
	forgetAfter = 30 * 24 * time.Hour
)

// register makes a new index known to the store, lets it replace the one in
// use, and has the store forget that.
func (f *Follower) register(ctx context.Context, built *position, swap func(context.Context) error) error {
	former, err := f.stored(ctx)
	if err != nil { // an index without a name is forgotten by its age
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

// renewRegistration renews the position of the index in the store, and has the store forget
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
		if err := f.tendOther(ctx, other); err != nil {
			return err
		}
	}
	return nil
}

// tendOther forgets an index that has not renewed its position for long. Earlier
// releases did not store the time of renewal; for their indexes it begins now.
func (f *Follower) tendOther(ctx context.Context, other graphstore.Follower) error {
	if other.Saved == 0 {
		err := f.store.SaveCursor(ctx, other.Name, other.Cursor)
		if !errors.Is(err, graphstore.ErrBadCursor) { // no follower can continue from there
			return err
		}
	} else if f.now().Sub(time.UnixMilli(other.Saved)) < forgetAfter {
		return nil
	}
	return f.store.DropCursor(ctx, other.Name)
}
