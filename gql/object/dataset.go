package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// Dataset is a table, view, topic, file set or the like.
type Dataset struct{ *Node }

// VersionedDataset is a dataset with aspects of past versions.
type VersionedDataset struct{ *Node }

// Platform is the platform of the dataset.
func (d *Dataset) Platform() (*DataPlatform, error) { return d.namedPlatform("") }

// Platform is the platform of the dataset.
func (d *VersionedDataset) Platform() (*DataPlatform, error) { return d.namedPlatform("") }

// datasetName is the name of the entity in its platform.
func (n *Node) datasetName() string { return n.part(1) }

// Name is the name of the dataset in its platform.
func (d *Dataset) Name() string { return d.datasetName() }

// Name is the name of the dataset in its platform.
func (d *VersionedDataset) Name() string { return d.datasetName() }

// Origin is the environment of the dataset.
func (d *Dataset) Origin() FabricType { return FabricType(d.part(2)) }

// Origin is the environment of the dataset.
func (d *VersionedDataset) Origin() FabricType { return FabricType(d.part(2)) }

// timeStamp is the time of an action and, if known, its actor.
type timeStamp struct {
	Time  int64   `json:"time"`
	Actor *string `json:"actor"`
}

// DatasetProperties are the properties that the platform states for a dataset.
type DatasetProperties struct {
	Named         *string    `json:"name"`
	QualifiedName *string    `json:"qualifiedName"`
	Description   *string    `json:"description"`
	ExternalURL   *string    `json:"externalUrl"`
	URI           *string    `json:"uri"`
	CreatedAt     *timeStamp `json:"created"`
	ModifiedAt    *timeStamp `json:"lastModified"`
	Custom
	node *Node
}

func (p *DatasetProperties) complete(n *Node, _ *Batch) {
	p.node = n
	p.own(n.URN)
}

// Name is the stated name, or else the name in the URN.
func (p *DatasetProperties) Name() string {
	if p.Named != nil {
		return *p.Named
	}
	return p.node.datasetName()
}

// Origin is the environment of the dataset.
func (p *DatasetProperties) Origin() FabricType { return FabricType(p.node.part(2)) }

// Created is the time at which the dataset was created in its platform.
func (p *DatasetProperties) Created() *int64 { return p.CreatedAt.when() }

// CreatedActor is the actor who created the dataset.
func (p *DatasetProperties) CreatedActor() *string { return p.CreatedAt.who() }

// LastModified is the time of the last change of the dataset in its platform.
func (p *DatasetProperties) LastModified() *int64 { return p.ModifiedAt.when() }

// LastModifiedActor is the actor of the last change.
func (p *DatasetProperties) LastModifiedActor() *string { return p.ModifiedAt.who() }

func (t *timeStamp) when() *int64 {
	if t == nil {
		return nil
	}
	return &t.Time
}

func (t *timeStamp) who() *string {
	if t == nil {
		return nil
	}
	return t.Actor
}

func (n *Node) datasetProperties(ctx context.Context) (*DatasetProperties, error) {
	return aspect[DatasetProperties](ctx, n, model.AspectDatasetProperties)
}

// DatasetEditableProperties are the properties of a dataset that people wrote in the catalog.
type DatasetEditableProperties struct {
	Name        *string `json:"name"`
	Description *string `json:"description"`
}

func (n *Node) editableDatasetProperties(ctx context.Context) (*DatasetEditableProperties, error) {
	return aspect[DatasetEditableProperties](ctx, n, model.AspectEditableDatasetProperties)
}

// datasetDeprecation reads the newer aspect of the deprecation, or else the legacy aspect.
func (n *Node) datasetDeprecation(ctx context.Context) (*Deprecation, error) {
	d, err := n.Deprecation(ctx)
	if d != nil || err != nil {
		return d, err
	}
	return aspect[Deprecation](ctx, n, model.AspectDatasetDeprecation)
}

// Properties are the properties that the platform of the dataset states.
func (d *Dataset) Properties(ctx context.Context) (*DatasetProperties, error) {
	return d.datasetProperties(ctx)
}

// Properties are the properties that the platform of the dataset states.
func (d *VersionedDataset) Properties(ctx context.Context) (*DatasetProperties, error) {
	return d.datasetProperties(ctx)
}

// EditableProperties are the properties of the dataset that people wrote in the catalog.
func (d *Dataset) EditableProperties(ctx context.Context) (*DatasetEditableProperties, error) {
	return d.editableDatasetProperties(ctx)
}

// EditableProperties are the properties of the dataset that people wrote in the catalog.
func (d *VersionedDataset) EditableProperties(ctx context.Context) (*DatasetEditableProperties, error) {
	return d.editableDatasetProperties(ctx)
}

// Deprecation reads whether the dataset should no longer be used.
func (d *Dataset) Deprecation(ctx context.Context) (*Deprecation, error) {
	return d.datasetDeprecation(ctx)
}

// Deprecation reads whether the dataset should no longer be used.
func (d *VersionedDataset) Deprecation(ctx context.Context) (*Deprecation, error) {
	return d.datasetDeprecation(ctx)
}

// Description is the description in the properties of the dataset.
func (d *Dataset) Description(ctx context.Context) (*string, error) {
	p, err := d.Properties(ctx)
	if p == nil {
		return nil, err
	}
	return p.Description, err
}

// ExternalURL is the URL in the properties of the dataset.
func (d *Dataset) ExternalURL(ctx context.Context) (*string, error) {
	p, err := d.Properties(ctx)
	if p == nil {
		return nil, err
	}
	return p.ExternalURL, err
}

// URI is the URI in the properties of the dataset.
func (d *Dataset) URI(ctx context.Context) (*string, error) {
	p, err := d.Properties(ctx)
	if p == nil {
		return nil, err
	}
	return p.URI, err
}

// platformNativeTypes translates the first sub type to the deprecated enum.
var platformNativeTypes = map[string]PlatformNativeType{
	"Table": PlatformNativeTypeTable, "View": PlatformNativeTypeView, "Topic": PlatformNativeTypeStream,
	"Directory": PlatformNativeTypeDirectory, "Folder": PlatformNativeTypeDirectory, "Bucket": PlatformNativeTypeBucket,
}

// PlatformNativeType is the more precise kind of the dataset, in an old vocabulary.
func (d *Dataset) PlatformNativeType(ctx context.Context) (*PlatformNativeType, error) {
	types, err := d.SubTypes(ctx)
	if types == nil || len(types.TypeNames) == 0 {
		return nil, err
	}
	if t, ok := platformNativeTypes[types.TypeNames[0]]; ok {
		return &t, nil
	}
	return nil, nil
}

// ViewProperties are the properties of a view, with its statement.
type ViewProperties struct {
	Materialized bool   `json:"materialized"`
	Logic        string `json:"viewLogic"`
	Language     string `json:"viewLanguage"`
}

// ViewProperties reads the properties of a view, with its statement.
func (n *Node) ViewProperties(ctx context.Context) (*ViewProperties, error) {
	return aspect[ViewProperties](ctx, n, model.AspectViewProperties)
}
