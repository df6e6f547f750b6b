package secrets

import (
	"context"
	"maps"
	"strings"

	"github.com/google/uuid"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// ManageConnections is the privilege of the platform that permits to write connections and to read their values.
const ManageConnections = "MANAGE_CONNECTIONS"

// The members of the aspect of a connection; blobMember has the encrypted value.
const (
	typeMember = "type"
	jsonMember = "json"
	blobMember = "encryptedBlob"
)

// jsonConnection is the only type of connections.
const jsonConnection = "JSON"

// Connection is a way to reach another system: a JSON text with credentials, which is stored encrypted.
type Connection struct {
	// ID is the last part of the URN. If it is empty, a random one is made.
	ID string
	// Name is for people. If it is nil, a stored connection loses its name.
	Name *string
	// Blob is the value in clear text.
	Blob string
	// Platform is the platform of the other system.
	Platform model.URN
}

func (c *Connection) check() error {
	if err := catalog.RequireType(c.Platform, model.EntityDataPlatform); err != nil {
		return err
	}
	if c.Name != nil && strings.TrimSpace(*c.Name) == "" {
		return catalog.Errorf(catalog.Invalid, "a name must not be empty; leave it out instead")
	}
	if len(c.Blob) > limits.MaxSecretBytes {
		return catalog.Errorf(catalog.Invalid, "the value of a connection may have %d bytes, and this one has %d", limits.MaxSecretBytes, len(c.Blob))
	}
	return nil
}

// PutConnection stores a connection, or replaces a stored one, and returns its URN.
func (s *Service) PutConnection(ctx context.Context, c Connection, o catalog.WriteOptions) (model.URN, error) {
	if err := s.allow(ctx, "write connections", ManageConnections); err != nil {
		return model.URN{}, err
	}
	if err := c.check(); err != nil {
		return model.URN{}, err
	}
	if c.ID == "" {
		c.ID = uuid.NewString()
	}
	u, _, err := s.urnOf(model.EntityDataHubConnection, c.ID, o)
	if err != nil {
		return model.URN{}, err
	}
	closed, err := s.Sealer.Seal(u.String(), c.Blob)
	if err != nil {
		return model.URN{}, err
	}
	details := catalog.Tree{typeMember: jsonConnection, jsonMember: catalog.Tree{blobMember: closed}}
	if c.Name != nil {
		details[nameMember] = *c.Name
	}
	return u, s.putConnection(ctx, u, map[string]catalog.Tree{
		model.AspectDataHubConnectionDetails: details,
		model.AspectDataPlatformInstance:     {"platform": c.Platform.String()},
	}, o)
}

// putConnection replaces the aspects of a connection, which it creates if there is none.
func (s *Service) putConnection(ctx context.Context, u model.URN, aspects map[string]catalog.Tree, o catalog.WriteOptions) error {
	edits := make([]write.Edit, 0, len(aspects))
	for name, replacement := range aspects {
		edits = append(edits, write.Edit{URN: u, Aspect: name, Privileges: []string{ManageConnections}, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
			clear(value)
			maps.Copy(value, replacement)
			return nil
		}})
	}
	return write.EditOrCreate(ctx, s.Writer, edits, catalog.AuditStamp{}, o)
}

// ConnectionValue decrypts the stored value of a connection. The reading is noted in the record of the request.
// ConnectionValue fails with [catalog.Conflict] if no key of this server decrypts the value, as that of a
// connection that was copied from another server.
func (s *Service) ConnectionValue(ctx context.Context, u model.URN, closed string) (string, error) {
	if err := s.allow(ctx, "read the values of connections", ManageConnections); err != nil {
		return "", err
	}
	text, err := s.Sealer.Open(u.String(), closed)
	if err != nil {
		return "", err
	}
	requestinfo.DeedOf(ctx).Changes(u, model.AspectDataHubConnectionDetails)
	return text, nil
}

// connectionBlob returns the encrypted value of a connection, and a function that replaces it.
func connectionBlob(details catalog.Tree) (closed string, replace func(string)) {
	value, _ := jsontree.At(details, jsonMember).(catalog.Tree)
	return jsontree.Text(value, blobMember), func(text string) { value[blobMember] = text }
}
