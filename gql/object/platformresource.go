package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// DataHubPlatformResource is an object of a platform that clients store for themselves.
type DataHubPlatformResource struct{ *Node }

// Info describes the resource, nil if the description is not stored.
func (r *DataHubPlatformResource) Info(ctx context.Context) (*PlatformResourceInfo, error) {
	return aspect[PlatformResourceInfo](ctx, r.Node, model.AspectPlatformResourceInfo)
}

// Platform is the platform to which the resource belongs.
func (r *DataHubPlatformResource) Platform(ctx context.Context) (*DataPlatform, error) {
	return r.statedPlatform(ctx)
}

// Properties are empty, because the model has none.
func (r *DataHubPlatformResource) Properties() *PlatformResourceProperties {
	return &PlatformResourceProperties{CustomProperties: []*CustomPropertiesEntry{}}
}
