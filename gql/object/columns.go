package object

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// SchemaMetadata contains the columns of a dataset as its platform states them.
type SchemaMetadata struct {
	AspectVersion  *int64                     `json:"-"`
	DatasetURN     *string                    `json:"dataset"`
	Name           string                     `json:"schemaName"`
	PlatformURN    string                     `json:"platform"`
	Version        int64                      `json:"version"`
	Cluster        *string                    `json:"cluster"`
	Hash           string                     `json:"hash"`
	StoredSchema   map[string]json.RawMessage `json:"platformSchema"`
	PlatformSchema PlatformSchema             `json:"-"`
	Fields         []*SchemaField             `json:"fields"`
	PrimaryKeys    []string                   `json:"primaryKeys"`
	ForeignKeys    []*ForeignKeyConstraint    `json:"foreignKeys"`
	Created        *AuditStamp                `json:"created"`
	LastObserved   *int64                     `json:"-"`
}

// IsAspect marks a versioned part of an entity's metadata.
func (m *SchemaMetadata) IsAspect() {}

// CreatedAt is the time at which the schema was created in its platform.
func (m *SchemaMetadata) CreatedAt() *int64 {
	if m.Created == nil || m.Created.Time == 0 {
		return nil
	}
	return &m.Created.Time
}

func (m *SchemaMetadata) complete(n *Node, below *Batch) {
	m.PlatformSchema = platformSchemaOf(m.StoredSchema)
	for _, f := range m.Fields {
		f.complete(n, below)
		f.of = n
		below.columns.add(f)
	}
	for _, k := range m.ForeignKeys {
		k.complete(n, below)
	}
	if m.DatasetURN == nil {
		m.DatasetURN = &n.URN
	}
	if stored, ok := n.stored(model.AspectSchemaMetadata); ok {
		m.AspectVersion = &stored.Version
		if stored.System != nil {
			m.LastObserved = &stored.System.LastObserved
		}
	}
}

// platformSchemaOf reads the schema in the platform's own language from a union.
func platformSchemaOf(union map[string]json.RawMessage) PlatformSchema {
	for record, text := range union {
		var s struct {
			DocumentSchema, TableSchema, RawSchema, Schema, KeySchema, ValueSchema string
		}
		if json.Unmarshal(text, &s) != nil {
			return nil
		}
		if strings.HasSuffix(record, ".KeyValueSchema") {
			return &KeyValueSchema{KeySchema: s.KeySchema, ValueSchema: s.ValueSchema}
		}
		for _, schema := range []string{s.TableSchema, s.RawSchema, s.Schema, s.DocumentSchema} {
			if schema != "" {
				return &TableSchema{Schema: schema}
			}
		}
		return &TableSchema{}
	}
	return nil
}

// SchemaField is a column.
type SchemaField struct {
	FieldPath      string         `json:"fieldPath"`
	JSONPath       *string        `json:"jsonPath"`
	Label          *string        `json:"label"`
	Nullable       bool           `json:"nullable"`
	Description    *string        `json:"description"`
	StoredType     storedType     `json:"type"`
	NativeDataType *string        `json:"nativeDataType"`
	Recursive      bool           `json:"recursive"`
	Tags           *GlobalTags    `json:"globalTags"`
	GlossaryTerms  *GlossaryTerms `json:"glossaryTerms"`
	IsPartOfKey    *bool          `json:"isPartOfKey"`
	// IsPartitioningKey: the data is divided by the values of the column.
	IsPartitioningKey *bool `json:"isPartitioningKey"`
	// columns are the columns that an answer names at one place, with this column among them.
	// of is the entity that has the column. stated is the URN of the column, if an aspect
	// states a URN.
	columns *columnEntities
	of      *Node
	stated  string
	entity  *SchemaFieldEntity
}

type storedType struct {
	Type map[string]json.RawMessage `json:"type"`
}

func (f *SchemaField) complete(n *Node, below *Batch) {
	f.Tags.resolve(n, below)
	f.GlossaryTerms.resolve(n, below)
}

// GlobalTags is another name of Tags.
func (f *SchemaField) GlobalTags() *GlobalTags { return f.Tags }

// fieldTypes are the types whose stored names differ from the names in the schema, by their
// stored names.
var fieldTypes = map[string]SchemaFieldDataType{"RECORD": SchemaFieldDataTypeStruct}

// Type is the kind of value that the column holds.
func (f *SchemaField) Type() SchemaFieldDataType { return f.StoredType.kind() }

func (t *storedType) kind() SchemaFieldDataType {
	for record := range t.Type {
		name := strings.ToUpper(strings.TrimSuffix(record[strings.LastIndexByte(record, '.')+1:], "Type"))
		if t, ok := fieldTypes[name]; ok {
			return t
		}
		if t := SchemaFieldDataType(name); t.IsValid() {
			return t
		}
	}
	return SchemaFieldDataTypeNull
}

// ForeignKeyConstraint says that columns refer to rows of another dataset.
type ForeignKeyConstraint struct {
	Name           *string              `json:"name"`
	ForeignURNs    []string             `json:"foreignFields"`
	SourceURNs     []string             `json:"sourceFields"`
	DatasetURN     string               `json:"foreignDataset"`
	ForeignFields  []*SchemaFieldEntity `json:"-"`
	SourceFields   []*SchemaFieldEntity `json:"-"`
	ForeignDataset *Dataset             `json:"-"`
}

