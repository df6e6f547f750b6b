package model

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// Names of properties that graph nodes have for people who read the graph. Answers of the
// catalog do not have them, so no search field may take their place on a node.
const (
	ShownCustomProperties     = "customProperties"
	ShownStructuredProperties = AspectStructuredProperties
	ShownSubtypes             = "subtypes"
	ShownPlatform             = "platformId"
)

// Column is a column that a schema lists.
type Column struct {
	URN string
	// DataType is the type of the interface as a word, such as STRING or STRUCT;
	// NativeType is the source's own.
	DataType, NativeType string
	Nullable             bool
	// Description is shortened as the properties of graph nodes are.
	Description string
}

// Columns returns the columns that a value gives its owner, each once, in their order.
// Only schemas give any. A path that cannot be part of a URN is left out.
func Columns(owner URN, v *Value) []Column {
	if v == nil || v.Aspect.Name != AspectSchemaMetadata {
		return nil
	}
	fields := jsontree.Items(v.Tree, "fields")
	columns, seen := make([]Column, 0, len(fields)), make(map[string]bool, len(fields))
	for _, field := range fields {
		urn := columnText(owner, jsontree.Text(field, fieldPathField))
		if urn == "" || seen[urn] {
			continue
		}
		seen[urn] = true
		columns = append(columns, Column{
			URN: urn, DataType: dataType(field), NativeType: shorten(jsontree.Text(field, "nativeDataType")),
			Nullable: field["nullable"] == true, Description: shorten(jsontree.Text(field, "description")),
		})
	}
	return columns
}

// dataType is the type of a field of a schema as a word: NUMBER for NumberType.
func dataType(field map[string]any) string {
	union := jsontree.Member(jsontree.Member(field, "type"), "type")
	for name := range union {
		name = strings.TrimSuffix(name[strings.LastIndexByte(name, '.')+1:], "Type")
		if name == "Record" {
			return "STRUCT"
		}
		return strings.ToUpper(shorten(name))
	}
	return ""
}

// EditedColumn is a column with the description that people wrote.
type EditedColumn struct{ URN, Description string }

// EditedColumns returns the columns of owner that a value describes for people.
func EditedColumns(owner URN, v *Value) []EditedColumn {
	if v == nil || v.Aspect.Name != AspectEditableSchemaMetadata {
		return nil
	}
	var edited []EditedColumn
	for _, field := range jsontree.Items(v.Tree, "editableSchemaFieldInfo") {
		text, urn := jsontree.Text(field, "description"), columnText(owner, jsontree.Text(field, fieldPathField))
		if text != "" && urn != "" {
			edited = append(edited, EditedColumn{urn, shorten(text)})
		}
	}
	return edited
}

// ColumnLabel is a tag or term of a column.
type ColumnLabel struct {
	Column, Label string
	// Term: the label is a glossary term, and no tag.
	Term bool
}

// labelledLists are the lists of columns whose entries have labels, and the member of an
// entry that has them.
var labelledLists = map[string]struct{ list, member string }{
	AspectSchemaMetadata:         {list: "fields"},
	AspectEditableSchemaMetadata: {list: "editableSchemaFieldInfo"},
	AspectInputFields:            {list: "fields", member: "schemaField"},
}

// ColumnLabels returns the labels that a value gives columns of owner, or owner itself
// where it is a column, each once.
func (r *Registry) ColumnLabels(owner URN, v *Value) []ColumnLabel {
	if v == nil {
		return nil
	}
	var labels []ColumnLabel
	seen := map[ColumnLabel]bool{}
	add := func(column string, entry map[string]any) {
		for _, text := range textsAt(entry, "globalTags/tags/*/tag") {
			labels = r.withLabel(labels, seen, column, text, EntityTag)
		}
		for _, text := range textsAt(entry, "glossaryTerms/terms/*/urn") {
			labels = r.withLabel(labels, seen, column, text, EntityGlossaryTerm)
		}
	}
	if owner.EntityType() == EntitySchemaField {
		if v.Aspect.Name == AspectGlobalTags || v.Aspect.Name == AspectGlossaryTerms {
			add(owner.text, map[string]any{v.Aspect.Name: v.Tree})
		}
		return labels
	}
	in, ok := labelledLists[v.Aspect.Name]
	if !ok {
		return nil
	}
	for _, entry := range jsontree.Items(v.Tree, in.list) {
		if in.member != "" {
			entry = jsontree.Member(entry, in.member)
		}
		if entry["globalTags"] == nil && entry["glossaryTerms"] == nil {
			continue
		}
		if column := columnText(owner, jsontree.Text(entry, fieldPathField)); column != "" {
			add(column, entry)
		}
	}
	return labels
}

