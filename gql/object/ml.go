package object

import "context"

// mlNode is an entity whose key is a platform, a name and an environment.
type mlNode struct{ *Node }

// Platform is where it is.
func (m *mlNode) Platform() (*DataPlatform, error) { return m.namedPlatform("") }

// Name is its name in the platform.
func (m *mlNode) Name() string { return m.part(1) }

// Origin is its environment.
func (m *mlNode) Origin() FabricType { return FabricType(m.part(2)) }

// describedBy is the description of an aspect.
func (n *Node) describedBy(ctx context.Context, name string) (*string, error) {
	d, err := aspect[Described](ctx, n, name)
	if d == nil {
		return nil, err
	}
	return d.Description, err
}

// MLModel is a trained model.
type MLModel struct{ mlNode }

// MLModelProperties are what is known of a model.
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

// Properties are what is known of it.
func (m *MLModel) Properties(ctx context.Context) (*MLModelProperties, error) {
	return aspect[MLModelProperties](ctx, m.Node, "mlModelProperties")
}

// Description is the one of the properties.
func (m *MLModel) Description(ctx context.Context) (*string, error) {
	return m.describedBy(ctx, "mlModelProperties")
}

// EditableProperties are what people wrote in the catalog.
func (m *MLModel) EditableProperties(ctx context.Context) (*Described, error) {
	return aspect[Described](ctx, m.Node, "editableMlModelProperties")
}

// MLModelGroup are versions of a model.
type MLModelGroup struct{ mlNode }

// MLModelGroupProperties are what is known of a group.
type MLModelGroupProperties struct {
	Description *string     `json:"description"`
	CreatedAt   *int64      `json:"createdAt"`
	Version     *VersionTag `json:"version"`
	Custom
}

// Properties are what is known of it.
func (m *MLModelGroup) Properties(ctx context.Context) (*MLModelGroupProperties, error) {
	return aspect[MLModelGroupProperties](ctx, m.Node, "mlModelGroupProperties")
}

// Description is the one of the properties.
func (m *MLModelGroup) Description(ctx context.Context) (*string, error) {
	return m.describedBy(ctx, "mlModelGroupProperties")
}

// EditableProperties are what people wrote in the catalog.
func (m *MLModelGroup) EditableProperties(ctx context.Context) (*Described, error) {
	return aspect[Described](ctx, m.Node, "editableMlModelGroupProperties")
}

// MLFeatureProperties are what is known of a feature or of a primary key.
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
type MLFeature struct{ *Node }

// FeatureNamespace is where features of its kind are named.
func (f *MLFeature) FeatureNamespace() string { return f.part(0) }

// Name is its name there.
func (f *MLFeature) Name() string { return f.part(1) }

// Properties are what is known of it.
func (f *MLFeature) Properties(ctx context.Context) (*MLFeatureProperties, error) {
	return aspect[MLFeatureProperties](ctx, f.Node, "mlFeatureProperties")
}

// Description is the one of the properties.
func (f *MLFeature) Description(ctx context.Context) (*string, error) {
	return f.describedBy(ctx, "mlFeatureProperties")
}

// DataType is the one of the properties.
func (f *MLFeature) DataType(ctx context.Context) (*MLFeatureDataType, error) {
	p, err := f.Properties(ctx)
	if p == nil {
		return nil, err
	}
	return p.DataType, err
}

// EditableProperties are what people wrote in the catalog.
func (f *MLFeature) EditableProperties(ctx context.Context) (*Described, error) {
	return aspect[Described](ctx, f.Node, "editableMlFeatureProperties")
}

// MLFeatureTable are features kept together.
type MLFeatureTable struct{ mlNode }

// MLFeatureTableProperties are what is known of a feature table.
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

// Properties are what is known of it.
func (t *MLFeatureTable) Properties(ctx context.Context) (*MLFeatureTableProperties, error) {
	return aspect[MLFeatureTableProperties](ctx, t.Node, "mlFeatureTableProperties")
}

// Description is the one of the properties.
func (t *MLFeatureTable) Description(ctx context.Context) (*string, error) {
	return t.describedBy(ctx, "mlFeatureTableProperties")
}

// EditableProperties are what people wrote in the catalog.
func (t *MLFeatureTable) EditableProperties(ctx context.Context) (*Described, error) {
	return aspect[Described](ctx, t.Node, "editableMlFeatureTableProperties")
}

// MLPrimaryKey is the key of a feature table.
type MLPrimaryKey struct{ *Node }

// FeatureNamespace is where features of its kind are named.
func (k *MLPrimaryKey) FeatureNamespace() string { return k.part(0) }

// Name is its name there.
func (k *MLPrimaryKey) Name() string { return k.part(1) }

// Properties are what is known of it.
func (k *MLPrimaryKey) Properties(ctx context.Context) (*MLFeatureProperties, error) {
	return aspect[MLFeatureProperties](ctx, k.Node, "mlPrimaryKeyProperties")
}

// Description is the one of the properties.
func (k *MLPrimaryKey) Description(ctx context.Context) (*string, error) {
	return k.describedBy(ctx, "mlPrimaryKeyProperties")
}

// DataType is the one of the properties.
func (k *MLPrimaryKey) DataType(ctx context.Context) (*MLFeatureDataType, error) {
	p, err := k.Properties(ctx)
	if p == nil {
		return nil, err
	}
	return p.DataType, err
}

// EditableProperties are what people wrote in the catalog.
func (k *MLPrimaryKey) EditableProperties(ctx context.Context) (*Described, error) {
	return aspect[Described](ctx, k.Node, "editableMlPrimaryKeyProperties")
}
