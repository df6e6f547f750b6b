package app

import (
	"fmt"

	"github.com/headwater-io/headwater/access/secrets"
	"github.com/headwater-io/headwater/app/config"
	sealing "github.com/headwater-io/headwater/catalog/secrets"
)

// secretsKeys returns the keys that encrypt the secrets of the catalog, nil without a key. A server with an
// embedded store makes a key with its first secret. Several servers may use one Neo4j, and all of them need
// the same key, so the settings must name it.
func (s *server) secretsKeys() (sealing.Sealer, error) {
	var ring *secrets.Ring
	var err error
	switch {
	case s.settings.SecretsKey != "":
		ring, err = secrets.FromText(s.settings.SecretsKey)
	case s.settings.SecretsKeyFile != "":
		ring, err = secrets.FromFile(s.settings.SecretsKeyFile, s.logger)
	case s.settings.Graph == config.Embedded:
		ring, err = secrets.FromFolder(s.settings.Data, s.logger)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the keys of secrets: %w", err)
	}
	return ring, nil
}