func (r *Registry) withLabel(labels []ColumnLabel, seen map[ColumnLabel]bool, column, text, entityType string) []ColumnLabel {
	u, err := r.parseNormal(text)
	label := ColumnLabel{Column: column, Label: u.text, Term: entityType == EntityGlossaryTerm}
	if err != nil || u.EntityType() != entityType || seen[label] {
		return labels
	}
	seen[label] = true
	return append(labels, label)
}

// ShowsSomething reports whether the values of an aspect show people something of an
// entity type beyond its search fields and edges.
func (r *Registry) ShowsSomething(entityType, aspect string) bool {
	switch aspect {
	case AspectSubTypes, AspectStructuredProperties, AspectDataPlatformInstance, AspectOwnership, AspectSiblings:
		return true
	case AspectGlobalTags, AspectGlossaryTerms:
		return entityType == EntitySchemaField
	}
	_, labelled := labelledLists[aspect]
	return labelled || r.hasCustomProperties(entityType, aspect)
}

// ShownAspects are the aspects of which some values show people something beyond search
// fields and edges.
func (r *Registry) ShownAspects() []string {
	var names []string
	for _, e := range r.entities {
		for _, name := range e.Aspects {
			if r.ShowsSomething(e.Name, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// hasCustomProperties reports whether an aspect has the custom properties of an entity
// type.
func (r *Registry) hasCustomProperties(entityType, aspect string) bool {
	e := r.entities[entityType]
	return e != nil && e.custom != "" && e.custom == aspect
}

// customAspect is the aspect of an entity type that has its custom properties, "" for
// none. Where several have some, it is the one whose name comes first.
func (r *Registry) customAspect(e *Entity) string {
	first := ""
	for _, name := range e.Aspects {
		a := r.aspects[name]
		if a == nil || a.TimeSeries || a.typ == nil || a.typ.byName[ShownCustomProperties] == nil {
			continue
		}
		if first == "" || name < first {
			first = name
		}
	}
	return first
}

// shownProperties is the greatest number of custom or structured properties, subtypes or
// types of an owner that the graph shows of one entity; the aspect has all of them.
const shownProperties = 200

// ShownProperties returns the properties that a value gives the node of its entity for
// people: lists of texts, or texts. A nil v gives none. The URN is that of the entity.
func (r *Registry) ShownProperties(u URN, v *Value) map[string]any {
	if v == nil {
		return nil
	}
	switch v.Aspect.Name {
	case AspectSubTypes:
		return shownList(ShownSubtypes, textsAt(v.Tree, "typeNames/*"))
	case AspectStructuredProperties:
		return shownList(ShownStructuredProperties, structuredTexts(v))
	case AspectDataPlatformInstance:
		if r.PlatformID(u) != "" {
			return nil // its URN names it
		}
		if name := platformIn(jsontree.Text(v.Tree, "platform")); name != "" {
			return map[string]any{ShownPlatform: name}
		}
	default:
		if r.hasCustomProperties(u.EntityType(), v.Aspect.Name) {
			custom := jsontree.Member(v.Tree, ShownCustomProperties)
			texts := make([]string, 0, len(custom))
			for key, value := range custom {
				if text, ok := value.(string); ok {
					texts = append(texts, key+"="+text)
				}
			}
			slices.Sort(texts)
			return shownList(ShownCustomProperties, texts)
		}
	}
	return nil
}

// structuredTexts are structured properties as name=value, with the name that is the key
// of the property's URN.
func structuredTexts(v *Value) []string {
	var texts []string
	for _, property := range jsontree.Items(v.Tree, "properties") {
		u := StoredURN(jsontree.Text(property, "propertyUrn"))
		if u.IsZero() {
			continue
		}
		name := strings.Join(u.Parts(), ",")
		values, _ := property["values"].([]any)
		for _, value := range values {
			if union, ok := value.(map[string]any); ok {
				for _, member := range union {
					value = member
				}
			}
			for _, scalar := range appendScalars(nil, value) {
				texts = append(texts, name+"="+jsontree.ScalarText(scalar))
			}
		}
	}
	return texts
}

func shownList(name string, texts []string) map[string]any {
	if len(texts) == 0 {
		return nil
	}
	list := make([]any, 0, len(texts))
	for _, text := range texts[:min(len(texts), shownProperties)] {
		list = append(list, shorten(text))
	}
	return map[string]any{name: list}
}

// platformIn is the id in the URN of a platform, "" for another text.
func platformIn(text string) string {
	u := StoredURN(text)
	if u.EntityType() != EntityDataPlatform {
		return ""
	}
	return u.Parts()[0]
}

// platformFields are the parts of keys that are the id of a platform.
var platformFields = map[string]bool{"dashboardTool": true, "notebookTool": true, "orchestrator": true}

// PlatformID returns the id of the platform that a URN names, such as snowflake; ""
// if it names none. A job has that of its flow.
func (r *Registry) PlatformID(u URN) string {
	e, ok := r.Entity(u.EntityType())
	if !ok || e.Name == EntitySchemaField {
		return ""
	}
	parts := u.Parts()
	for i, part := range parts {
		name := platformIn(part)
		if inner := StoredURN(part); name == "" && inner.EntityType() == EntityDataFlow {
			name = r.PlatformID(inner)
		}
		if name == "" && i < len(e.KeyFields) && platformFields[e.KeyFields[i].Name] {
			name = part
		}
		if name != "" && e.Name != EntityDataPlatform {
			return shorten(name)
		}
	}
	return ""
}

// QualifiedName returns the whole name in the URN of a dataset, such as
// analytics.marts.orders; "" for others.
func (r *Registry) QualifiedName(u URN) string {
	parts := u.Parts()
	e, ok := r.Entity(u.EntityType())
	if !ok || e.Name != EntityDataset || len(parts) != len(e.KeyFields) {
		return ""
	}
	return shorten(parts[e.nameField()])
}

// ShowsEdges reports whether the values of an aspect say something about their edges that
// only people see.
func ShowsEdges(aspect string) bool { return aspect == AspectOwnership || aspect == AspectSiblings }

// edgeMarks returns what a value says about its edges of one relationship for people, by
// their destinations: the kinds of owners, and which sibling is the primary one. An owner
// that is listed for several reasons has the types of all.
func (r *Registry) edgeMarks(v *Value) map[string]map[string]any {
	switch v.Aspect.Name {
	case AspectOwnership:
		marks := map[string]map[string]any{}
		for _, owner := range jsontree.Items(v.Tree, "owners") {
			u, err := r.parseNormal(jsontree.Text(owner, "owner"))
			name := OwnerType(jsontree.Text(owner, "type"), jsontree.Text(owner, "typeUrn"))
			if err != nil {
				continue
			}
			if marks[u.text] == nil {
				marks[u.text] = map[string]any{ShownOwnerTypes: []any{}}
			}
			types, _ := marks[u.text][ShownOwnerTypes].([]any)
			if name != "" && !slices.Contains(types, any(name)) && len(types) < shownProperties {
				marks[u.text][ShownOwnerTypes] = append(types, name)
			}
		}
		return marks
	case AspectSiblings:
		marks := map[string]map[string]any{}
		for _, u := range r.urnsOf(textsAt(v.Tree, "siblings/*")) {
			marks[u.text] = map[string]any{ShownPrimary: v.Tree["primary"] == true}
		}
		return marks
	}
	return nil
}

// Names of properties that edges have for people who read the graph.
const (
	ShownOwnerTypes = "types"
	ShownPrimary    = "primary"
)

// systemOwnerType begins the key of the ownership types that every catalog has.
const systemOwnerType = "__system__"

// OwnerType is the kind of an owner as a word: that of its ownership type, if it names
// one, such as TECHNICAL_OWNER for urn:li:ownershipType:__system__technical_owner, else
// the one that is stated.
func OwnerType(stated, typeURN string) string {
	u := StoredURN(typeURN)
	if u.EntityType() != EntityOwnershipType {
		return shorten(stated)
	}
	key := u.Parts()[0]
	if name, system := strings.CutPrefix(key, systemOwnerType); system {
		return strings.ToUpper(shorten(name))
	}
	return shorten(cmp.Or(key, stated))
}

// ProfileNumbers returns the numbers of the profile of a whole dataset, nil for none. The
// profile of a part of it has none, nor has one that cannot be read.
func ProfileNumbers(profile json.RawMessage) map[string]any {
	var p struct {
		Partition struct {
			Type string `json:"type"`
		} `json:"partitionSpec"`
		Rows    *int64 `json:"rowCount"`
		Columns *int64 `json:"columnCount"`
		Bytes   *int64 `json:"sizeInBytes"`
	}
	if err := json.Unmarshal(profile, &p); err != nil || p.Partition.Type != "" && p.Partition.Type != "FULL_TABLE" {
		return nil
	}
	numbers := map[string]any{}
	for name, number := range map[string]*int64{"rowCount": p.Rows, "columnCount": p.Columns, "sizeInBytes": p.Bytes} {
		if number != nil {
			numbers[name] = *number
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	return numbers
}
