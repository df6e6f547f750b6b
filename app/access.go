package app

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/keys"
	"github.com/headwater-io/headwater/access/tokens"
	"github.com/headwater-io/headwater/app/config"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
)

// authentication has the parts that know callers. It is nil while authentication is off.
type authentication struct {
	gate        *access.Gate
	credentials *access.Credentials
}

// credentialsOrNil returns what makes tokens, or nil while authentication is off.
func (a *authentication) credentialsOrNil() *access.Credentials {
	if a == nil {
		return nil
	}
	return a.credentials
}

// openKeys reads the secrets of authentication, and makes them at the first start. Without
// authentication, it returns nil.
func (s *server) openKeys() (*keys.Ring, error) {
	if s.settings.Auth != config.AuthOn {
		return nil, nil
	}
	path := s.settings.KeysFile()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("the secrets of authentication: %w", err)
	}
	if err := keys.Create(path); err != nil {
		return nil, fmt.Errorf("the secrets of authentication: %w", err)
	}
	ring, err := keys.Open(path, s.logger)
	if err != nil {
		return nil, fmt.Errorf("the secrets of authentication: %w", err)
	}
	return ring, nil
}

// protect returns the check of writes that give access.
func (s *server) protect() write.Protect {
	if s.settings.Auth != config.AuthOn {
		return nil
	}
	return access.Protect
}

// authenticate puts the parts together that know callers.
func (s *server) authenticate(ring *keys.Ring, c *services.Services) *authentication {
	if ring == nil {
		return nil
	}
	made := tokens.New(tokens.Options{Keys: ring, Entities: c, Removal: c.Removal, Registry: c.Registry(), Now: c.Now, OwnWork: write.OwnWork})
	gate := access.New(access.Options{Keys: ring, Tokens: made, Actors: access.NewActors(c), Now: c.Now, Logger: s.logger})
	return &authentication{gate: gate, credentials: access.NewCredentials(made, c.Edits, gate)}
}
