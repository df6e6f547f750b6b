package change

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// FileAspects are the aspects of which a catalog in a file is made.
var FileAspects = []string{
	model.AspectSchemaMetadata, model.AspectEditableSchemaMetadata, model.AspectUpstreamLineage, model.AspectDataJobInputOutput, model.AspectChartInfo, model.AspectDashboardInfo,
	model.AspectInputFields, model.AspectOwnership, model.AspectDomains, model.AspectAssertionInfo, model.AspectDataContractProperties, model.AspectDatasetProperties,
	model.AspectDataJobInfo, model.AspectCorpUserInfo, model.AspectCorpGroupInfo, model.AspectMlModelProperties, model.AspectMlFeatureProperties, model.AspectStatus,
	model.AspectForms, model.AspectStructuredProperties,
}

// FileBuilder makes a catalog in a file from aspects.
type FileBuilder struct {
	file   CatalogFile
	edges  map[FileEdge]bool
	people map[string]Owner
}

// NewFileBuilder returns a builder without entities.
func NewFileBuilder() *FileBuilder {
	return &FileBuilder{file: CatalogFile{Version: FileVersion, Entities: []FileEntity{}, Edges: []FileEdge{}}, edges: map[FileEdge]bool{}, people: map[string]Owner{}}
}

// facts are the members of aspects that the file keeps.
type facts struct {
	Name, Title, DisplayName, FullName, Email string
	Removed                                   bool
	Owners                                    []struct{ Owner string }
	Domains                                   []string
	Incomplete                                []FormState `json:"incompleteForms"`
	Complete                                  []FormState `json:"completedForms"`
	Properties                                []struct{ PropertyURN string }
	Fields                                    []field
	Editable                                  []field `json:"editableSchemaFieldInfo"`
}

type field struct {
	Path     string `json:"fieldPath"`
	Type     string `json:"nativeDataType"`
	Nullable *bool
	Props    string                                 `json:"jsonProps"`
	Tags     struct{ Tags []struct{ Tag string } }  `json:"globalTags"`
	Terms    struct{ Terms []struct{ URN string } } `json:"glossaryTerms"`
}

// FormState is how far a form of an entity is filled in.
type FormState struct {
	URN        string
	Incomplete []PromptState `json:"incompletePrompts"`
	Complete   []PromptState `json:"completedPrompts"`
}

// PromptState is how far a question of a form is answered, and for which columns.
type PromptState struct {
	Fields struct {
		Complete   []struct{ FieldPath string } `json:"completedFieldPrompts"`
		Incomplete []struct{ FieldPath string } `json:"incompleteFieldPrompts"`
	} `json:"fieldAssociations"`
}

// Asks reports whether a question of the form is about a column, by its path without types.
func (f *FormState) Asks(column string) bool {
	for _, p := range slices.Concat(f.Incomplete, f.Complete) {
		for _, of := range slices.Concat(p.Fields.Complete, p.Fields.Incomplete) {
			if strings.EqualFold(model.PlainPath(of.FieldPath), column) {
				return true
			}
		}
	}
	return false
}

func (f *field) labels() []string {
	var all []string
	for _, t := range f.Tags.Tags {
		all = append(all, t.Tag)
	}
	for _, t := range f.Terms.Terms {
		all = append(all, t.URN)
	}
	return all
}

// ColumnsOf returns the columns that schemas tell: the schema of the source, and the additions by people. Either may be
// nil. Fields inside columns, and the fields of message keys, are left out.
func ColumnsOf(schema, edited json.RawMessage) []Column {
	return slices.DeleteFunc(FieldsOf(schema, edited), func(c Column) bool {
		return strings.Contains(c.Name, ".") || strings.Contains(c.Path, keyStep)
	})
}

// FieldsOf returns the columns that schemas tell, with the fields inside columns.
func FieldsOf(schema, edited json.RawMessage) []Column {
	var s, more facts
	_ = json.Unmarshal(schema, &s) // another value has no columns
	_ = json.Unmarshal(edited, &more)
	labels := map[string][]string{}
	for k := range more.Editable {
		path := model.PlainPath(more.Editable[k].Path)
		labels[path] = append(labels[path], more.Editable[k].labels()...)
	}
	var values, keys columnList
	for i := range s.Fields {
		f := &s.Fields[i]
		props := propsOf(f.Props)
		c := Column{Path: f.Path, Type: typeAt(f.Path, f.Type, props.LogicalType), Labels: append(f.labels(), labels[model.PlainPath(f.Path)]...)}
		c.NotNull = f.Nullable != nil && !*f.Nullable && (props.Required == nil || *props.Required)
		if strings.Contains(f.Path, keyStep) {
			keys.put(c, nil)
		} else {
			values.put(c, nil)
		}
	}
	return slices.Concat(values.list, keys.list)
}

