package feed

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// audience collects the items of one change, by actor.
type audience struct {
	news *news
	told map[string]*telling
	// order lists the actors in the order in which they were found: owners and subscribers of the
	// nearest entities first.
	order  []string
	reason string
	// dataset, if set, is the changed dataset that the item is about. Of the events of an announced change, the item
	// has only those about the dataset.
	dataset string
	// uncertain: it is not known which of the entities downstream use the changed part.
	uncertain bool
}

// telling is the item of one actor while it is collected.
type telling struct {
	affected          []Affected
	certain, possible int
	// events has the indexes of the events of which the actor is told.
	events map[int]bool
}

// items returns the items of a change, one for each actor.
func (p *page) items(ctx context.Context, n *news) ([]*Item, error) {
	a := &audience{news: n, told: map[string]*telling{}}
	itself := Affected{URN: n.about, Effect: lineage.EffectCertain, Path: []string{n.about}}
	if !n.unowned {
		a.tell(slices.Concat(p.owners[n.about], n.lostOwners()), itself, func(*changeevents.Event) bool { return true })
	}
	for _, one := range p.subscribers[n.about] {
		a.subscriber(&one, itself, func(e *changeevents.Event) bool { return one.wants(e) })
	}
	if n.announced() {
		if n.loaded {
			return nil, nil // an import repeats what another catalog told
		}
		if err := p.arrived(ctx, a); err != nil {
			return nil, err
		}
		return a.items(), nil
	}
	if n.breaking() && !n.loaded {
		if err := p.downstream(ctx, a); err != nil {
			return nil, err
		}
		if err := p.ofOutputs(ctx, a); err != nil {
			return nil, err
		}
	}
	return a.items(), nil
}

// downstream adds the owners and subscribers of the entities that the change may break.
func (p *page) downstream(ctx context.Context, a *audience) error {
	request, known := impactOf(a.news)
	if !known {
		return nil
	}
	return p.affected(ctx, a, request)
}

// affected adds the owners and subscribers of the entities that an impact lists. before is the
// way from the change to the start of the impact.
func (p *page) affected(ctx context.Context, a *audience, request lineage.ImpactRequest, before ...string) error {
	report, err := p.s.impacts.ImpactPage(ctx, request, 0, limits.MaxFeedPaths, lineage.ImpactParts{Paths: true})
	if code := catalog.CodeOf(err); err != nil && (code == catalog.NotFound || code == catalog.Invalid) {
		return nil // nothing was ever stated about the start
	}
	if err != nil {
		return err
	}
	rows := report.Rows
	if report.Impact.Total > len(rows) {
		rest, err := p.s.impacts.ImpactPage(ctx, request, len(rows), limits.MaxFeedReach, lineage.ImpactParts{})
		if err != nil {
			return err
		}
		rows = append(rows, rest.Rows...)
	}
	if report.Impact.Partial {
		a.reason = report.Impact.Reason
	}
	for i := range rows {
		row := &rows[i]
		one := Affected{URN: row.URN, Effect: row.Effect, Degree: len(before) + row.Degree, Columns: row.Columns[:min(len(row.Columns), limits.MaxFeedColumns)], Path: pathOf(row)}
		if one.Effect == "" {
			one.Effect = lineage.EffectCertain
		}
		if one.Effect == lineage.EffectPossible && len(one.Path) > 0 && len(before) == 0 {
			one.Path[0] = cmp.Or(a.dataset, a.news.about) // the path begins with the entity, because no aspect states from which of the entity's columns the next entity derives
		}
		if a.uncertain || a.news.certainNothing() {
			one.Effect = lineage.EffectPossible
		}
		if len(one.Path) > 0 {
			one.Path = slices.Concat(before, one.Path)
		}
		a.tell(row.Owners[:min(len(row.Owners), limits.MaxFeedOwners)], one, (*changeevents.Event).Breaks)
		p.tellSubscribers(a, one)
	}
	return nil
}

// impactOf returns the request for the impact of a change at the moment before the change: the impact of the lost columns
// or, without lost columns, of the entity.
func impactOf(n *news) (lineage.ImpactRequest, bool) {
	about := model.StoredURN(n.about)
	request := lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: about, Direction: lineage.Downstream, Reach: limits.MaxFeedReach, AsOf: n.change.Time - 1}}
	columns, retyped := n.lostColumns()
	if len(columns) == 0 || len(columns) > limits.MaxFeedColumns {
		return request, !about.IsZero()
	}
	request.Walk.URN, request.Walk.Also = columns[0], columns[1:]
	if retyped == len(columns) {
		request.Change = lineage.ChangeRetype
	}
	return request, true
}

