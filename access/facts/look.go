package facts

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// Fresh is how long remembered facts count as known without another look at the store. A change therefore
// holds on every server over one store within this time.
const Fresh = 400 * time.Millisecond

// These bound a look at the log: the changes of a page, and the pages after which everything is forgotten
// instead.
const (
	lookPage  = 1000
	lookPages = 20
)

// factual are the aspects on which facts depend, parents included.
var factual = func() map[string]bool {
	names := map[string]bool{}
	for _, a := range aspectsOf {
		names[a.aspect] = true
	}
	for name := range parentMembers {
		names[name] = true
	}
	return names
}()

// structural are the types whose entities can have entities of the same type below them.
var structural = []string{model.EntityDomain, model.EntityContainer, model.EntityGlossaryNode, model.EntityGlossaryTerm}

// Changed makes the next request look at the log, after entities have changed at this server.
func (k *Known) Changed(urns []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, urn := range urns {
		if k.concerns(urn) {
			k.wanted++
			return
		}
	}
}

// concerns reports whether facts that are known, or are being read, may depend on an entity. The caller has
// the lock.
func (k *Known) concerns(urn string) bool {
	if len(k.reading) > 0 || slices.Contains(structural, model.StoredURN(urn).EntityType()) {
		return true
	}
	_, parent := k.parents[urn]
	return parent || k.entities.Has(urn)
}

// Look follows the log, unless that was done within the last moment.
func (k *Known) Look(ctx context.Context) error {
	// Callers who come meanwhile share one look. The end of one request does not end the look. The first look
	// may have begun before the request, the second has not.
	for range 2 {
		if k.isFresh() {
			return nil
		}
		_, err, _ := k.looking.Do("", func() (any, error) {
			if k.isFresh() {
				return nil, nil
			}
			return nil, k.follow(context.WithoutCancel(ctx))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (k *Known) isFresh() bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.looked && k.seen == k.wanted && k.now().Sub(k.at) < Fresh
}

// follow forgets the facts that have changed since the last look.
func (k *Known) follow(ctx context.Context) error {
	k.mu.RLock()
	at, wanted, cursor, looked := k.now(), k.wanted, k.cursor, k.looked
	k.mu.RUnlock()
	followed := false
	if looked {
		var err error
		if cursor, followed, err = k.catchUp(ctx, cursor); err != nil && !errors.Is(err, graphstore.ErrBadCursor) {
			return catalog.StoreFailure(err)
		}
	}
	if !followed { // the first look, too many changes, or a log that has lost the position
		end, err := k.store.EndCursor(ctx)
		if err != nil {
			return catalog.StoreFailure(err)
		}
		cursor = end
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !followed {
		k.dropAll()
	}
	k.cursor, k.looked, k.at, k.seen = cursor, true, at, wanted
	return nil
}

// catchUp reads the log up to its end, and forgets the changed facts. It reports false if the end is too far
// away.
func (k *Known) catchUp(ctx context.Context, cursor string) (end string, whole bool, err error) {
	for range lookPages {
		changes, next, err := k.store.ChangesWithoutValues(ctx, cursor, lookPage)
		if err != nil {
			return cursor, false, err
		}
		if len(changes) == 0 {
			return cursor, true, nil
		}
		k.forget(changes)
		cursor = next
	}
	return cursor, false, nil
}

// forget drops the facts that depend on changes.
func (k *Known) forget(changes []graphstore.Change) {
	urns, structure, policies := map[string]bool{}, false, false
	for i := range changes {
		c := &changes[i]
		policies = policies || c.EntityType == model.EntityDataHubPolicy
		if c.Kind == graphstore.ChangeRestate {
			continue
		}
		whole := c.Kind == graphstore.ChangeDelete || c.Kind == graphstore.ChangeNote
		if whole || factual[c.Aspect] {
			urns[c.URN] = true
		}
		structure = structure || slices.Contains(structural, c.EntityType) && (whole || factual[c.Aspect] || c.Aspect == model.AspectStatus)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop(urns)
	if structure {
		k.structure++
	}
	if policies {
		k.policies++
	}
}
