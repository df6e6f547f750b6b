package announced

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

// decoded returns the aspect of an announced change from its decoded value.
func decoded(value catalog.Tree) (*Info, error) {
	if len(value) == 0 {
		return &Info{}, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, catalog.Errorf(catalog.Internal, "a stored value: %w", err)
	}
	return infoOf(text)
}

// stored reads announced changes from a store.
func (s *Service) stored(ctx context.Context, from Store, urns []string) (map[string]*Info, error) {
	found, err := from.LatestAspects(ctx, urns, []string{model.AspectAnnouncedChangeInfo})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	infos := map[string]*Info{}
	for urn, aspects := range found {
		for i := range aspects {
			if infos[urn], err = infoOf(aspects[i].Value); err != nil {
				return nil, err
			}
		}
	}
	return infos, nil
}

// shownOf returns a change as it is shown now. Members about datasets that the caller may not see have none left, and are not
// shown.
func (s *Service) shownOf(u model.URN, info *Info) *Change {
	shown := &Change{URN: u.String(), Info: *info}
	shown.State = info.stateAt(s.Now().UnixMilli())
	shown.Changes = slices.DeleteFunc(slices.Clone(info.Changes), func(m Member) bool { return len(m.Datasets) == 0 })
	return shown
}

// hidden reports whether a caller may see none of the entities that a change is about.
func (c *Change) hidden(info *Info) bool { return len(c.Changes) == 0 && len(info.Changes) > 0 }

// Get returns an announced change. It fails with NotFound if there is none, or if the caller may see none of its datasets.
func (s *Service) Get(ctx context.Context, u model.URN) (*Change, error) {
	if err := catalog.RequireType(u, model.EntityAnnouncedChange); err != nil {
		return nil, err
	}
	stored, err := s.stored(ctx, s.Shown, []string{u.String()})
	if err != nil {
		return nil, err
	}
	if info := stored[u.String()]; info != nil {
		if shown := s.shownOf(u, info); !shown.hidden(info) {
			return shown, nil
		}
	}
	return nil, catalog.Errorf(catalog.NotFound, "%s does not exist", u)
}

// Request asks for announced changes.
type Request struct {
	// States narrow the list; none means all.
	States []string
	// Dataset, if set, is a dataset that the changes are about. PullRequest, if set, is their pull request.
	Dataset     model.URN
	PullRequest string
	// Start is how many changes are left out, and Count how many are returned at most.
	Start, Count int
}

// List is a part of the announced changes, the newest first.
type List struct {
	Start   int      `json:"start"`
	Total   int      `json:"total"`
	Changes []Change `json:"changes"`
}

// listedAtOnce is how many changes are read at once.
const listedAtOnce = 500

// List returns announced changes, those first that were announced or arrived last.
func (s *Service) List(ctx context.Context, r Request) (*List, error) {
	if r.Start < 0 || r.Count < 1 || r.Count > limits.AnnouncedPage {
		return nil, catalog.Errorf(catalog.Invalid, "from 1 to %d announced changes are returned", limits.AnnouncedPage)
	}
	for i, state := range r.States {
		r.States[i] = strings.ToUpper(strings.ReplaceAll(state, "-", "_"))
		if !slices.Contains(States(), r.States[i]) {
			return nil, catalog.Errorf(catalog.Invalid, "there is no state %q%s", clipped(state), nearest.Among(r.States[i], States(), "states"))
		}
	}
	urns, err := s.candidates(ctx, r.Dataset)
	if err != nil {
		return nil, err
	}
	var found []Change
	for some := range slices.Chunk(urns, listedAtOnce) {
		stored, err := s.stored(ctx, s.Shown, some)
		if err != nil {
			return nil, err
		}
		for urn, info := range stored {
			one := s.shownOf(model.StoredURN(urn), info)
			if one.hidden(info) || len(r.States) > 0 && !slices.Contains(r.States, one.State) || r.PullRequest != "" && r.PullRequest != one.PullRequest {
				continue
			}
			found = append(found, *one)
		}
	}
	slices.SortFunc(found, func(a, b Change) int {
		if a.latest() != b.latest() {
			return int(min(max(b.latest()-a.latest(), -1), 1))
		}
		return strings.Compare(a.URN, b.URN)
	})
	list := &List{Start: r.Start, Total: len(found), Changes: []Change{}}
	if r.Start < len(found) {
		list.Changes = found[r.Start:min(len(found), r.Start+r.Count)]
	}
	return list, nil
}

// latest returns when a change was announced or arrived last.
func (c *Change) latest() int64 {
	at := c.Created.Time
	if c.LastAnnounced != nil {
		at = max(at, c.LastAnnounced.Time)
	}
	for i := range c.Changes {
		for _, a := range c.Changes[i].Arrivals {
			at = max(at, a.Time)
		}
	}
	return at
}

// candidates returns the announced changes that the caller may see, all of them or those about a dataset.
func (s *Service) candidates(ctx context.Context, dataset model.URN) ([]string, error) {
	if !dataset.IsZero() {
		if err := catalog.RequireType(dataset, model.EntityDataset); err != nil {
			return nil, err
		}
		return s.about(ctx, s.Shown, dataset.String())
	}
	var all []string
	for {
		urns, total, err := s.Shown.ListEntities(ctx, model.EntityAnnouncedChange, graphstore.Page{Start: len(all), Count: listedAtOnce})
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		all = append(all, urns...)
		if len(urns) < listedAtOnce || int64(len(all)) >= total {
			return all, nil
		}
	}
}

// about returns the announced changes about a dataset, at most limits.AnnouncedOfTable.
func (s *Service) about(ctx context.Context, from Store, dataset string) ([]string, error) {
	found, err := from.Edges(ctx, graphstore.EdgeQuery{
		URNs: []string{dataset}, Direction: graphstore.Incoming, Types: []string{model.RelationshipAnnounces}, Page: graphstore.Page{Count: limits.AnnouncedOfTable},
	})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	edges := found[dataset].Edges
	urns := make([]string, len(edges))
	for i := range edges {
		urns[i] = edges[i].Source
	}
	return slices.Compact(slices.Sorted(slices.Values(urns))), nil
}
