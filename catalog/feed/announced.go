package feed

import (
	"context"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// announced reports whether a change tells that announced changes have arrived, or changes that nobody announced.
func (n *news) announced() bool {
	dataset, _ := n.events[0].Arrived()
	return dataset != ""
}

// arrivedAt is a dataset with its lost columns, and when it changed.
type arrivedAt struct {
	dataset string
	at      int64
	// columns has the columns that were lost or changed. whole tells that something else was lost too, or that more
	// columns were lost than a walk starts from; many tells that the latter is so. retyped tells that the columns still
	// exist with another type.
	columns              []model.URN
	whole, many, retyped bool
}

// arrivedDatasets returns the datasets of the events of announced changes, in the order of the events.
func (n *news) arrivedDatasets() []*arrivedAt {
	var all []*arrivedAt
	for i := range n.events {
		dataset, at := n.events[i].Arrived()
		k := slices.IndexFunc(all, func(d *arrivedAt) bool { return d.dataset == dataset && d.at == at })
		if k < 0 {
			all = append(all, &arrivedAt{dataset: dataset, at: at, retyped: true})
			k = len(all) - 1
		}
		d := all[k]
		d.retyped = d.retyped && n.events[i].KeepsColumn()
		switch u := model.StoredURN(n.events[i].Text("fieldUrn")); {
		case u.EntityType() != model.EntitySchemaField:
			d.whole = true
		case len(d.columns) == limits.MaxFeedColumns:
			d.whole, d.many = true, true
		default:
			d.columns = append(d.columns, u)
		}
	}
	return all
}

// arrived adds the subscribers of the datasets that changed, and of the entities downstream of them as of just before. Owners are not
// told: they are told of the change of the dataset itself.
func (p *page) arrived(ctx context.Context, a *audience) error {
	for _, d := range a.news.arrivedDatasets() {
		a.dataset, a.uncertain = d.dataset, d.many
		for _, one := range p.subscribers[d.dataset] {
			a.subscriber(&one, Affected{URN: d.dataset, Effect: lineage.EffectCertain, Path: []string{d.dataset}}, func(e *changeevents.Event) bool { return one.wants(e) })
		}
		request := lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: model.StoredURN(d.dataset), Direction: lineage.Downstream, Reach: limits.MaxFeedReach, AsOf: d.at - 1}}
		if !d.whole {
			request.Walk.URN, request.Walk.Also = d.columns[0], d.columns[1:]
			if d.retyped {
				request.Change = lineage.ChangeRetype
			}
		}
		if err := p.affected(ctx, a, request); err != nil {
			return err
		}
	}
	a.dataset, a.uncertain = "", false
	return nil
}

// withoutHidden removes from items about announced changes the parts that name datasets that the caller of a request may not see, and the
// items of which nothing is left. The items of other changes stay as they are.
func (s *Service) withoutHidden(ctx context.Context, items []Item) ([]Item, error) {
	if s.sees == nil {
		return items, nil
	}
	named := map[string]bool{}
	for i := range items {
		if items[i].announced() {
			items[i].eachName(func(urn string) { named[urn] = true })
		}
	}
	if len(named) == 0 {
		return items, nil
	}
	seen, err := s.sees(ctx, slices.Collect(maps.Keys(named)))
	if err != nil {
		return nil, err
	}
	left := make([]Item, 0, len(items))
	for i := range items {
		if !items[i].announced() || items[i].hide(seen) {
			left = append(left, items[i])
		}
	}
	return left, nil
}

func (i *Item) announced() bool {
	return len(i.Events) > 0 && i.Events[0].Category == changeevents.CategoryAnnounced
}

// eachName visits the entities that an item names.
func (i *Item) eachName(visit func(urn string)) {
	visit(i.Entity)
	for k := range i.Events {
		visit(i.Events[k].EntityURN)
	}
	for k := range i.Affected {
		visit(i.Affected[k].URN)
		for _, step := range i.Affected[k].Path {
			visit(step)
		}
	}
}

// hide removes the hidden parts of an item. It reports whether a part is left to tell. If some are removed, the numbers count
// only the parts that are left.
func (i *Item) hide(seen map[string]bool) bool {
	if !seen[i.Entity] {
		return false
	}
	events, affected := len(i.Events), len(i.Affected)
	i.Events = slices.DeleteFunc(slices.Clone(i.Events), func(e changeevents.Event) bool { return !seen[e.EntityURN] })
	i.Affected = slices.DeleteFunc(slices.Clone(i.Affected), func(a Affected) bool { return !seen[a.URN] })
	for k := range i.Affected {
		if slices.ContainsFunc(i.Affected[k].Path, func(step string) bool { return !seen[step] }) {
			i.Affected[k].Path = nil
		}
	}
	if len(i.Events) == 0 || len(i.Affected) == 0 {
		return false
	}
	if len(i.Events) == events && len(i.Affected) == affected {
		return true
	}
	i.EventsTotal, i.Certain, i.Possible = len(i.Events), 0, 0
	for k := range i.Affected {
		if i.Affected[k].Effect == lineage.EffectPossible {
			i.Possible++
		} else {
			i.Certain++
		}
	}
	for k := range i.Events {
		if i.Events[k].Category == changeevents.CategoryAnnounced {
			i.Events[k].Describe()
		}
	}
	i.Summary = summaryOf(i)
	return true
}
