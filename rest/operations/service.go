package operations

import (
	"net/http"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/cypher/browser"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/rest/call"
)

// serviceHandlers inform clients and operators about the server.
type serviceHandlers struct {
	catalog *services.Services
	// version and commit are the version and the commit of this binary.
	version, commit string
	neo4j           browser.Place
}

// clientVersion is the release of the interface for clients before 1.0. todaysVersion is
// the version for newer clients, which choose calls by it. It is the highest version at
// which clients switch to other calls and at which this server supports these calls. See
// docs/decisions/0050-the-mcp-servers-version.md.
const (
	clientVersion = "v0.10.5"
	todaysVersion = "v1.4.0"
)

func (h serviceHandlers) config(c *call.Call) error {
	verbose, err := c.Boolean("verbose")
	if err != nil {
		return err
	}
	answer := map[string]any{
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
	}
	if verbose {
		answer["userType"] = userType(c)
	}
	return c.JSON(http.StatusOK, answer)
}

// callerURN answers with the URN of the caller, that of the system actor for callers without a name.
func (h serviceHandlers) callerURN(c *call.Call) error {
	actor, err := c.Actor()
	if err != nil {
		return err
	}
	if actor == "" {
		actor = catalog.SystemActor(h.catalog.Registry().Dialects()[0])
	}
	return c.JSON(http.StatusOK, map[string]string{"urn": actor})
}

// userType returns the reference's name for whether the caller of a request is known.
func userType(c *call.Call) string {
	if requestinfo.CallerOf(c.Request.Context()).Means == requestinfo.NoMeans {
		return "anonymous"
	}
	return "user"
}

func (h serviceHandlers) up(c *call.Call) error { return c.JSON(http.StatusOK, true) }
