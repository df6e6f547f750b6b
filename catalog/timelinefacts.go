package catalog

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// fact is one thing that an aspect says.
type fact struct {
	// entity is the column that it is about; empty for the entity itself.
	entity string
	// modifier is the thing, as an event names it.
	modifier   string
	parameters map[string]string
	// what and where say it in words: "Tag x" was added " to column y".
	what, where string
	// content tells a fact that changed from one that stayed.
	content string
}

// facts are what a version of an aspect says, by what it is about.
type facts map[string]fact

// category is one kind of change that a timeline tells.
type category struct {
	name string
	// aspects are those looked at; nil is all that state lineage.
	aspects []string
	// breaking: what is removed or modified raises the major version.
	breaking bool
	facts    func(t *timeline, v *model.Value) facts
}

func (k *category) looksAt(a *model.Aspect) bool {
	if k.aspects == nil {
		return a.HasLineage() || a.Name == "inputFields"
	}
	return slices.Contains(k.aspects, a.Name)
}

// categories are all there are.
var categories = []category{
	{name: "TAG", aspects: []string{"globalTags", schemaAspect, editableSchemaAspect}, facts: tagFacts},
	{name: "GLOSSARY_TERM", aspects: []string{"glossaryTerms", schemaAspect, editableSchemaAspect}, facts: termFacts},
	{name: "OWNER", aspects: []string{"ownership"}, facts: ownerFacts},
	{name: "DOCUMENTATION", aspects: documentationAspects, facts: documentationFacts},
	{name: "TECHNICAL_SCHEMA", aspects: []string{schemaAspect}, breaking: true, facts: schemaFacts},
	{name: "DOMAIN", aspects: []string{"domains"}, facts: domainFacts},
	{name: "DEPRECATION", aspects: []string{"deprecation"}, facts: deprecationFacts},
	{name: "LINEAGE", facts: lineageFacts},
}

func objects(tree map[string]any, name string) []map[string]any {
	items, _ := tree[name].([]any)
	var list []map[string]any
	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			list = append(list, object)
		}
	}
	return list
}

func textIn(tree map[string]any, name string) string {
	text, _ := tree[name].(string)
	return text
}

func objectIn(tree map[string]any, name string) map[string]any {
	object, _ := tree[name].(map[string]any)
	return object
}

// columns are the columns that an aspect speaks of.
func columnsIn(v *model.Value) []map[string]any {
	if v.Aspect.Name == editableSchemaAspect {
		return objects(v.Tree, "editableSchemaFieldInfo")
	}
	return objects(v.Tree, "fields")
}

// columnURN is the column of an entity.
func (t *timeline) columnURN(path string) string {
	u, err := model.BuildURN(t.urn.Namespace(), columnType, t.urn.String(), model.EncodeFieldPath(path))
	if err != nil {
		return t.urn.String()
	}
	return u.String()
}

// labelFacts are tags or terms, of the entity or of its columns.
func labelFacts(t *timeline, v *model.Value, aspect, list, item, parameter, word string) facts {
	found := facts{}
	add := func(labels map[string]any, column string) {
		for _, label := range objects(labels, list) {
			urn := textIn(label, item)
			f := fact{modifier: urn, parameters: map[string]string{parameter: urn}, what: word + " " + urn}
			if column != "" {
				f.entity, f.where, f.parameters["fieldPath"] = t.columnURN(column), ", column "+column, column
			}
			found[column+"\x00"+urn] = f
		}
	}
	if v.Aspect.Name == aspect {
		add(v.Tree, "")
		return found
	}
	for _, column := range columnsIn(v) {
		add(objectIn(column, aspect), textIn(column, "fieldPath"))
	}
	return found
}

func tagFacts(t *timeline, v *model.Value) facts {
	return labelFacts(t, v, "globalTags", "tags", "tag", "tagUrn", "Tag")
}

func termFacts(t *timeline, v *model.Value) facts {
	return labelFacts(t, v, "glossaryTerms", "terms", "urn", "termUrn", "Glossary term")
}

