package openlineage

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// maxAliases bounds how many names lead to the name of a dataset, one after another.
const maxAliases = 4

// resolve returns the name under which a dataset is known: a name from its symlinks, if it has any.
func (w *work) resolve(d naming.Dataset) (naming.Dataset, error) {
	for range maxAliases {
		s, err := w.datasets.load(w.ctx, keyOf(d))
		if err != nil {
			return d, err
		}
		if s.value.Alias == nil {
			return d, nil
		}
		known := read[naming.Dataset](s.value.Alias.Value)
		if known == d {
			return d, nil
		}
		d = known
	}
	return d, nil
}

// alias merges the names that the facet symlinks of a dataset gives it. The jobs that know the dataset by a
// name that now leads elsewhere are written again.
func (w *work) alias(own naming.Dataset, of facets, e *event) error {
	text, ok := of["symlinks"]
	if !ok {
		return nil
	}
	identifiers := identifiersIn(text)
	known := w.names.Preferred(own, identifiers, read[catalogFacet](of["catalog"]).Framework)
	value, err := json.Marshal(known)
	if err != nil {
		return err
	}
	target, err := w.datasets.touch(w.ctx, keyOf(known))
	if err != nil {
		return err
	}
	target.Name = known
	others := []naming.Dataset{own}
	for _, i := range identifiers {
		others = append(others, i.Dataset)
	}
	for _, other := range others {
		if other == known {
			continue
		}
		d, err := w.datasets.touch(w.ctx, keyOf(other))
		if err != nil {
			return err
		}
		d.Name = other
		if f := e.fact(value); d.Alias == nil || f.later(*d.Alias) {
			if d.Alias == nil || read[naming.Dataset](d.Alias.Value) != known {
				w.writeAgain(d)
			}
			d.Alias = &f
		}
		if target.Names == nil {
			target.Names = map[string]naming.Dataset{}
		}
		if len(target.Names) < limits.OpenLineageFacets {
			target.Names[keyOf(other)] = other
		}
	}
	return nil
}

// identifiersIn reads the facet symlinks.
func identifiersIn(facet json.RawMessage) []naming.Identifier {
	var identifiers []naming.Identifier
	for _, i := range read[symlinks](facet).Identifiers {
		if i.Name != "" && len(i.Namespace)+len(i.Name) <= limits.OpenLineageName && len(identifiers) < limits.OpenLineageIdentifiers {
			identifiers = append(identifiers, naming.Identifier{Dataset: naming.Dataset{Namespace: i.Namespace, Name: i.Name}, Type: i.Type})
		}
	}
	return identifiers
}

// writeAgain notes the jobs of a dataset whose name has changed.
func (w *work) writeAgain(d *dataset) {
	for k, name := range d.Jobs {
		if _, known := w.later[k]; !known {
			w.later[k] = renamed{name: name}
		}
	}
}

// writeDatasets adds the aspects that follow from the touched states of datasets, once for each entity.
func (w *work) writeDatasets() error {
	entities := map[string]model.URN{}
	for _, name := range w.datasets.touchedNames() {
		own := w.datasets.loaded[name].value
		if own.Name.Name == "" {
			continue
		}
		known, err := w.resolve(own.Name)
		if err != nil {
			return err
		}
		urn, err := w.urnNamed(known)
		if err != nil {
			return err
		}
		if err := w.leaveFormer(own, urn); err != nil {
			return err
		}
		if urn.IsZero() {
			continue
		}
		entities[urn.String()] = urn
		target, err := w.datasets.touch(w.ctx, keyOf(known))
		if err != nil {
			return err
		}
		target.Name = known
		from, err := w.urns.touch(w.ctx, key("", urn.String()))
		if err != nil {
			return err
		}
		if from.Names == nil {
			from.Names = map[string]naming.Dataset{}
		}
		if len(from.Names) < limits.OpenLineageFacets {
			from.Names[keyOf(known)] = known
		}
	}
	for _, urn := range sorted(entities) {
		if err := w.writeNamed(urn); err != nil {
			return err
		}
	}
	return nil
}

// leaveFormer notes the URN of a dataset. An entity that was made under another URN is removed softly, once no name
// leads to it.
func (w *work) leaveFormer(d *dataset, urn model.URN) error {
	if d.URN == urn.String() || d.URN == "" && urn.IsZero() {
		return nil
	}
	if d.URN != "" {
		w.writeAgain(d)
		if err := w.leaveEntity(d); err != nil {
			return err
		}
	}
	if urn.IsZero() {
		d.URN = ""
		return nil
	}
	latest, err := w.latest(urn, model.AspectDatasetKey)
	if err != nil {
		return err
	}
	own, err := w.urnNamed(d.Name)
	if err != nil {
		return err
	}
	d.URN = urn.String()
	from, err := w.urns.touch(w.ctx, key("", d.URN))
	if err != nil {
		return err
	}
	from.Made = from.Made || from.Removed || latest == nil && own == urn
	if !from.Removed {
		return nil
	}
	from.Removed = false
	return w.put(about{urn: urn}, model.AspectStatus, catalog.Tree{"removed": false})
}

