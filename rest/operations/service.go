package operations

import (
	"net/http"
	"time"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/cypher/browser"
	"github.com/headwater-io/headwater/rest/call"
)

// serviceHandlers inform clients and operators about the server.
type serviceHandlers struct {
	catalog *services.Services
	// version and commit are this binary's.
	version, commit string
	neo4j           browser.Place
}

// clientVersion is the release of the interface that the server implements, as
// clients before 1.0 ask for it. todaysVersion is what newer clients ask for: the
// highest version from which they use something else whose promises hold. See
// docs/decisions/0050-the-mcp-servers-version.md.
const (
	clientVersion = "v0.10.5"
	todaysVersion = "v1.4.0"
)

func (h serviceHandlers) config(c *call.Call) error {
	return c.JSON(http.StatusOK, map[string]any{
		"noCode": "true", "retention": "true", "statefulIngestionCapable": true, "patchCapable": true,
		"supportsImpactAnalysis": true, "datasetUrnNameCasing": false, "models": map[string]any{},
		"timeZone": time.Local.String(),
		"versions": map[string]any{
			"linkedin/datahub":  map[string]string{"version": clientVersion, "commit": h.commit},
			"acryldata/datahub": map[string]string{"version": todaysVersion, "commit": h.commit},
			"headwater":         map[string]string{"version": h.version, "commit": h.commit},
		},
		"telemetry":        map[string]any{"enabledCli": false, "enabledIngestion": false},
		"managedIngestion": map[string]any{"enabled": false, "defaultCliVersion": clientVersion[1:]},
		"datahub":          map[string]string{"serverType": "prod"},
		"readOnly":         h.catalog.ReadOnly(),
		"neo4j":            map[string]string{"address": h.neo4j.Address, "database": h.neo4j.Database, "browser": h.neo4j.Browser},
	})
}

func (h serviceHandlers) up(c *call.Call) error { return c.JSON(http.StatusOK, true) }
