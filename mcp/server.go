// Package mcp serves the catalog to agents by the Model Context Protocol. It has a few tools
// that read, tools that write if the server allows writes, and prompts for usual questions. The
// package has no rules of the catalog; these are in package catalog and the packages below it.
// The package itself limits the size of answers: an agent has to read each answer, so long
// answers are cut, and say that they were cut.
// The reasons are in docs/decisions/0049-agents.md.
package mcp

import (
	"log/slog"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/catalog/services"
)

// Options configure the handler. Catalog is required.
type Options struct {
	Catalog *services.Services
	Logger  *slog.Logger
	// Version is the version of the server.
	Version string
	// Writes: the handler also offers the tools that change the catalog.
	Writes bool
	// Audit, if set, is the audit trail, in which the tools that write are noted.
	Audit *audit.Service
	// Metrics, if set, collects the metrics of the tools.
	Metrics prometheus.Registerer
}

// Handler answers requests of the protocol's streamable HTTP transport. It keeps no sessions,
// so each request is answered without regard to other requests. The caller must limit the size
// of bodies.
type Handler struct {
	catalog *services.Services
	logger  *slog.Logger
	metrics *metrics
	audit   *audit.Service
	server  *sdk.Server
	http    *sdk.StreamableHTTPHandler
}

var _ http.Handler = (*Handler)(nil)

// instructions tell an agent the purpose of the server and the use of the tools.
const instructions = `Headwater is a catalog of data: datasets and their columns, jobs, dashboards, people, and what derives from what, now and in the past.
Name things as people do (orders, marts.orders, marts.orders.net_revenue) or by URN. If a name stands for several things, the error lists them; choose one and call again.
Answers are pages. If partial is true, reason says what is missing; call again with start set to next for the rest.`

// New makes the handler.
func New(o Options) *Handler {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	h := &Handler{catalog: o.Catalog, logger: o.Logger, metrics: newMetrics(o.Metrics), audit: o.Audit}
	h.server = sdk.NewServer(&sdk.Implementation{Name: "headwater", Title: "Headwater", Version: o.Version}, &sdk.ServerOptions{
		Instructions: instructions, Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}},
	})
	h.addReads()
	if o.Writes {
		h.addWrites()
	}
	h.addPrompts()
	h.http = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return h.server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: -1,
		// The guard around all routes checks hosts and origins already, by the settings of the
		// server.
		DisableLocalhostProtection: true,
	})
	return h
}
