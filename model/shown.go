package model

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// Names of node properties for people who read the graph. Answers of the catalog do not
// have them, so no search field may use the same property of a node.
const (
	ShownCustomProperties     = "customProperties"
	ShownStructuredProperties = AspectStructuredProperties
	ShownSubtypes             = "subtypes"
	ShownPlatform             = "platformId"
)

// Column is a column in a schema.
type Column struct {
	URN string
	// DataType is the interface's type as a word, such as STRING or STRUCT. NativeType is
	// the type in the source.
	DataType, NativeType string
	Nullable             bool
	// Description is shortened like the properties of graph nodes.
	Description string
}

// Columns returns the columns of owner in a value, each once, in their order. Only values
// of schemaMetadata have any. A path that cannot be part of a URN is left out.
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

// dataType returns the type of a schema's field as a word: NUMBER for NumberType.
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

// EditedColumns returns the columns of owner that people have described in a value.
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
	// Term: the label is a glossary term, not a tag.
	Term bool
}

// labelledLists has the lists of columns with labels, and the member of an entry that has
// the labels.
var labelledLists = map[string]struct{ list, member string }{
	AspectSchemaMetadata:         {list: "fields"},
	AspectEditableSchemaMetadata: {list: "editableSchemaFieldInfo"},
	AspectInputFields:            {list: "fields", member: "schemaField"},
}

// ColumnLabels returns the labels that a value gives columns of owner, or owner if it is a
// column, each once.
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

// ShowsSomething reports whether values of an aspect give nodes or edges of an entity type
// properties for people, besides search fields and edges.
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

// ShownAspects returns the aspects for which ShowsSomething is true for any entity type.
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

// hasCustomProperties reports whether an aspect is the one with the custom properties of an
// entity type.
func (r *Registry) hasCustomProperties(entityType, aspect string) bool {
	e := r.entities[entityType]
	return e != nil && e.custom != "" && e.custom == aspect
}

// customAspect returns the aspect with the custom properties of an entity type, "" for
// none. If several aspects have custom properties, it is the first one by name.
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

// shownProperties bounds the number of custom properties, structured properties, subtypes
// and types of an owner that the graph shows of one entity. The aspect has all of them.
const shownProperties = 200

// ShownProperties returns the properties for people that a value gives the node of the
// entity u. They are texts or lists of texts. A nil value gives none.
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
			return nil // the URN names the platform
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

// structuredTexts returns structured properties as name=value. The name is the key of the
// property's URN.
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

// platformIn returns the id in the URN of a platform, "" for another text.
func platformIn(text string) string {
	u := StoredURN(text)
	if u.EntityType() != EntityDataPlatform {
		return ""
	}
	return u.Parts()[0]
}

// platformFields are the key parts that contain the id of a platform.
var platformFields = map[string]bool{"dashboardTool": true, "notebookTool": true, "orchestrator": true}

// PlatformID returns the id of the platform in a URN, such as snowflake, "" if it names
// none. A job has the platform of its flow.
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

// QualifiedName returns the complete name in the URN of a dataset, such as
// analytics.marts.orders, "" for other URNs.
func (r *Registry) QualifiedName(u URN) string {
	parts := u.Parts()
	e, ok := r.Entity(u.EntityType())
	if !ok || e.Name != EntityDataset || len(parts) != len(e.KeyFields) {
		return ""
	}
	return shorten(parts[e.nameField()])
}

// ShowsEdges reports whether values of an aspect give their edges properties for people.
func ShowsEdges(aspect string) bool { return aspect == AspectOwnership || aspect == AspectSiblings }

// edgeMarks returns the properties for people that a value gives its edges of one
// relationship, by their destinations: the types of an owner, and which sibling is the
// primary one. An owner that is listed several times has the types of all entries.
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

// Names of edge properties for people who read the graph.
const (
	ShownOwnerTypes = "types"
	ShownPrimary    = "primary"
)

// systemOwnerType is the beginning of the keys of built-in ownership types.
const systemOwnerType = "__system__"

// OwnerType returns the kind of an owner as a word. It is the kind in the URN of the
// ownership type, such as TECHNICAL_OWNER for
// urn:li:ownershipType:__system__technical_owner, or the stated kind if there is no such
// URN.
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

// ProfileNumbers returns the numbers in the profile of a whole dataset. It returns nil for
// the profile of a partition, and for one that cannot be decoded.
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
