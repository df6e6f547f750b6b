package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// DataPlatform is a system that holds or processes data.
type DataPlatform struct{ *Node }

// DataPlatformProperties are the known properties of a platform.
type DataPlatformProperties struct {
	Name                 string       `json:"name"`
	Type                 PlatformType `json:"type"`
	DisplayName          *string      `json:"displayName"`
	DatasetNameDelimiter string       `json:"datasetNameDelimiter"`
	LogoURL              *string      `json:"logoUrl"`
}

// Properties are the known properties of the platform.
func (p *DataPlatform) Properties(ctx context.Context) (*DataPlatformProperties, error) {
	return aspect[DataPlatformProperties](ctx, p.Node, model.AspectDataPlatformInfo)
}

// Info is the deprecated form of the properties.
func (p *DataPlatform) Info(ctx context.Context) (*DataPlatformProperties, error) {
	return p.Properties(ctx)
}

// Name is the last part of the URN.
func (p *DataPlatform) Name() string { return p.part(0) }

// DisplayName is the display name in the properties of the platform.
func (p *DataPlatform) DisplayName(ctx context.Context) (*string, error) {
	properties, err := p.Properties(ctx)
	if properties == nil {
		return nil, err
	}
	return properties.DisplayName, err
}

// DataPlatformInstance is one installation of a platform.
type DataPlatformInstance struct{ *Node }

// Platform is the platform of which the instance is an installation.
func (i *DataPlatformInstance) Platform() (*DataPlatform, error) { return i.namedPlatform("") }

// InstanceID is the name of the instance.
func (i *DataPlatformInstance) InstanceID() string { return i.part(1) }

// DataPlatformInstanceProperties are the known properties of an instance.
type DataPlatformInstanceProperties struct {
	Name        *string `json:"name"`
	Description *string `json:"description"`
	ExternalURL *string `json:"externalUrl"`
	Custom
}

// Properties are the known properties of the instance.
func (i *DataPlatformInstance) Properties(ctx context.Context) (*DataPlatformInstanceProperties, error) {
	return aspect[DataPlatformInstanceProperties](ctx, i.Node, model.AspectDataPlatformInstanceProperties)
}