// lostColumns returns the columns that were removed, renamed or given another type, and the
// number of columns with another type.
func (n *news) lostColumns() (columns []model.URN, retyped int) {
	for i := range n.events {
		kind := n.events[i].ColumnChange()
		if u := model.StoredURN(n.events[i].Text("fieldUrn")); kind != "" && u.EntityType() == model.EntitySchemaField {
			columns = append(columns, u)
			if kind == changeevents.ModificationType {
				retyped++
			}
		}
	}
	return columns, retyped
}

// certainNothing reports whether too many columns are lost to find the entities that derive
// from them, so that no effect is certain.
func (n *news) certainNothing() bool {
	columns, _ := n.lostColumns()
	return len(columns) > limits.MaxFeedColumns
}

func pathOf(row *lineage.ImpactRow) []string {
	var path []string
	for _, step := range row.Path {
		path = append(path, step.URN)
	}
	return path
}

// tell adds an affected entity to the items of its owners.
func (a *audience) tell(owners []string, one Affected, wanted func(*changeevents.Event) bool) {
	if a.dataset != "" {
		return // owners are told of the change of the dataset itself
	}
	one.Because = BecauseOwner
	for _, owner := range owners {
		a.add(owner, one, wanted)
	}
}

func (a *audience) subscriber(s *Subscription, one Affected, wanted func(*changeevents.Event) bool) {
	one.Because = BecauseSubscription
	a.add(s.Actor, one, wanted)
}

func (a *audience) add(actor string, one Affected, wanted func(*changeevents.Event) bool) {
	var events []int
	for i := range a.news.events {
		if dataset, _ := a.news.events[i].Arrived(); a.dataset != "" && dataset != a.dataset {
			continue
		}
		if wanted(&a.news.events[i]) {
			events = append(events, i)
		}
	}
	if len(events) == 0 || CheckActor(model.StoredURN(actor)) != nil {
		return
	}
	t := a.told[actor]
	if t == nil {
		if len(a.order) >= limits.MaxFeedActors {
			return
		}
		t = &telling{events: map[int]bool{}}
		a.told[actor], a.order = t, append(a.order, actor)
	}
	for _, i := range events {
		t.events[i] = true
	}
	if slices.ContainsFunc(t.affected, func(known Affected) bool { return known.URN == one.URN }) {
		return // the actor is both an owner and a subscriber
	}
	if one.Effect == lineage.EffectPossible {
		t.possible++
	} else {
		t.certain++
	}
	if len(t.affected) < limits.MaxFeedEntities {
		t.affected = append(t.affected, one)
	}
}

func (a *audience) items() []*Item {
	items := make([]*Item, 0, len(a.order))
	for _, actor := range a.order {
		t := a.told[actor]
		c := a.news.change
		item := &Item{
			ID: changeevents.IdentityOf(c), Actor: actor, Time: c.Time, ChangedBy: c.Actor, Entity: c.URN,
			Affected: t.affected, Certain: t.certain, Possible: t.possible, Partial: a.reason != "", Reason: a.reason,
		}
		for i := range a.news.events {
			if t.events[i] {
				item.replaces(&a.news.events[i])
				if item.EventsTotal++; len(item.Events) < limits.MaxFeedEvents {
					item.Events = append(item.Events, a.news.events[i])
				}
			}
		}
		item.Summary = summaryOf(item)
		items = append(items, item)
	}
	return items
}

// summaryOf describes an item in a sentence. It quotes the first event that breaks something, or else the first event. In an
// item about an announced change, the first event tells of the announcement.
func summaryOf(i *Item) string {
	first := max(slices.IndexFunc(i.Events, func(e changeevents.Event) bool { return e.Breaks() }), 0)
	summary := i.Events[first].Description
	if more := i.EventsTotal - 1; more > 0 {
		summary += fmt.Sprintf(" (and %d more)", more)
	}
	if i.Affected[0].Degree == 0 && i.Certain+i.Possible == 1 {
		return summary
	}
	var parts []string
	for _, part := range []struct {
		n    int
		word string
	}{{i.Certain, "certainly"}, {i.Possible, "possibly"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	return summary + ": affects " + strings.Join(parts, ", ") + " of yours"
}
