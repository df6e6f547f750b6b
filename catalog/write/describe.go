package write

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// ForPeople returns the functions by which a graph store finds the properties and edges that it
// shows to people who read the graph directly.
func ForPeople(r *model.Registry) graphstore.ForPeople {
	return graphstore.ForPeople{
		Describe: func(urn string) graphstore.Description { return describe(r, urn) },
		Show: func(a *graphstore.Aspect) (graphstore.Shown, []graphstore.EdgeStatement, error) {
			return showAspect(r, a)
		},
		Aspects: r.ShownAspects(),
		Numbers: showNumbers, Numbered: []string{model.AspectDatasetProfile},
		Records: []string{catalog.RolledBackSeries, catalog.RollbacksSeries},
	}
}

func describe(r *model.Registry, urn string) graphstore.Description {
	u := model.StoredURN(urn)
	if u.IsZero() {
		return graphstore.Description{Name: urn}
	}
	d := graphstore.Description{Name: r.NodeName(u), QualifiedName: r.QualifiedName(u), Platform: r.PlatformID(u)}
	if holder, path, ok := model.ColumnOf(u); ok {
		d.Holder, d.FieldPath = holder.String(), path
	}
	return d
}

// showAspect returns the texts that the latest value of an aspect shows such people, and the edges whose
// shown properties come from this value. Most aspects show nothing.
func showAspect(r *model.Registry, a *graphstore.Aspect) (graphstore.Shown, []graphstore.EdgeStatement, error) {
	u := model.StoredURN(a.URN)
	if !r.ShowsSomething(u.EntityType(), a.Name) {
		return graphstore.Shown{}, nil, nil
	}
	value, err := r.ParseStored(a.Name, a.Value)
	if err != nil {
		return graphstore.Shown{}, nil, err
	}
	var marked []graphstore.EdgeStatement
	if model.ShowsEdges(a.Name) {
		marked = slices.DeleteFunc(statementsOf(r, u, value), func(e graphstore.EdgeStatement) bool { return len(e.Shown) == 0 })
	}
	return shownChange(r, u, nil, value), marked, nil
}

// showNumbers returns the numbers that a value of a time series shows.
func showNumbers(series string, value json.RawMessage) map[string]any {
	if series != model.AspectDatasetProfile {
		return nil
	}
	return model.ProfileNumbers(value)
}

// show adds to the pending update of a node the changes of its shown properties, columns and
// labels that follow from a change of an aspect. Either value may be nil.
func (s *session) show(ch *change, former, value *model.Value) {
	if !s.w.Registry().ShowsSomething(ch.entity.Name, ch.aspect.Name) {
		return
	}
	if shown := shownChange(s.w.Registry(), ch.urn, former, value); !shown.Empty() {
		s.node(ch).Shown.Add(&shown)
	}
}

func shownChange(r *model.Registry, u model.URN, former, value *model.Value) graphstore.Shown {
	shown := graphstore.Shown{Properties: changedProperties(r.ShownProperties(u, former), r.ShownProperties(u, value))}
	gone, changed := compared(model.Columns(u, former), model.Columns(u, value), func(c model.Column) string { return c.URN })
	for _, c := range changed {
		shown.Columns = append(shown.Columns, graphstore.Column(c))
	}
	for _, c := range gone {
		shown.LostColumns = append(shown.LostColumns, c.URN)
	}
	unwritten, written := compared(model.EditedColumns(u, former), model.EditedColumns(u, value), func(c model.EditedColumn) string { return c.URN })
	for _, c := range unwritten {
		shown.Edited = append(shown.Edited, graphstore.EditedColumn{URN: c.URN})
	}
	for _, c := range written {
		shown.Edited = append(shown.Edited, graphstore.EditedColumn(c))
	}
	lost, gained := compared(r.ColumnLabels(u, former), r.ColumnLabels(u, value), func(l model.ColumnLabel) model.ColumnLabel { return l })
	for of, labels := range map[*model.Value][]model.ColumnLabel{former: lost, value: gained} {
		for _, l := range labels {
			shown.Labels = append(shown.Labels, graphstore.ColumnLabel{
				Column: l.Column, Label: l.Label, Term: l.Term, Owner: u.String(), Aspect: of.Aspect.Name, Lost: of == former,
			})
		}
	}
	return shown
}

// changedProperties returns the properties of after that before lacks or has with another value,
// and nil for each property that only before has.
func changedProperties(before, after map[string]any) map[string]any {
	changed := map[string]any{}
	for name, value := range after {
		if !reflect.DeepEqual(before[name], value) {
			changed[name] = value
		}
	}
	for name := range before {
		if _, given := after[name]; !given {
			changed[name] = nil
		}
	}
	return changed
}

// compared returns the items of before whose keys after lacks, and the items of after that before
// lacks or has with another content.
func compared[T, K comparable](before, after []T, key func(T) K) (gone, changed []T) {
	former := make(map[K]T, len(before))
	for _, item := range before {
		former[key(item)] = item
	}
	for _, item := range after {
		if was, known := former[key(item)]; !known || was != item {
			changed = append(changed, item)
		}
		delete(former, key(item))
	}
	for _, item := range before {
		if _, left := former[key(item)]; left {
			gone = append(gone, item)
		}
	}
	return gone, changed
}

// sameShown reports whether two edges show people the same properties.
func sameShown(a, b map[string]any) bool { return maps.EqualFunc(a, b, reflect.DeepEqual) }
