package feed

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

// Subscription is the wish of an actor to be told of changes of an entity.
type Subscription struct {
	Actor  string `json:"actor"`
	Entity string `json:"entity"`
	// Categories are the categories of events to tell of; empty means all.
	Categories []string `json:"categories,omitempty"`
	// Direct restricts the subscription to changes of the entity itself. Otherwise the actor is
	// also told of changes upstream that may break the entity.
	Direct bool `json:"direct"`
}

func (s *Subscription) wants(e *changeevents.Event) bool {
	return len(s.Categories) == 0 || slices.Contains(s.Categories, e.Category)
}

// attempts bounds the attempts to write a record that other callers write at the same time.
const attempts = 10

// Subscribe subscribes an actor to an entity, or changes the subscription. Subscribe fails with
// NotFound if nothing is stored of the entity, and with Invalid for an unknown category or for
// more than limits.MaxSubscriptions subscriptions.
func (s *Service) Subscribe(ctx context.Context, actor, entity model.URN, categories []string, direct bool) (*Subscription, error) {
	if err := checkCaller(ctx, actor); err != nil {
		return nil, err
	}
	if err := checkCategories(categories); err != nil {
		return nil, err
	}
	if exists, err := s.existing.Exists(ctx, entity); err != nil {
		return nil, err
	} else if !exists {
		return nil, catalog.NotStored(entity, "there is no %s to subscribe to")
	}
	wanted := Subscription{Actor: actor.String(), Entity: entity.String(), Categories: slices.Compact(slices.Sorted(slices.Values(categories))), Direct: direct}
	err := s.editSubscriptions(ctx, actor, func(list []Subscription) ([]Subscription, error) {
		i := slices.IndexFunc(list, func(o Subscription) bool { return o.Entity == wanted.Entity })
		if i >= 0 {
			list[i] = wanted
			return list, nil
		}
		if len(list) >= limits.MaxSubscriptions {
			return nil, catalog.Errorf(catalog.Invalid, "%s has %d subscriptions; an actor has no more", actor, len(list))
		}
		return append(list, wanted), nil
	})
	return &wanted, err
}

func checkCategories(categories []string) error {
	if err := catalog.CheckLists("categories", categories); err != nil {
		return err
	}
	for _, name := range categories {
		if known := changeevents.Categories(); !slices.Contains(known, name) {
			return catalog.Errorf(catalog.Invalid, "there is no category %q%s", name, nearest.Among(strings.ToUpper(name), known, "categories"))
		}
	}
	return nil
}

// Unsubscribe ends a subscription. Unsubscribe fails with NotFound if there is none.
func (s *Service) Unsubscribe(ctx context.Context, actor, entity model.URN) error {
	if err := checkCaller(ctx, actor); err != nil {
		return err
	}
	return s.editSubscriptions(ctx, actor, func(list []Subscription) ([]Subscription, error) {
		i := slices.IndexFunc(list, func(o Subscription) bool { return o.Entity == entity.String() })
		if i < 0 {
			return nil, catalog.Errorf(catalog.NotFound, "%s is not subscribed to %s", actor, entity)
		}
		return slices.Delete(list, i, i+1), nil
	})
}

// Subscriptions returns the subscriptions of an actor, the oldest first.
func (s *Service) Subscriptions(ctx context.Context, actor model.URN) ([]Subscription, error) {
	if err := checkCaller(ctx, actor); err != nil {
		return nil, err
	}
	list, _, err := s.subscriptionsOf(ctx, actor)
	return list, err
}

func (s *Service) subscriptionsOf(ctx context.Context, actor model.URN) (list []Subscription, revision string, err error) {
	record, found, err := s.subscriptions.Get(ctx, url.PathEscape(actor.String()))
	if err != nil || !found {
		return []Subscription{}, "", err
	}
	return record.Value, record.Revision, nil
}

// editSubscriptions changes the subscriptions of an actor, and then the mark, by which all
// servers notice the change.
func (s *Service) editSubscriptions(ctx context.Context, actor model.URN, edit func([]Subscription) ([]Subscription, error)) error {
	err := retried(func() error {
		list, revision, err := s.subscriptionsOf(ctx, actor)
		if err != nil {
			return err
		}
		if list, err = edit(list); err != nil {
			return err
		}
		_, err = s.subscriptions.Put(ctx, url.PathEscape(actor.String()), list, revision)
		return err
	})
	if err != nil {
		return err
	}
	return retried(func() error {
		mark, _, err := s.mark.Get(ctx, "")
		if err != nil {
			return err
		}
		_, err = s.mark.Put(ctx, "", struct{}{}, mark.Revision)
		return err
	})
}

// retried repeats a write of a record that another caller has changed meanwhile.
func retried(write func() error) error {
	for range attempts {
		err := write()
		if !errors.Is(err, records.ErrChanged) {
			return err
		}
	}
	return catalog.Errorf(catalog.Busy, "too many write the same subscriptions; try again")
}

// subscribers returns all subscriptions by entity. subscribers reads the stored subscriptions
// only if the mark has changed.
func (s *Service) subscribers(ctx context.Context) (map[string][]Subscription, error) {
	mark, _, err := s.mark.Get(ctx, "")
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	known, at := s.known, s.knownAt
	s.mu.Unlock()
	if known != nil && at == mark.Revision {
		return known, nil
	}
	known = map[string][]Subscription{}
	for record, err := range s.subscriptions.All(ctx, "", "") {
		if err != nil {
			return nil, err
		}
		for _, one := range record.Value {
			known[one.Entity] = append(known[one.Entity], one)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known, s.knownAt = known, mark.Revision
	return known, nil
}
