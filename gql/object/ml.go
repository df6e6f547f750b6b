package object

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// mlNode has the fields that all entities of machine learning share.
type mlNode struct{ *Node }

// propertiesAspect and editableAspect name the aspects with the ingested properties and with
// the properties that people wrote. The names depend on the type of the entity.
func (m *mlNode) propertiesAspect() string { return m.entityType() + "Properties" }

func (m *mlNode) editableAspect() string {
	return "editable" + strings.ToUpper(m.entityType()[:1]) + m.entityType()[1:] + "Properties"
}

// Name is the name of the entity in its platform or namespace.
func (m *mlNode) Name() string { return m.part(1) }

// Description is the description in the properties of the entity.
func (m *mlNode) Description(ctx context.Context) (*string, error) {
	d, err := aspect[Described](ctx, m.Node, m.propertiesAspect())
	if d == nil {
		return nil, err
	}
	return d.Description, err
}

// EditableProperties are the properties of the entity that people wrote in the catalog.
func (m *mlNode) EditableProperties(ctx context.Context) (*Described, error) {
	return aspect[Described](ctx, m.Node, m.editableAspect())
}

// mlAsset is an mlNode whose key is a platform, a name and usually an
// environment.
type mlAsset struct{ mlNode }

// Platform is the platform of the asset.
func (m *mlAsset) Platform() (*DataPlatform, error) { return m.namedPlatform("") }

// Origin is the environment of the asset.
func (m *mlAsset) Origin() FabricType { return FabricType(m.part(2)) }

// mlColumn is an mlNode whose key is a namespace and a name.
type mlColumn struct{ mlNode }

// FeatureNamespace is the namespace in the name of the feature.
func (m *mlColumn) FeatureNamespace() string { return m.part(0) }

// Properties are the known properties of the feature.
func (m *mlColumn) Properties(ctx context.Context) (*MLFeatureProperties, error) {
	return aspect[MLFeatureProperties](ctx, m.Node, m.propertiesAspect())
}

// DataType is the data type in the properties of the feature.
func (m *mlColumn) DataType(ctx context.Context) (*MLFeatureDataType, error) {
	p, err := m.Properties(ctx)
	if p == nil {
		return nil, err
	}
	return p.DataType, err
}

// MLModel is a trained model.
type MLModel struct{ mlAsset }

// MLModelProperties are the known properties of a model.
type MLModelProperties struct {
	Description     *string         `json:"description"`
	Date            *int64          `json:"date"`
	StoredVersion   *VersionTag     `json:"version"`
	Type            *string         `json:"type"`
	HyperParams     []*MLHyperParam `json:"hyperParams"`
	TrainingMetrics []*MLMetric     `json:"trainingMetrics"`
	MlFeatures      []string        `json:"mlFeatures"`
	Tags            []string        `json:"tags"`
	GroupURNs       []string        `json:"groups"`
	Groups          []*MLModelGroup `json:"-"`
	ExternalURL     *string         `json:"externalUrl"`
	Custom
}

// Version is the tag of the version.
func (p *MLModelProperties) Version() *string {
	if p.StoredVersion == nil {
		return nil
	}
	return p.StoredVersion.VersionTag
}

func (p *MLModelProperties) complete(n *Node, below *Batch) {
	p.own(n.URN)
	p.Groups = entitiesAs[*MLModelGroup](below, p.GroupURNs)
}

// Properties are the known properties of the model.
func (m *MLModel) Properties(ctx context.Context) (*MLModelProperties, error) {
	return aspect[MLModelProperties](ctx, m.Node, model.AspectMlModelProperties)
}

// MLModelGroup groups versions of a model.
type MLModelGroup struct{ mlAsset }

// MLModelGroupProperties are the known properties of a group.
type MLModelGroupProperties struct {
	Description *string     `json:"description"`
	CreatedAt   *int64      `json:"createdAt"`
	Version     *VersionTag `json:"version"`
	Custom
}

// Properties are the known properties of the group.
func (m *MLModelGroup) Properties(ctx context.Context) (*MLModelGroupProperties, error) {
	return aspect[MLModelGroupProperties](ctx, m.Node, model.AspectMlModelGroupProperties)
}

// MLFeatureProperties are the known properties of a feature or of a primary key.
type MLFeatureProperties struct {
	Description *string            `json:"description"`
	DataType    *MLFeatureDataType `json:"dataType"`
	Version     *VersionTag        `json:"version"`
	SourceURNs  []string           `json:"sources"`
	Sources     []*Dataset         `json:"-"`
	Custom
}

func (p *MLFeatureProperties) complete(n *Node, below *Batch) {
	p.own(n.URN)
	p.Sources = entitiesAs[*Dataset](below, p.SourceURNs)
}

// MLFeature is a feature that models are trained on.
type MLFeature struct{ mlColumn }

// FeatureProperties is the deprecated form of the properties.
func (f *MLFeature) FeatureProperties(ctx context.Context) (*MLFeatureProperties, error) {
	return f.Properties(ctx)
}

// MLFeatureTable groups features.
type MLFeatureTable struct{ mlAsset }

// MLFeatureTableProperties are the known properties of a feature table.
type MLFeatureTableProperties struct {
	Description   *string         `json:"description"`
	FeatureURNs   []string        `json:"mlFeatures"`
	KeyURNs       []string        `json:"mlPrimaryKeys"`
	MlFeatures    []*MLFeature    `json:"-"`
	MlPrimaryKeys []*MLPrimaryKey `json:"-"`
	Custom
}

func (p *MLFeatureTableProperties) complete(n *Node, below *Batch) {
	p.own(n.URN)
	p.MlFeatures = entitiesAs[*MLFeature](below, p.FeatureURNs)
	p.MlPrimaryKeys = entitiesAs[*MLPrimaryKey](below, p.KeyURNs)
}

// Properties are the known properties of the feature table.
func (t *MLFeatureTable) Properties(ctx context.Context) (*MLFeatureTableProperties, error) {
	return aspect[MLFeatureTableProperties](ctx, t.Node, model.AspectMlFeatureTableProperties)
}

// FeatureTableProperties is the deprecated form of the properties.
func (t *MLFeatureTable) FeatureTableProperties(ctx context.Context) (*MLFeatureTableProperties, error) {
	return t.Properties(ctx)
}

// MLPrimaryKey is the key of a feature table.
type MLPrimaryKey struct{ mlColumn }

// PrimaryKeyProperties is the deprecated form of the properties.
func (k *MLPrimaryKey) PrimaryKeyProperties(ctx context.Context) (*MLFeatureProperties, error) {
	return k.Properties(ctx)
}