func (k *ForeignKeyConstraint) complete(_ *Node, below *Batch) {
	k.ForeignFields = entitiesAs[*SchemaFieldEntity](below, k.ForeignURNs)
	k.SourceFields = entitiesAs[*SchemaFieldEntity](below, k.SourceURNs)
	k.ForeignDataset = entityAs[*Dataset](below, k.DatasetURN)
}

// SchemaMetadata reads the columns of the entity. If version is given, it reads the columns of
// this past version.
func (n *Node) SchemaMetadata(ctx context.Context, version *int64) (*SchemaMetadata, error) {
	if version == nil || *version == 0 {
		return aspect[SchemaMetadata](ctx, n, model.AspectSchemaMetadata)
	}
	stored, err := n.batch.session.Catalog.Aspect(ctx, n.key, model.AspectSchemaMetadata, *version)
	if catalog.CodeOf(err) == catalog.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := &SchemaMetadata{}
	if err := decodeInto(n, model.AspectSchemaMetadata, stored.Value, m); err != nil {
		return nil, catalog.Errorf(catalog.Internal, "schemaMetadata of %s: %w", n.URN, err)
	}
	m.complete(n, n.batch.session.NewBatch())
	m.AspectVersion, m.LastObserved = &stored.Version, nil
	return m, nil
}

// Schema is the deprecated form of the columns.
func (n *Node) Schema(ctx context.Context) (*SchemaMetadata, error) {
	return n.SchemaMetadata(ctx, nil)
}

// EditableSchemaMetadata has the descriptions, tags and terms that people gave to columns in
// the catalog.
type EditableSchemaMetadata struct {
	EditableSchemaFieldInfo []*EditableSchemaFieldInfo `json:"editableSchemaFieldInfo"`
}

// EditableSchemaFieldInfo has the description, tags and terms that people gave to one column.
type EditableSchemaFieldInfo struct {
	FieldPath     string         `json:"fieldPath"`
	Description   *string        `json:"description"`
	Tags          *GlobalTags    `json:"globalTags"`
	GlossaryTerms *GlossaryTerms `json:"glossaryTerms"`
}

// GlobalTags is another name of Tags.
func (f *EditableSchemaFieldInfo) GlobalTags() *GlobalTags { return f.Tags }

func (m *EditableSchemaMetadata) complete(n *Node, below *Batch) {
	for _, f := range m.EditableSchemaFieldInfo {
		f.Tags.resolve(n, below)
		f.GlossaryTerms.resolve(n, below)
	}
}

// EditableSchemaMetadata reads the descriptions, tags and terms that people gave to columns.
func (n *Node) EditableSchemaMetadata(ctx context.Context) (*EditableSchemaMetadata, error) {
	return aspect[EditableSchemaMetadata](ctx, n, model.AspectEditableSchemaMetadata)
}

// SchemaFieldEntity is a column as an entity of its own.
type SchemaFieldEntity struct{ *Node }

// FieldPath is the path of the column in its parent.
func (f *SchemaFieldEntity) FieldPath() string { return f.part(1) }

// Parent is the entity that has the column.
func (f *SchemaFieldEntity) Parent() (Entity, error) {
	return related[Entity](f.Node, "parent", func(n *Node) string { return n.part(0) })
}

// storedLineage is the part of an aspect with column-level lineage.
type storedLineage struct {
	FineGrained []struct {
		Upstreams   []string `json:"upstreams"`
		Downstreams []string `json:"downstreams"`
	} `json:"fineGrainedLineages"`
}

func (s *storedLineage) list() []*FineGrainedLineage {
	lineages := make([]*FineGrainedLineage, len(s.FineGrained))
	for i, l := range s.FineGrained {
		lineages[i] = &FineGrainedLineage{Upstreams: fieldRefs(l.Upstreams), Downstreams: fieldRefs(l.Downstreams)}
	}
	return lineages
}

// fieldRefs splits the URNs of columns into dataset and path.
func fieldRefs(urns []string) []*SchemaFieldRef {
	refs := make([]*SchemaFieldRef, 0, len(urns))
	for _, text := range urns {
		u, err := model.ParseURN(text)
		switch {
		case err == nil && u.EntityType() == model.EntitySchemaField && len(u.Parts()) == 2:
			refs = append(refs, &SchemaFieldRef{Urn: u.Parts()[0], Path: u.Parts()[1]})
		case err == nil:
			refs = append(refs, &SchemaFieldRef{Urn: u.String()})
		}
	}
	return refs
}

// FineGrainedLineages reads from which columns each column of the dataset derives.
func (d *Dataset) FineGrainedLineages(ctx context.Context) ([]*FineGrainedLineage, error) {
	stored, err := aspect[storedLineage](ctx, d.Node, model.AspectUpstreamLineage)
	if stored == nil {
		return nil, err
	}
	return stored.list(), nil
}

// InputFields are the columns that a chart or dashboard shows.
type InputFields struct {
	Fields []*InputField `json:"fields"`
}

// InputField is a column that a chart or dashboard shows.
type InputField struct {
	SchemaFieldURN *string      `json:"schemaFieldUrn"`
	SchemaField    *SchemaField `json:"schemaField"`
}

func (f *InputFields) complete(n *Node, below *Batch) {
	for _, field := range f.Fields {
		if field.SchemaField != nil {
			field.SchemaField.complete(n, below)
			if field.SchemaField.stated = optional.Or(field.SchemaFieldURN, ""); field.SchemaField.stated != "" {
				below.columns.add(field.SchemaField)
			}
		}
	}
}

// InputFields reads the columns that the entity shows.
func (n *Node) InputFields(ctx context.Context) (*InputFields, error) {
	return aspect[InputFields](ctx, n, model.AspectInputFields)
}
