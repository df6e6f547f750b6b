package history

import (
	"cmp"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// fact is one thing that an aspect states.
type fact struct {
	factKey
	// entity is the URN of the column that the fact is about, "" for the entity itself.
	entity string
	// modifier names the thing of the fact in an event.
	modifier   string
	parameters map[string]any
	// what and where describe the fact in words, for example "Tag x" as what and ", column y" as
	// where, for a tag that was added to a column.
	what, where string
	// content is compared to find out whether the fact has changed.
	content string
	// text is the state that descriptions of modifications quote. With quoted, descriptions of
	// additions and removals quote it too.
	text   string
	quoted bool
	// patch tells that a change of the fact raises only the last part of the version number.
	patch bool
}

// factKey is the subject of a fact: a thing, and the column that it belongs to, "" for the
// entity.
type factKey struct{ column, thing string }

func (k factKey) compare(other factKey) int {
	return cmp.Or(cmp.Compare(k.column, other.column), cmp.Compare(k.thing, other.thing))
}

// facts lists the facts that a version of an aspect states. Several facts may have the same
// key: for example, a link may be listed twice.
type facts []fact

func (f *facts) add(column, thing string, said fact) {
	said.factKey = factKey{column, thing}
	*f = append(*f, said)
}

// rename gives facts about columns the current names of these columns.
func (f facts) rename(names map[string]string) {
	if len(names) == 0 {
		return
	}
	for i := range f {
		if name, ok := names[f[i].column]; ok {
			f[i].column = name
		}
	}
}

// sort orders facts by their keys. Facts with the same key keep their order.
func (f facts) sort() {
	slices.SortStableFunc(f, func(a, b fact) int { return a.compare(b.factKey) })
}

// take removes the facts with a key from the beginning of sorted facts, and returns them.
func (f *facts) take(key factKey) facts {
	n := 0
	for n < len(*f) && (*f)[n].factKey == key {
		n++
	}
	taken := (*f)[:n]
	*f = (*f)[n:]
	return taken
}

// TellsOf reports whether timelines cover an aspect.
func TellsOf(a *model.Aspect) bool {
	return slices.ContainsFunc(categories, func(k category) bool { return k.looksAt(a) })
}

// category is one kind of change in a timeline.
type category struct {
	name string
	// aspects lists the aspects to compare; nil means all aspects that state lineage.
	aspects []string
	facts   func(t *timeline, v *model.Value) facts
	// adjust, if not nil, adapts an event to the category.
	adjust func(e *ChangeEvent, was, now *fact)
}

func (k *category) looksAt(a *model.Aspect) bool {
	if k.aspects == nil {
		return a.HasLineage() || a.Name == model.AspectInputFields
	}
	return slices.Contains(k.aspects, a.Name)
}

var technicalSchema = category{name: "TECHNICAL_SCHEMA", aspects: []string{model.AspectSchemaMetadata}, facts: schemaFacts, adjust: adjustSchema}

// categories has all categories of timelines.
var categories = []category{
	{name: "TAG", aspects: []string{model.AspectGlobalTags, model.AspectSchemaMetadata, model.AspectEditableSchemaMetadata}, facts: tagFacts},
	{name: "GLOSSARY_TERM", aspects: []string{model.AspectGlossaryTerms, model.AspectGlossaryRelatedTerms, model.AspectSchemaMetadata, model.AspectEditableSchemaMetadata}, facts: termFacts},
	{name: "OWNER", aspects: []string{model.AspectOwnership}, facts: ownerFacts, adjust: adjustOwner},
	{name: "DOCUMENTATION", aspects: documentationAspects, facts: documentationFacts},
	technicalSchema,
	{name: "DOMAIN", aspects: []string{model.AspectDomains}, facts: domainFacts},
	{name: "DEPRECATION", aspects: []string{model.AspectDeprecation}, facts: deprecationFacts, adjust: adjustDeprecation},
	{name: "LINEAGE", facts: lineageFacts},
	{name: "STRUCTURED_PROPERTY", aspects: []string{model.AspectStructuredProperties}, facts: propertyFacts},
	{name: "APPLICATION", aspects: []string{model.AspectApplications}, facts: applicationFacts},
	{name: "ASSET_MEMBERSHIP", aspects: []string{model.AspectDataProductProperties}, facts: membershipFacts},
	{name: "VERSIONING", aspects: []string{model.AspectVersionProperties}, facts: versionFacts},
}

// columnsIn returns the columns that an aspect lists.
func columnsIn(v *model.Value) []map[string]any {
	if v.Aspect.Name == model.AspectEditableSchemaMetadata {
		return jsontree.Items(v.Tree, "editableSchemaFieldInfo")
	}
	return jsontree.Items(v.Tree, "fields")
}

// columnURN returns the URN of an entity's column.
func (t *timeline) columnURN(path string) string {
	u, err := model.ColumnURN(t.urn, path)
	if err != nil {
		return t.urn.String()
	}
	return u.String()
}

// labelFacts returns the tags or terms of an entity and its columns.
func labelFacts(t *timeline, v *model.Value, aspect, list, item, parameter, word string) facts {
	found := facts{}
	add := func(labels map[string]any, column string) {
		for _, label := range jsontree.Items(labels, list) {
			urn := jsontree.Text(label, item)
			f := fact{modifier: urn, parameters: map[string]any{parameter: urn}, what: word + " " + urn}
			if column != "" {
				f.entity, f.where = t.columnURN(column), ", column "+model.PlainPath(column)
				f.parameters["fieldPath"], f.parameters["parentUrn"] = column, t.urn.String()
			}
			found.add(column, urn, f)
		}
	}
	if v.Aspect.Name == aspect {
		add(v.Tree, "")
		return found
	}
	for _, column := range columnsIn(v) {
		add(jsontree.Member(column, aspect), jsontree.Text(column, "fieldPath"))
	}
	return found
}

func tagFacts(t *timeline, v *model.Value) facts {
	return labelFacts(t, v, model.AspectGlobalTags, "tags", "tag", "tagUrn", "Tag")
}

func termFacts(t *timeline, v *model.Value) facts {
	if v.Aspect.Name == model.AspectGlossaryRelatedTerms {
		return relatedTermFacts(v)
	}
	return labelFacts(t, v, model.AspectGlossaryTerms, "terms", "urn", "termUrn", "Glossary term")
}

func ownerFacts(_ *timeline, v *model.Value) facts {
	found := facts{}
	for _, owner := range jsontree.Items(v.Tree, "owners") {
		urn, kind, ownType := jsontree.Text(owner, "owner"), jsontree.Text(owner, "type"), jsontree.Text(owner, "typeUrn")
		f := fact{
			modifier: urn, parameters: map[string]any{"ownerUrn": urn, "ownerType": kind},
			content: kind + "\x00" + ownType, text: kind, patch: true,
		}
		if kind == model.CustomOwnership && ownType != "" {
			f.text, f.parameters["ownerTypeUrn"] = ownType, ownType
		}
		f.what = "Owner " + urn + " (" + f.text + ")"
		found.add("", urn, f)
	}
	return found
}

// adjustOwner describes a change of an owner's type. The modifier of this event is the new
// type.
func adjustOwner(e *ChangeEvent, was, now *fact) {
	if e.Operation == OperationModify {
		e.Modifier = now.text
		e.Description = "The ownership type of " + now.modifier + " was changed" + fromTo(was.text, now.text)
	}
}

// documentationAspects are the aspects with descriptions and links.
var documentationAspects = []string{
	model.AspectDatasetProperties, model.AspectEditableDatasetProperties, model.AspectInstitutionalMemory, model.AspectSchemaMetadata, model.AspectEditableSchemaMetadata, model.AspectGlossaryTermInfo, model.AspectGlossaryNodeInfo,
	model.AspectChartInfo, model.AspectEditableChartProperties, model.AspectDashboardInfo, model.AspectEditableDashboardProperties, model.AspectDataJobInfo, model.AspectEditableDataJobProperties,
	model.AspectDataFlowInfo, model.AspectEditableDataFlowProperties, model.AspectContainerProperties, model.AspectEditableContainerProperties, model.AspectDomainProperties, model.AspectTagProperties,
	model.AspectDataProductProperties, model.AspectNotebookInfo, model.AspectEditableNotebookProperties, model.AspectCorpGroupInfo,
}

func documentationFacts(t *timeline, v *model.Value) facts {
	found := facts{}
	if v.Aspect.Name == model.AspectInstitutionalMemory {
		for _, link := range jsontree.Items(v.Tree, "elements") {
			url, text := jsontree.Text(link, "url"), jsontree.Text(link, "description")
			found.add("", url, fact{
				modifier: url, parameters: map[string]any{"url": url, "description": text}, what: "Link " + url,
				content: text, text: text, quoted: true, patch: true,
			})
		}
		return found
	}
	for _, name := range []string{"description", "definition"} {
		if text := jsontree.Text(v.Tree, name); text != "" {
			found.add("", name, fact{
				modifier: t.urn.String(), parameters: map[string]any{name: text}, what: "The " + name + " in " + v.Aspect.Name,
				content: text, text: text, quoted: true,
			})
		}
	}
	if v.Aspect.Name == model.AspectSchemaMetadata || v.Aspect.Name == model.AspectEditableSchemaMetadata {
		for _, column := range columnsIn(v) {
			if text := jsontree.Text(column, "description"); text != "" {
				path := jsontree.Text(column, "fieldPath")
				found.add(path, "description", fact{
					entity: t.columnURN(path), modifier: t.columnURN(path), parameters: map[string]any{"fieldPath": path, "description": text},
					what: "The description of column " + model.PlainPath(path) + " in " + v.Aspect.Name, content: text, text: text, quoted: true, patch: true,
				})
			}
		}
	}
	return found
}

func domainFacts(_ *timeline, v *model.Value) facts {
	return urnFacts(jsontree.Texts(v.Tree, "domains"), "domainUrn", "Domain")
}

// urnFacts returns a fact for each URN of a list. Such a fact has no content besides the URN.
func urnFacts(urns []string, parameter, word string) facts {
	found := facts{}
	for _, urn := range urns {
		found.add("", urn, fact{modifier: urn, parameters: map[string]any{parameter: urn}, what: word + " " + urn})
	}
	return found
}

func deprecationFacts(t *timeline, v *model.Value) facts {
	if v.Tree["deprecated"] != true {
		return nil
	}
	note := jsontree.Text(v.Tree, "note")
	found := facts{}
	found.add("", "", fact{
		modifier: t.urn.String(), parameters: map[string]any{"status": "DEPRECATED", "note": note}, what: "The note of the deprecation",
		content: note, text: note,
	})
	return found
}

// adjustDeprecation describes an entity that becomes deprecated, or ceases to be, as a change
// of its state.
func adjustDeprecation(e *ChangeEvent, was, now *fact) {
	switch {
	case was == nil && now.text != "":
		e.Description = "The entity was deprecated: '" + shortened(now.text) + "'"
	case was == nil:
		e.Description = "The entity was deprecated"
	case now == nil:
		e.Description, e.Parameters = "The entity is not deprecated any more", map[string]any{"status": "ACTIVE"}
	}
	e.Operation = OperationModify
}

// lineageFacts returns the lineage edges that an aspect states.
func lineageFacts(t *timeline, v *model.Value) facts {
	found := facts{}
	for _, e := range t.c.registry.Edges(t.urn, v) {
		lineage, upstream := t.c.registry.IsLineage(e.Relationship, e.SourceType, e.DestinationType)
		if !lineage {
			continue
		}
		f := fact{
			modifier: e.Destination, parameters: map[string]any{"relationship": e.Relationship, "urn": e.Destination}, what: "Downstream " + e.Destination,
		}
		if upstream {
			f.what = "Upstream " + e.Destination
		}
		if e.Source != t.urn.String() {
			f.entity, f.where = e.Source, " of "+strings.TrimSpace(e.Source)
			f.content = string(e.Properties)
		}
		found.add("", e.Source+"\x00"+e.Relationship+"\x00"+e.Destination, f)
	}
	return found
}
