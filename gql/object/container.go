package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// Container is a database, schema, folder, project or the like.
type Container struct{ *Node }

// Platform is the platform that contains the container.
func (c *Container) Platform(ctx context.Context) (*DataPlatform, error) {
	return c.statedPlatform(ctx)
}

// ContainerProperties are the properties that the platform states for a container.
type ContainerProperties struct {
	Name          string  `json:"name"`
	Description   *string `json:"description"`
	ExternalURL   *string `json:"externalUrl"`
	QualifiedName *string `json:"qualifiedName"`
	Custom
}

// Properties are the properties that the platform of the container states.
func (c *Container) Properties(ctx context.Context) (*ContainerProperties, error) {
	return aspect[ContainerProperties](ctx, c.Node, model.AspectContainerProperties)
}

// EditableProperties are the properties of the container that people wrote in the catalog.
func (c *Container) EditableProperties(ctx context.Context) (*Described, error) {
	return aspect[Described](ctx, c.Node, model.AspectEditableContainerProperties)
}

// Entities searches the contents of the container.
func (c *Container) Entities(ctx context.Context, input *ContainerEntitiesInput) (*SearchResults, error) {
	if input == nil {
		input = &ContainerEntitiesInput{}
	}
	return c.members(ctx, "container", input.Query, input.Start, input.Count, input.Filters)
}