// Add adds an entity with its aspects. Aspects that cannot be read state nothing.
func (b *FileBuilder) Add(registry *model.Registry, urn string, aspects map[string]json.RawMessage) {
	owner, err := registry.ReadURN(urn)
	if err != nil {
		return
	}
	var f facts
	for _, name := range FileAspects {
		if name != model.AspectSchemaMetadata {
			_ = json.Unmarshal(aspects[name], &f) // a member of another type is left out
		}
	}
	e := FileEntity{URN: urn, Type: owner.EntityType(), Name: cmp.Or(f.Name, f.Title, f.DisplayName, f.FullName), Domains: f.Domains, Platform: platformOf(owner)}
	if e.Name == "" {
		e.Name = lastName(owner)
	}
	if e.Type == model.EntityCorpuser || e.Type == model.EntityCorpGroup {
		b.people[urn] = Owner{URN: urn, Name: cmp.Or(f.DisplayName, f.FullName), Email: f.Email}
		return
	}
	if f.Removed {
		return
	}
	for _, o := range f.Owners {
		e.Owners = append(e.Owners, Owner{URN: o.Owner})
	}
	for _, c := range ColumnsOf(aspects[model.AspectSchemaMetadata], aspects[model.AspectEditableSchemaMetadata]) {
		e.Columns = append(e.Columns, FileColumn{Name: c.Name, Type: c.Type, NotNull: c.NotNull, Labels: c.Labels})
	}
	if fields := FieldsOf(aspects[model.AspectSchemaMetadata], aspects[model.AspectEditableSchemaMetadata]); len(fields) > len(e.Columns) {
		for _, c := range fields {
			e.Fields = append(e.Fields, FileColumn{c.Name, c.Path, c.Type, c.NotNull, c.Labels})
		}
	}
	for _, form := range slices.Concat(f.Incomplete, f.Complete) {
		e.Forms = append(e.Forms, form.URN)
	}
	for _, p := range f.Properties {
		e.Properties = append(e.Properties, p.PropertyURN)
	}
	b.file.Entities = append(b.file.Entities, e)
	for _, name := range FileAspects {
		if value := aspects[name]; value != nil {
			b.state(registry, owner, name, value)
		}
	}
}

func platformOf(urn model.URN) string {
	parts := urn.Parts()
	if len(parts) < 2 {
		return ""
	}
	return strings.TrimPrefix(parts[0], "urn:li:dataPlatform:")
}

func lastName(urn model.URN) string {
	parts := urn.Parts()
	if urn.EntityType() == model.EntityDataset && len(parts) == 3 {
		return parts[1]
	}
	return parts[len(parts)-1]
}

// state adds the edges that an aspect states.
func (b *FileBuilder) state(registry *model.Registry, owner model.URN, name string, text json.RawMessage) {
	if name == model.AspectAssertionInfo {
		b.about(owner.String(), text)
	}
	for _, dialect := range registry.Dialects() {
		value, err := registry.Parse(dialect, name, text)
		if err != nil {
			continue
		}
		for _, e := range registry.Edges(owner, value) {
			b.edge(registry, &e)
		}
		return
	}
}

func (b *FileBuilder) edge(registry *model.Registry, e *model.Edge) {
	fromColumn, toColumn := e.DestinationType == model.EntitySchemaField, e.SourceType == model.EntitySchemaField
	lineage, upstream := registry.IsLineage(e.Relationship, e.SourceType, e.DestinationType)
	switch {
	case fromColumn && toColumn && e.Relationship == model.RelationshipDownstreamOf:
		b.put(e.Destination, e.Source, EdgeValue)
	case fromColumn && toColumn && e.Relationship == model.RelationshipIndirectlyDownstreamOf:
		b.put(e.Destination, e.Source, EdgeRead)
	case e.Relationship == model.RelationshipAsserts, e.Relationship == model.RelationshipContractFor:
		b.put(e.Destination, e.Source, EdgeAbout)
	case lineage && upstream:
		b.put(e.Destination, e.Source, EdgeEntity)
	case lineage:
		b.put(e.Source, e.Destination, EdgeEntity)
	}
}

// put adds an edge between entities or columns.
func (b *FileBuilder) put(from, to, kind string) {
	e := FileEdge{Kind: kind}
	e.From, e.FromColumn = columnOf(from)
	e.To, e.ToColumn = columnOf(to)
	if e.From != e.To && !b.edges[e] {
		b.edges[e] = true
		b.file.Edges = append(b.file.Edges, e)
	}
}

// columnOf returns the entity and the path of the URN of a column; of another URN, the URN.
func columnOf(urn string) (entity, path string) {
	u := model.StoredURN(urn)
	if u.IsZero() || u.EntityType() != model.EntitySchemaField {
		return urn, ""
	}
	parts := u.Parts()
	return parts[0], model.PlainPath(parts[1])
}

// about adds the columns that an assertion names.
func (b *FileBuilder) about(assertion string, text json.RawMessage) {
	var tree any
	if json.Unmarshal(text, &tree) != nil {
		return
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if strings.HasPrefix(v, "urn:li:"+model.EntitySchemaField+":(") {
				b.put(v, assertion, EdgeAbout)
			}
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			for _, one := range v {
				walk(one)
			}
		}
	}
	walk(tree)
}

// File returns the catalog, with the names of owners, in the order of the URNs.
func (b *FileBuilder) File() *CatalogFile {
	f := b.file
	slices.SortFunc(f.Entities, func(x, y FileEntity) int { return strings.Compare(x.URN, y.URN) })
	slices.SortFunc(f.Edges, func(x, y FileEdge) int {
		return cmp.Or(strings.Compare(x.From, y.From), strings.Compare(x.FromColumn, y.FromColumn), strings.Compare(x.To, y.To), strings.Compare(x.ToColumn, y.ToColumn), strings.Compare(x.Kind, y.Kind))
	})
	for i := range f.Entities {
		for k := range f.Entities[i].Owners {
			if known, ok := b.people[f.Entities[i].Owners[k].URN]; ok {
				f.Entities[i].Owners[k] = known
			}
		}
	}
	return &f
}
