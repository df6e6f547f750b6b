// Package mcp serves the catalog to agents by the Model Context Protocol: a few
// tools that read, tools that write if the server allows them, and prompts for usual
// questions. It contains no rules; these are in package catalog and its rooms. What
// is its own is the size of answers: an agent has to read them, so they are cut, and
// say so.
// The reasons are in docs/decisions/0049-agents.md.
package mcp

import (
	"log/slog"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/catalog/services"
)

// Options configure the handler. Catalog is required.
type Options struct {
	Catalog *services.Services
	Logger  *slog.Logger
	// Version is the server's version.
	Version string
	// Writes also offers the tools that change the catalog.
	Writes bool
	// Metrics, if set, collects the metrics of the tools.
	Metrics prometheus.Registerer
}

// Handler answers requests of the protocol's streamable HTTP transport, each on its
// own: it keeps no sessions. Bodies must be limited before.
type Handler struct {
	catalog *services.Services
	logger  *slog.Logger
	metrics *metrics
	server  *sdk.Server
	http    *sdk.StreamableHTTPHandler
}

var _ http.Handler = (*Handler)(nil)

// instructions tell an agent what the server is for and how to use the tools.
const instructions = `Headwater is a catalog of data: datasets and their columns, jobs, dashboards, people, and what derives from what, now and in the past.
Name things as people do (orders, marts.orders, marts.orders.net_revenue) or by URN. If a name stands for several things, the error lists them; choose one and call again.
Answers are pages. If partial is true, reason says what is missing; call again with start set to next for the rest.`

// New makes the handler.
func New(o Options) *Handler {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	h := &Handler{catalog: o.Catalog, logger: o.Logger, metrics: newMetrics(o.Metrics)}
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
		// The guard of all routes checks hosts and origins, with the server's settings.
		DisableLocalhostProtection: true,
	})
	return h
}