func (w *work) leaveEntity(d *dataset) error {
	former, err := model.ParseURN(d.URN)
	if err != nil {
		return err
	}
	from, err := w.urns.touch(w.ctx, key("", d.URN))
	if err != nil {
		return err
	}
	delete(from.Names, keyOf(d.Name))
	made := from.Made || d.Made
	d.Made, d.Given = false, nil
	if !made || len(from.Names) > 0 {
		return nil
	}
	from.Made, from.Removed, from.Given = false, true, nil
	return w.put(about{urn: former}, model.AspectStatus, catalog.Tree{"removed": true})
}

// writeNamed adds the aspects of a dataset from the facets that all its names have been given.
func (w *work) writeNamed(urn model.URN) error {
	from, err := w.urns.touch(w.ctx, key("", urn.String()))
	if err != nil {
		return err
	}
	var all factSet
	for i, known := range sortedNames(from.Names) {
		if i == 0 {
			from.Dataset = &known
		}
		facets, err := w.allFacets(known)
		if err != nil {
			return err
		}
		all.merge(facets)
		s, err := w.datasets.load(w.ctx, keyOf(known))
		if err != nil {
			return err
		}
		if from.Given == nil && !from.Removed {
			from.Given = s.value.Given // earlier releases stored Given in the state
		}
	}
	of := about{urn: urn}
	if stored, err := w.latest(urn, model.AspectDatasetKey); err != nil {
		return err
	} else if stored == nil {
		if err := w.put(of, model.AspectDatasetKey, catalog.Tree{"platform": urn.Parts()[0], "name": urn.Parts()[1], "origin": urn.Parts()[2]}); err != nil {
			return err
		}
	}
	if err := w.datasetProperties(of, *from.Dataset, all); err != nil {
		return err
	}
	if err := w.schema(of, all); err != nil {
		return err
	}
	if err := w.subTypes(of, all); err != nil {
		return err
	}
	if err := w.upstreams(of, all); err != nil {
		return err
	}
	from.Given, err = w.people(of, from.Given, all)
	return err
}

// sortedNames returns names in the order of their texts.
func sortedNames(of map[string]naming.Dataset) []naming.Dataset {
	return slices.SortedFunc(maps.Values(of), func(a, b naming.Dataset) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}

// allFacets returns the facets of a dataset under all its names.
func (w *work) allFacets(known naming.Dataset) (factSet, error) {
	s, err := w.datasets.load(w.ctx, keyOf(known))
	if err != nil {
		return nil, err
	}
	var all factSet
	all.merge(s.value.Facets)
	for _, other := range sorted(s.value.Names) {
		resolved, err := w.resolve(other)
		if err != nil {
			return nil, err
		}
		if resolved != known {
			continue
		}
		of, err := w.datasets.load(w.ctx, keyOf(other))
		if err != nil {
			return nil, err
		}
		all.merge(of.value.Facets)
	}
	return all, nil
}

// ownDatasetFacets are the facets of datasets that are written elsewhere.
var ownDatasetFacets = []string{
	"schema", "columnLineage", "symlinks", "documentation", "ownership", "tags", "datasetType", "lifecycleStateChange", "version", "lineage",
	"dataQualityMetrics", "dataQualityAssertions", "storage", "catalog", "dataSource", "hierarchy",
}

func (w *work) datasetProperties(of about, known naming.Dataset, all factSet) error {
	p := properties{}
	stored := read[storage](all.value("storage"))
	p.set("storageLayer", stored.Layer)
	p.set("fileFormat", stored.Format)
	p.flatten("catalog", all.value("catalog"), false)
	p.set("dataSource", read[struct {
		Name string `json:"name"`
	}](all.value("dataSource")).Name)
	for _, level := range read[hierarchy](all.value("hierarchy")).Levels {
		p.set("hierarchy."+level.Type, level.Name)
	}
	for name := range all {
		if !slices.Contains(ownDatasetFacets, name) {
			p.flatten(name, all.value(name), false)
		}
	}
	value := catalog.Tree{"customProperties": p, "name": displayOf(known.Name), "tags": []string{}}
	if description := read[documentation](all.value("documentation")).Description; description != "" {
		value["description"] = description
	}
	if len(p) == 0 && value["description"] == nil && len(all) == 0 {
		return nil
	}
	return w.putIfOurs(of, model.AspectDatasetProperties, value)
}

// displayOf is the last part of a name.
func displayOf(name string) string {
	plain := strings.TrimRight(name, "/")
	if at := strings.LastIndexAny(plain, "./"); at >= 0 && !strings.Contains(plain, "/") {
		return cmp.Or(plain[at+1:], name)
	}
	return cmp.Or(plain[strings.LastIndex(plain, "/")+1:], name)
}

// subTypes are the types that the page shows.
var subTypeNames = map[string]string{"TABLE": "Table", "VIEW": "View", "FILE": "File", "TOPIC": "Topic", "STREAM": "Stream", "MODEL": "Model"}

func (w *work) subTypes(of about, all factSet) error {
	name := subTypeNames[strings.ToUpper(read[datasetType](all.value("datasetType")).Type)]
	if name == "" {
		if _, told := all["datasetType"]; told {
			return w.dropIfOurs(of, model.AspectSubTypes)
		}
		return nil
	}
	return w.putIfOurs(of, model.AspectSubTypes, catalog.Tree{"typeNames": []string{name}})
}