func ownerFacts(_ *timeline, v *model.Value) facts {
	found := facts{}
	for _, owner := range objects(v.Tree, "owners") {
		urn, kind := textIn(owner, "owner"), textIn(owner, "type")
		found[urn+"\x00"+kind+"\x00"+textIn(owner, "typeUrn")] = fact{
			modifier: urn, parameters: map[string]string{"ownerUrn": urn, "ownerType": kind}, what: "Owner " + urn + " (" + kind + ")",
		}
	}
	return found
}

// documentationAspects hold descriptions and links.
var documentationAspects = []string{
	"datasetProperties", "editableDatasetProperties", "institutionalMemory", schemaAspect, editableSchemaAspect, "glossaryTermInfo", "glossaryNodeInfo",
	"chartInfo", "editableChartProperties", "dashboardInfo", "editableDashboardProperties", "dataJobInfo", "editableDataJobProperties",
	"dataFlowInfo", "editableDataFlowProperties", "containerProperties", "editableContainerProperties", "domainProperties", "tagProperties",
	"dataProductProperties", "notebookInfo", "editableNotebookProperties", "corpGroupInfo",
}

func documentationFacts(t *timeline, v *model.Value) facts {
	found := facts{}
	if v.Aspect.Name == "institutionalMemory" {
		for _, link := range objects(v.Tree, "elements") {
			url := textIn(link, "url")
			found[url] = fact{modifier: url, parameters: map[string]string{"url": url}, what: "Link " + url, content: textIn(link, "description")}
		}
		return found
	}
	for _, name := range []string{"description", "definition"} {
		if text := textIn(v.Tree, name); text != "" {
			found[name] = fact{
				modifier: t.urn.String(), parameters: map[string]string{name: text}, what: "The " + name + " in " + v.Aspect.Name, content: text,
			}
		}
	}
	if v.Aspect.Name == schemaAspect || v.Aspect.Name == editableSchemaAspect {
		for _, column := range columnsIn(v) {
			if text := textIn(column, "description"); text != "" {
				path := textIn(column, "fieldPath")
				found[path] = fact{
					entity: t.columnURN(path), modifier: t.columnURN(path), parameters: map[string]string{"fieldPath": path, "description": text},
					what: "The description of column " + path + " in " + v.Aspect.Name, content: text,
				}
			}
		}
	}
	return found
}

func schemaFacts(t *timeline, v *model.Value) facts {
	found := facts{}
	for _, column := range objects(v.Tree, "fields") {
		path := textIn(column, "fieldPath")
		content, _ := json.Marshal([]any{column["type"], column["nativeDataType"], column["nullable"]}) // decoded JSON always encodes
		found[path] = fact{
			modifier: t.columnURN(path), what: "Column " + path, content: string(content),
			parameters: map[string]string{"fieldPath": path, "fieldUrn": t.columnURN(path), "nativeDataType": textIn(column, "nativeDataType")},
		}
	}
	return found
}

func domainFacts(_ *timeline, v *model.Value) facts {
	found := facts{}
	items, _ := v.Tree["domains"].([]any)
	for _, item := range items {
		if urn, ok := item.(string); ok {
			found[urn] = fact{modifier: urn, parameters: map[string]string{"domainUrn": urn}, what: "Domain " + urn}
		}
	}
	return found
}

func deprecationFacts(t *timeline, v *model.Value) facts {
	if v.Tree["deprecated"] != true {
		return nil
	}
	note := textIn(v.Tree, "note")
	return facts{"": {modifier: t.urn.String(), parameters: map[string]string{"note": note}, what: "Deprecation", content: note}}
}

// lineageFacts are the edges of lineage that an aspect states.
func lineageFacts(t *timeline, v *model.Value) facts {
	found := facts{}
	for _, e := range t.c.registry.Edges(t.urn, v) {
		lineage, upstream := t.c.registry.IsLineage(e.Relationship, e.SourceType, e.DestinationType)
		if !lineage {
			continue
		}
		f := fact{
			modifier: e.Destination, parameters: map[string]string{"relationship": e.Relationship, "urn": e.Destination}, what: "Downstream " + e.Destination,
		}
		if upstream {
			f.what = "Upstream " + e.Destination
		}
		if e.Source != t.urn.String() {
			f.entity, f.where = e.Source, " of "+strings.TrimSpace(e.Source)
			f.content = string(e.Properties)
		}
		found[e.Source+"\x00"+e.Relationship+"\x00"+e.Destination] = f
	}
	return found
}
