package overlay

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// loss is a table that would be gone, or a column that would be gone or have another type.
type loss struct {
	table, column, change string
}

// losses lists the tables and columns that would be lost: tables first, then columns that would be gone, then columns
// that would have another type.
func (c *comparing) losses() []loss {
	var tables, dropped, retyped []loss
	for i := range c.found.Tables {
		t := &c.found.Tables[i]
		if t.Change == Ended {
			tables = append(tables, loss{table: t.URN})
			continue
		}
		for k := range t.Columns {
			switch one := &t.Columns[k]; {
			case one.Change == Ended:
				dropped = append(dropped, loss{t.URN, one.Path, lineage.ChangeDrop})
			case one.OldType != "":
				retyped = append(retyped, loss{t.URN, one.Path, lineage.ChangeRetype})
			}
		}
	}
	return slices.Concat(tables, dropped, retyped)
}

// effects finds, for each loss, the entities that fail and the entities that may be affected. It asks the lineage with
// the overlay: a table that does not read a column any more is not affected by its loss.
func (c *comparing) effects(ctx context.Context) error {
	known := map[string]*ComparedEffect{}
	certain := map[string]bool{}
	owners := map[string]lineage.ImpactOwner{}
	lost := c.losses()
	if len(lost) > limits.OverlayLosses {
		lost = lost[:limits.OverlayLosses]
		c.found.partly("the change loses more tables and columns than are asked about")
	}
	for _, one := range lost {
		request := lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: model.StoredURN(one.table), Direction: lineage.Downstream, Reach: limits.OverlayReach}, Change: one.change}
		if one.column != "" {
			u, err := model.ColumnURN(request.Walk.URN, one.column)
			if err != nil {
				continue // the stored text is no path
			}
			request.Walk.URN = u
		}
		impact, err := c.over.Impact(ctx, request)
		if code := catalog.CodeOf(err); code == catalog.NotFound || code == catalog.Invalid {
			continue // nothing reads it
		}
		if err != nil {
			return err
		}
		if impact.Partial {
			c.found.partly(impact.Reason)
		}
		for _, o := range impact.Owners {
			if o.URN != "" {
				owners[o.URN] = o
			}
		}
		for i := range impact.Entities {
			c.effect(known, certain, &one, &impact.Entities[i])
		}
	}
	c.sortEffects(known, certain)
	c.countOwners(owners)
	return nil
}

// effect adds an affected entity. A certain effect takes the place of a possible one.
func (c *comparing) effect(known map[string]*ComparedEffect, certain map[string]bool, of *loss, e *lineage.ImpactedEntity) {
	if removed, _ := c.store.removed(e.URN); removed || c.store.Has(e.URN) && !c.now[e.URN].live {
		return // the entity is removed too, or does not exist yet
	}
	sure := e.Effect != lineage.EffectPossible
	if before := known[e.URN]; before != nil && (certain[e.URN] || !sure) {
		return
	}
	certain[e.URN] = sure
	owners := e.Owners
	if owners == nil {
		owners = []string{}
	}
	known[e.URN] = &ComparedEffect{Shown: Shown{URN: e.URN, Type: e.Type}, Of: Shown{URN: of.table}, Column: of.column, Because: e.Because, Why: e.Why, Degree: e.Degree, Owners: owners}
}

func (c *comparing) sortEffects(known map[string]*ComparedEffect, certain map[string]bool) {
	c.found.Certain, c.found.Possible = []ComparedEffect{}, []ComparedEffect{}
	for urn, e := range known {
		if certain[urn] {
			c.found.Certain = append(c.found.Certain, *e)
		} else {
			c.found.Possible = append(c.found.Possible, *e)
		}
	}
	for _, list := range []*[]ComparedEffect{&c.found.Certain, &c.found.Possible} {
		slices.SortFunc(*list, func(a, b ComparedEffect) int {
			return cmp.Or(cmp.Compare(a.Degree, b.Degree), strings.Compare(a.URN, b.URN))
		})
		if len(*list) > limits.OverlayEffects {
			*list = (*list)[:limits.OverlayEffects]
			c.found.partly("there are more effects than are listed; these are the nearest")
		}
	}
}

// countOwners lists the owners of the listed effects, those of the most effects first.
func (c *comparing) countOwners(known map[string]lineage.ImpactOwner) {
	c.found.Owners = []lineage.ImpactOwner{}
	counts := lineage.EffectsByOwner{}
	for i := range c.found.Certain {
		counts.Add(lineage.EffectCertain, c.found.Certain[i].Owners)
	}
	for i := range c.found.Possible {
		counts.Add(lineage.EffectPossible, c.found.Possible[i].Owners)
	}
	for urn, count := range counts {
		c.found.Owners = append(c.found.Owners, lineage.ImpactOwner{
			URN: urn, Name: cmp.Or(known[urn].Name, urn), Email: known[urn].Email,
			Count: count.Certain + count.Possible, Certain: count.Certain, Possible: count.Possible,
		})
	}
	slices.SortFunc(c.found.Owners, func(a, b lineage.ImpactOwner) int {
		return cmp.Or(cmp.Compare(b.Certain, a.Certain), cmp.Compare(b.Count, a.Count), strings.Compare(a.URN, b.URN))
	})
}

// name gives all shown entities the names that they would have.
func (c *comparing) name(ctx context.Context) error {
	var shown []*Shown
	for i := range c.found.Tables {
		shown = append(shown, &c.found.Tables[i].Shown)
	}
	for i := range c.found.Nodes {
		shown = append(shown, &c.found.Nodes[i].Shown)
	}
	for _, list := range [][]ComparedEffect{c.found.Certain, c.found.Possible} {
		for i := range list {
			shown = append(shown, &list[i].Shown, &list[i].Of)
		}
	}
	var urns []string
	for _, one := range shown {
		urns = append(urns, one.URN)
	}
	slices.Sort(urns)
	found, err := names{c.o.Names, c.store}.Name(ctx, slices.Compact(urns))
	if err != nil {
		return err
	}
	for _, one := range shown {
		named := found[one.URN]
		one.Type, one.Name, one.PlatformName = cmp.Or(named.Type, model.StoredURN(one.URN).EntityType()), cmp.Or(named.Name, one.URN), named.PlatformName
	}
	return nil
}
