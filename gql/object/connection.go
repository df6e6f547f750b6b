package object

import (
	"context"

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

// DataHubJSONConnection is the value of a connection, which is stored encrypted.
type DataHubJSONConnection struct {
	Closed string `json:"encryptedBlob"`
	of     *Node
}

// Blob is the value in clear text, for callers who may manage connections. Blob fails if no key of this server
// decrypts the value, as that of a connection that was copied from another server.
func (c *DataHubJSONConnection) Blob(ctx context.Context) (string, error) {
	return c.of.batch.session.Catalog.Secrets.ConnectionValue(ctx, c.of.key, c.Closed)
}

// Details are the kind and the name of the connection, nil if they are not stored.
func (c *DataHubConnection) Details(ctx context.Context) (*DataHubConnectionDetails, error) {
	stored, err := aspect[DataHubConnectionDetails](ctx, c.Node, model.AspectDataHubConnectionDetails)
	if err != nil || stored == nil || stored.JSON == nil {
		return stored, err
	}
	details := *stored
	details.JSON = &DataHubJSONConnection{Closed: stored.JSON.Closed, of: c.Node}
	return &details, nil
}

// Platform is the platform of the other system.
func (c *DataHubConnection) Platform(ctx context.Context) (*DataPlatform, error) {
	return c.statedPlatform(ctx)
}
