package object

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// DataHubConnection is a way to reach another system.
type DataHubConnection struct{ *Node }

// DataHubConnectionDetails are the kind, name and encrypted value of a
// connection.
type DataHubConnectionDetails struct {
	Type DataHubConnectionDetailsType `json:"type"`
	Name *string                      `json:"name"`
	JSON *DataHubJSONConnection       `json:"json"`
}

// DataHubJSONConnection is the value of a connection. The program that ingested the value has
// encrypted it.
type DataHubJSONConnection struct{}

// Blob always fails: the server does not have the key to decrypt the value.
func (*DataHubJSONConnection) Blob() (string, error) {
	return "", catalog.Errorf(catalog.Invalid, "the value of the connection is encrypted, and this server has no key for it")
}

// Details are the kind and the name of the connection, nil if they are not stored.
func (c *DataHubConnection) Details(ctx context.Context) (*DataHubConnectionDetails, error) {
	return aspect[DataHubConnectionDetails](ctx, c.Node, model.AspectDataHubConnectionDetails)
}

// Platform is the platform of the other system.
func (c *DataHubConnection) Platform(ctx context.Context) (*DataPlatform, error) {
	return c.statedPlatform(ctx)
}
