package object

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// StructuredProperties are the values that an entity has for the properties defined in the
// catalog.
type StructuredProperties struct {
	Properties []*StructuredPropertiesEntry `json:"properties"`
}

// StructuredPropertiesEntry are the values of one property.
type StructuredPropertiesEntry struct {
	PropertyURN        string                    `json:"propertyUrn"`
	Stored             []storedValue             `json:"values"`
	StructuredProperty *StructuredPropertyEntity `json:"-"`
	ValueEntities      []Entity                  `json:"-"`
}

// storedValue is a value in its stored form, a union.
type storedValue struct {
	Text   *string  `json:"string"`
	Number *float64 `json:"double"`
}

func (v *storedValue) value() PropertyValue {
	if v.Number != nil {
		return &NumberValue{NumberValue: *v.Number}
	}
	return &StringValue{StringValue: optional.Or(v.Text, "")}
}

// Values are the values in the form of the schema.
func (e *StructuredPropertiesEntry) Values() []PropertyValue {
	values := make([]PropertyValue, len(e.Stored))
	for i := range e.Stored {
		values[i] = e.Stored[i].value()
	}
	return values
}

func (p *StructuredProperties) complete(_ *Node, below *Batch) {
	kept := p.Properties[:0]
	for _, e := range p.Properties {
		if e.StructuredProperty = entityAs[*StructuredPropertyEntity](below, e.PropertyURN); e.StructuredProperty == nil {
			continue
		}
		e.ValueEntities = []Entity{}
		for _, v := range e.Stored {
			if entity := below.Entity(optional.Or(v.Text, "")); entity != nil {
				e.ValueEntities = append(e.ValueEntities, entity)
			}
		}
		kept = append(kept, e)
	}
	p.Properties = kept
}

// StructuredProperties reads the entity's structured properties.
func (n *Node) StructuredProperties(ctx context.Context) (*StructuredProperties, error) {
	return aspect[StructuredProperties](ctx, n, model.AspectStructuredProperties)
}

// StructuredProperties reads the structured properties of an entity of any type.
func (s *Session) StructuredProperties(ctx context.Context, urn model.URN) (*StructuredProperties, error) {
	batch := s.NewBatch()
	batch.entity(urn)
	return batch.nodes[0].StructuredProperties(ctx)
}

// StructuredPropertyEntity is a property that is defined in the catalog.
type StructuredPropertyEntity struct{ *Node }

// StructuredPropertyDefinition says which values a property may have, and which entities may
// have the property.
type StructuredPropertyDefinition struct {
	QualifiedName  string               `json:"qualifiedName"`
	DisplayName    *string              `json:"displayName"`
	Description    *string              `json:"description"`
	Cardinality    *PropertyCardinality `json:"cardinality"`
	AllowedValues  []*AllowedValue      `json:"allowedValues"`
	ValueTypeURN   string               `json:"valueType"`
	Qualifier      map[string][]string  `json:"typeQualifier"`
	EntityTypeURNs []string             `json:"entityTypes"`
	PlatformURNs   []string             `json:"allowedPlatforms"`
	Immutable      bool                 `json:"immutable"`
	Created        *ResolvedAuditStamp  `json:"created"`
	LastModified   *ResolvedAuditStamp  `json:"lastModified"`
	ValueType      *DataTypeEntity      `json:"-"`
	TypeQualifier  *TypeQualifier       `json:"-"`
	EntityTypes    []*EntityTypeEntity  `json:"-"`
	// AllowedPlatforms are the platforms of allowed entities, nil if all platforms are allowed.
	AllowedPlatforms []*DataPlatform `json:"-"`
}

// allowedTypes is the member of a type qualifier with the types of entities whose
// URNs may be values.
const allowedTypes = "allowedTypes"

func (d *StructuredPropertyDefinition) complete(_ *Node, below *Batch) {
	d.ValueType = entityAs[*DataTypeEntity](below, d.ValueTypeURN)
	d.EntityTypes = entitiesAs[*EntityTypeEntity](below, d.EntityTypeURNs)
	if len(d.PlatformURNs) > 0 {
		d.AllowedPlatforms = entitiesAs[*DataPlatform](below, d.PlatformURNs)
	}
	if len(d.Qualifier[allowedTypes]) > 0 {
		d.TypeQualifier = &TypeQualifier{AllowedTypes: entitiesAs[*EntityTypeEntity](below, d.Qualifier[allowedTypes])}
	}
	d.Created.complete(below)
	d.LastModified.complete(below)
}

// AllowedValue is a value that a property may have.
type AllowedValue struct {
	Stored      storedValue `json:"value"`
	Description *string     `json:"description"`
}

// Value is the value in the form of the schema.
func (v *AllowedValue) Value() PropertyValue { return v.Stored.value() }

// Definition says which values the property may have; nil if the property is not defined.
func (p *StructuredPropertyEntity) Definition(ctx context.Context) (*StructuredPropertyDefinition, error) {
	return aspect[StructuredPropertyDefinition](ctx, p.Node, model.AspectPropertyDefinition)
}

// Settings say where pages show the property.
func (p *StructuredPropertyEntity) Settings(ctx context.Context) (*StructuredPropertySettings, error) {
	return aspect[StructuredPropertySettings](ctx, p.Node, model.AspectStructuredPropertySettings)
}

// DataTypeEntity is a type of values.
type DataTypeEntity struct{ *Node }

// Info is the name of the type.
func (t *DataTypeEntity) Info(ctx context.Context) (*DataTypeInfo, error) {
	stored, err := aspect[DataTypeInfo](ctx, t.Node, model.AspectDataTypeInfo)
	if stored == nil {
		return &DataTypeInfo{QualifiedName: t.part(0)}, err
	}
	return stored, nil
}

// EntityTypeEntity is the entity that describes an entity type.
type EntityTypeEntity struct{ *Node }

// EntityTypeInfo has the name of an entity type.
type EntityTypeInfo struct {
	Type          EntityType `json:"-"`
	QualifiedName string     `json:"qualifiedName"`
	DisplayName   *string    `json:"displayName"`
	Description   *string    `json:"description"`
}

func (i *EntityTypeInfo) complete(n *Node, _ *Batch) {
	id := n.part(0)
	i.Type = EntityTypeOther
	if t, ok := TypeOf(id[strings.LastIndexByte(id, '.')+1:]); ok {
		i.Type = t
	}
}

// Info is the name of the type, and the entity type that it stands for.
func (t *EntityTypeEntity) Info(ctx context.Context) (*EntityTypeInfo, error) {
	stored, err := aspect[EntityTypeInfo](ctx, t.Node, model.AspectEntityTypeInfo)
	if stored == nil {
		stored = &EntityTypeInfo{QualifiedName: t.part(0)}
		stored.complete(t.Node, nil)
	}
	return stored, err
}

// ResolvedAuditStamp is the time of an action, in epoch milliseconds, and its actor.
type ResolvedAuditStamp struct {
	Time     int64     `json:"time"`
	ActorURN string    `json:"actor"`
	Actor    *CorpUser `json:"-"`
}

func (s *ResolvedAuditStamp) complete(below *Batch) {
	if s != nil {
		s.Actor = entityAs[*CorpUser](below, s.ActorURN)
	}
}
