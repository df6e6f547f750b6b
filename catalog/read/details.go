package read

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Details is the present state of an entity: all of its aspects, and facts derived from them.
type Details struct {
	catalog.StoredEntity
	// Description is the description that people wrote or, without one, the description that the
	// source states.
	Description string
	SubTypes    []string
	// TimeSeries names the time-series aspects that have values, in alphabetical order.
	TimeSeries []string
	// Names lists the URNs of entities that the aspects name, and of the containers above the
	// entity, at most limits.MaxNamedRefs. Entities in lineage come after most other entities, and
	// columns come last.
	Names []string
	// HasLineage tells that entities of this type take part in lineage.
	HasLineage bool
}

// Details reads an entity of any type. Details fails with NotFound if nothing is stored of the
// entity.
func (rd *Reader) Details(ctx context.Context, u model.URN) (*Details, error) {
	if _, err := rd.EntityType(u.EntityType()); err != nil {
		return nil, err
	}
	stored, err := rd.Stored(ctx, []model.URN{u}, catalog.StoredAspects{})
	if err != nil {
		return nil, err
	}
	if len(stored) == 0 {
		return nil, catalog.NotStored(u, "Did not find urn: %s")
	}
	return rd.DetailsOf(ctx, u, stored[0], func(ctx context.Context, container string) (json.RawMessage, error) {
		found, err := rd.store.LatestAspects(ctx, []string{container}, []string{model.AspectContainer})
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for _, a := range found[container] {
			return a.Value, nil
		}
		return nil, nil
	})
}

// DetailsOf derives the details of an entity from its aspects at any moment. The function
// containerOf returns the value that the aspect container of a container had then, nil if it had
// none. TimeSeries is as of now.
func (rd *Reader) DetailsOf(ctx context.Context, u model.URN, stored catalog.StoredEntity, containerOf func(context.Context, string) (json.RawMessage, error)) (*Details, error) {
	entity, err := rd.EntityType(u.EntityType())
	if err != nil {
		return nil, err
	}
	d := &Details{StoredEntity: stored, SubTypes: []string{}}
	d.HasLineage = slices.ContainsFunc(rd.Registry().LineageKinds(), func(k model.LineageKind) bool {
		return k.SourceType == entity.Name || k.DestinationType == entity.Name
	})
	trees := make(map[string]catalog.Tree, len(d.Aspects))
	for i := range d.Aspects {
		if trees[d.Aspects[i].Name], err = catalog.TreeOf(d.Aspects[i].Value); err != nil {
			return nil, err
		}
	}
	d.Description = DescriptionIn(trees)
	if names, ok := trees[model.AspectSubTypes]["typeNames"].([]any); ok {
		for _, name := range names {
			if text, ok := name.(string); ok {
				d.SubTypes = append(d.SubTypes, text)
			}
		}
	}
	if d.TimeSeries, err = rd.seriesOf(ctx, entity, u); err != nil {
		return nil, err
	}
	above, err := rd.containersAbove(ctx, u, jsontree.Text(trees[model.AspectContainer], "container"), containerOf)
	if err != nil {
		return nil, err
	}
	d.Names = rd.namesIn(u, trees, above)
	return d, nil
}

// DescriptionIn returns the description that people wrote of an entity or, without one, the
// description that its source states. DescriptionIn takes the first non-empty text, from edited
// aspects first.
func DescriptionIn(aspects map[string]catalog.Tree) string {
	names := make([]string, 0, len(aspects))
	for name := range aspects {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(rankOfText(a)-rankOfText(b), cmp.Compare(a, b)) })
	for _, member := range []string{"description", "definition", "aboutMe"} {
		for _, name := range names {
			if text := jsontree.Text(aspects[name], member); text != "" {
				return text
			}
		}
	}
	for _, item := range jsontree.Items(aspects[model.AspectDocumentation], "documentations") {
		if text := jsontree.Text(item, "documentation"); text != "" {
			return text
		}
	}
	return ""
}

func rankOfText(aspect string) int {
	if strings.HasPrefix(aspect, "editable") || strings.HasSuffix(aspect, "EditableInfo") {
		return 0
	}
	return 1
}

// seriesOf returns the names of the time-series aspects of an entity that have values.
func (rd *Reader) seriesOf(ctx context.Context, entity *model.Entity, u model.URN) ([]string, error) {
	_, series := rd.splitAspects(entity.Aspects)
	names := []string{}
	if len(series) == 0 {
		return names, nil
	}
	found, err := rd.store.LatestTimeSeries(ctx, []string{u.String()}, series)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	for _, value := range found[u.String()] {
		names = append(names, value.Aspect)
	}
	slices.Sort(names)
	return names, nil
}

// maxContainersAbove bounds the containers that are read, in case that containers contain each
// other.
const maxContainersAbove = 50

// containersAbove returns a container and the containers around it, the closest first.
func (rd *Reader) containersAbove(ctx context.Context, u model.URN, container string, containerOf func(context.Context, string) (json.RawMessage, error)) ([]string, error) {
	var above []string
	known := map[string]bool{u.String(): true}
	for container = rd.Spelled(container); container != "" && !known[container] && len(above) < maxContainersAbove; {
		known[container], above = true, append(above, container)
		value, err := containerOf(ctx, container)
		if err != nil {
			return nil, err
		}
		container = ""
		if value != nil {
			tree, err := catalog.TreeOf(value)
			if err != nil {
				return nil, err
			}
			container = rd.Spelled(jsontree.Text(tree, "container"))
		}
	}
	return above, nil
}

// namesIn returns the given URNs, followed by the URNs of the entities that the aspects name.
func (rd *Reader) namesIn(u model.URN, aspects map[string]catalog.Tree, first []string) []string {
	known := map[string]bool{u.String(): true}
	var names, columns []string
	add := func(text string) {
		named, err := rd.Registry().ReadURN(text)
		if err != nil || known[named.String()] {
			return
		}
		if _, ok := rd.Registry().Entity(named.EntityType()); !ok {
			return
		}
		known[named.String()] = true
		if named.EntityType() == model.EntitySchemaField {
			columns = append(columns, named.String())
		} else {
			names = append(names, named.String())
		}
	}
	for _, text := range first {
		add(text)
	}
	order := make([]string, 0, len(aspects))
	for name := range aspects {
		order = append(order, name)
	}
	slices.SortFunc(order, func(a, b string) int {
		return cmp.Or(cmp.Compare(rd.rankOfNames(a), rd.rankOfNames(b)), cmp.Compare(a, b))
	})
	for _, name := range order {
		eachURN(aspects[name], add)
	}
	names = append(names, columns...)
	return names[:min(len(names), limits.MaxNamedRefs)]
}

// rankOfNames orders aspects by the number of names that they may have: aspects of columns and
// of lineage are last.
func (rd *Reader) rankOfNames(aspect string) int {
	spec, ok := rd.Registry().Aspect(aspect)
	switch {
	case aspect == model.AspectSchemaMetadata || aspect == model.AspectEditableSchemaMetadata:
		return 1
	case ok && spec.HasLineage():
		return 2
	}
	return 0
}

// eachURN calls visit with each text of a value that begins like a URN.
func eachURN(node any, visit func(string)) {
	switch v := node.(type) {
	case string:
		if strings.HasPrefix(v, "urn:") {
			visit(v)
		}
	case []any:
		for _, item := range v {
			eachURN(item, visit)
		}
	case catalog.Tree:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			eachURN(v[key], visit)
		}
	}
}
