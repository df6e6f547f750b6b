package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/headwater-io/headwater/catalog"
)

// clientVersion is the release of the interface that is spoken.
const clientVersion = "v0.10.5"

func serviceEndpoints() []endpoint {
	return []endpoint{
		{method: http.MethodGet, path: "/", tag: "Service", summary: "What this server is, with links.", handle: (*call).landing},
		{method: http.MethodGet, path: "/config", tag: "Service", summary: "What clients ask before they start.", handle: (*call).config},
		{method: http.MethodGet, path: "/health", tag: "Service", summary: "200 when the server runs.", handle: (*call).nothing},
		{method: http.MethodGet, path: "/health/ready", tag: "Service", summary: "Whether each backend can serve; 503 when one cannot.", handle: (*call).ready},
		{method: http.MethodGet, path: "/health/check/ready", tag: "Service", summary: "The same under the name that other servers use.", handle: (*call).ready},
		{method: http.MethodGet, path: "/restli/docs", tag: "Service", summary: "This page.", handle: (*call).docs},
		{method: http.MethodGet, path: "/openapi.json", tag: "Service", summary: "The OpenAPI 3.1 description of the REST surface.", handle: (*call).openAPI},
		{method: http.MethodGet, path: "/docs", subtree: true, tag: "Service", summary: "The OpenAPI description as a page to try.", handle: (*call).swagger},
	}
}

func (c *call) config() error {
	return c.json(http.StatusOK, map[string]any{
		"noCode": "true", "retention": "true", "statefulIngestionCapable": true, "patchCapable": true,
		"supportsImpactAnalysis": true, "datasetUrnNameCasing": false, "models": map[string]any{},
		"timeZone":         time.Local.String(),
		"versions":         map[string]any{"linkedin/datahub": map[string]string{"version": clientVersion, "commit": c.Commit}, "headwater": map[string]string{"version": c.Version, "commit": c.Commit}},
		"telemetry":        map[string]any{"enabledCli": false, "enabledIngestion": false},
		"managedIngestion": map[string]any{"enabled": false, "defaultCliVersion": clientVersion[1:]},
		"datahub":          map[string]string{"serverType": "prod"},
	})
}

// readyTimeout bounds the check of one backend.
const readyTimeout = 5 * time.Second

func (c *call) ready() error {
	ctx, cancel := context.WithTimeout(c.Request.Context(), readyTimeout)
	defer cancel()
	status, backends := http.StatusOK, map[string]*backendHealth{"graph": {Status: "ok"}}
	down := func(name string, err error) {
		status, backends[name] = http.StatusServiceUnavailable, &backendHealth{Status: "down", Error: catalog.MessageOf(err)}
	}
	if err := c.catalog.Ping(ctx); err != nil {
		down("graph", err)
	}
	if search, ok := c.searchHealth(ctx); ok {
		backends["search"] = search
		if err := c.catalog.PingIndex(ctx); err != nil {
			status = http.StatusServiceUnavailable
			search.Status, search.Error = "down", catalog.MessageOf(err)
		}
	}
	answer := map[string]any{"ready": status == http.StatusOK, "backends": backends}
	if ahead, err := c.catalog.LogAhead(ctx); err == nil && ahead > 0 {
		answer["clock"] = clockHealth{Status: "ahead", AheadMillis: ahead.Milliseconds()}
	}
	return c.json(status, answer)
}

// clockHealth is told, for information, when the newest change is stamped ahead
// of the machine's clock.
type clockHealth struct {
	Status      string `json:"status"`
	AheadMillis int64  `json:"aheadMillis"`
}

// backendHealth says whether a backend can serve. Lag and what follows are of
// the search index.
type backendHealth struct {
	Status string `json:"status"`
	Error  string `json:"error,omitempty"`
	// Lag counts the changes that are not indexed yet.
	Lag      *int64 `json:"lag,omitempty"`
	Building bool   `json:"building,omitempty"`
	Done     int64  `json:"done,omitempty"`
	Total    int64  `json:"total,omitempty"`
	// Broken is why the index is or must be made anew; it answers with what it
	// has.
	Broken string `json:"broken,omitempty"`
}

// searchHealth says how far the search index is; false without one.
func (c *call) searchHealth(ctx context.Context) (*backendHealth, bool) {
	status, ok := c.catalog.IndexStatus()
	if !ok {
		return nil, false
	}
	h := &backendHealth{Status: "ok", Error: status.Failure, Building: status.Building, Done: status.Done, Total: status.Total, Broken: status.Broken}
	if lag, err := c.catalog.IndexLag(ctx); err == nil {
		h.Lag = &lag
	}
	return h, true
}
