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
	type backend struct {
		Status string `json:"status"`
		Error  string `json:"error,omitempty"`
	}
	status, graph := http.StatusOK, backend{Status: "ok"}
	if err := c.catalog.Ping(ctx); err != nil {
		status, graph = http.StatusServiceUnavailable, backend{Status: "down", Error: catalog.MessageOf(err)}
	}
	return c.json(status, map[string]any{"ready": status == http.StatusOK, "backends": map[string]backend{"graph": graph}})
}
