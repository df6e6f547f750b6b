// Package rest serves the REST interface. It has the options, the middleware of all
// requests, and the route table, which it assembles from the tables of the families. Each
// family is a folder of rest with its handlers, its wire types and its rows of the table
// (routes.go). Code that all families share is in rest/call. Handlers contain no business
// rules; these are in package catalog and its rooms.
package rest

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/klauspost/compress/gzhttp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/instrumentation/github.com/gin-gonic/gin/otelgin"
	"go.opentelemetry.io/otel/trace"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/access/manage"
	"github.com/headwater-io/headwater/access/shares"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/cypher/browser"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/pace"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/tasks"
	restaccess "github.com/headwater-io/headwater/rest/access"
	restaudit "github.com/headwater-io/headwater/rest/audit"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/events"
	"github.com/headwater-io/headwater/rest/history"
	"github.com/headwater-io/headwater/rest/ingestion"
	"github.com/headwater-io/headwater/rest/lineage"
	"github.com/headwater-io/headwater/rest/openlineage"
	"github.com/headwater-io/headwater/rest/operations"
	"github.com/headwater-io/headwater/rest/pages"
	"github.com/headwater-io/headwater/rest/policies"
	"github.com/headwater-io/headwater/rest/removal"
	"github.com/headwater-io/headwater/rest/restli"
	"github.com/headwater-io/headwater/rest/search"
	"github.com/headwater-io/headwater/rest/sse"
	"github.com/headwater-io/headwater/rest/usage"
	"github.com/headwater-io/headwater/rest/v1"
	"github.com/headwater-io/headwater/rest/v3"
	"github.com/headwater-io/headwater/rest/webhooks"
)

// Options configure the handler. Only Catalog is required.
type Options struct {
	Catalog *services.Services
	Logger  *slog.Logger
	// Version and Commit are the version and the commit of this binary.
	Version, Commit string
	// MaxBodyBytes limits a request body after decompression; 0 means 64 MiB.
	MaxBodyBytes int64
	// Memory bounds the memory of request bodies in flight; nil means no bound.
	Memory *intake.Budget
	// IdleTimeout bounds how long a client may pause while it sends a body or reads an
	// answer; 0 means 30 s.
	IdleTimeout time.Duration
	// RequestTimeout bounds every request except event streams; 0 means 60 s.
	RequestTimeout time.Duration
	// Registry collects the metrics. Gatherer exports them at /metrics.
	Registry prometheus.Registerer
	Gatherer prometheus.Gatherer
	// Tracing, if set, records a span for every request.
	Tracing trace.TracerProvider
	// Closing, when it is done, ends event streams and waits for events; nil never ends
	// them.
	Closing context.Context
	// EventStreams is how many event streams may be open at once; 0 means
	// limits.EventStreams. StreamWrite is how long sending a piece of a stream may take; 0
	// means limits.StreamWrite.
	EventStreams int
	StreamWrite  time.Duration
	// GraphQL, if set, answers POST /api/graphql.
	GraphQL http.Handler
	// SchemaRegistry, if set, answers below /schema-registry/api/.
	SchemaRegistry http.Handler
	// GraphiQL, if set, answers GET /api/graphiql and the paths below it.
	GraphiQL http.Handler
	// Page, if set, is the web page, served at / and /ui.
	Page Page
	// Neo4j is the place at which analysts find the graph.
	Neo4j Neo4j
	// KafkaForm, if set, returns an event as text in the form that Kafka's topics carry, in
	// Avro's JSON. Without it, events cannot be polled by topic.
	KafkaForm func(event *streams.Event) (string, error)
	// Settings, if set, returns the settings of the server, without secrets.
	Settings func() []Setting
	// MCP, if set, answers requests of agents at /mcp.
	MCP http.Handler
	// Callers identifies the caller of a request, and refuses unknown ones. Nil means that authentication is
	// off.
	Callers *access.Gate
	// Shares, if set, gives each caller who is known a fair share of the server.
	Shares *shares.Shares
	// OpenMetrics: callers who are not known may read the metrics.
	OpenMetrics bool
	// Audit, if set, is the audit trail, in which the changes of requests and refused requests are
	// noted.
	Audit *audit.Service
	// Policies, if set, manages policies.
	Policies *manage.Service
	// Guard decides which requests of browsers are answered.
	Guard Guard
	// Access, if set, lets people sign in.
	Access *Access
	// UnknownFields is the policy for fields and aspects that the model lacks:
	// [KeepUnknown], [RefuseUnknown] or [AutoUnknown]; "" means AutoUnknown.
	UnknownFields string
}

// The values of [Options.UnknownFields].
const (
	KeepUnknown   = call.KeepUnknown
	RefuseUnknown = call.RefuseUnknown
	AutoUnknown   = call.AutoUnknown
)

// Access lets people sign in.
type Access = restaccess.Service

// Page is the web page for people.
type Page = pages.Page

// Setting is a setting of the server in the form that everybody may read.
type Setting = operations.Setting

// Neo4j is the place at which analysts find the graph.
type Neo4j = browser.Place

// Server is the REST interface.
type Server struct {
	Options
	catalog   *services.Services
	logger    *slog.Logger
	endpoints []call.Endpoint
	long      map[routeKey]map[string]*call.Endpoint
	open      map[routeKey]bool
	watching  *tasks.Group
	guarding  atomic.Pointer[guarding]
	versions  []call.Header
	streams   *sse.Places
	engine    *gin.Engine
	handler   http.Handler
}

var _ http.Handler = (*Server)(nil)

// New returns the handler of all routes.
func New(o Options) *Server {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.MaxBodyBytes == 0 {
		o.MaxBodyBytes = limits.DefaultBodyBytes
	}
	if o.IdleTimeout == 0 {
		o.IdleTimeout = limits.DefaultIdleSeconds * time.Second
	}
	if o.Closing == nil {
		o.Closing = context.Background()
	}
	if o.RequestTimeout == 0 {
		o.RequestTimeout = time.Minute
	}
	s := &Server{Options: o, catalog: o.Catalog, logger: o.Logger, versions: call.VersionHeaders(o.Catalog.Registry())}
	s.SetGuard(o.Guard)
	s.streams = sse.NewPlaces(s.EventStreams, s.StreamWrite, s.Registry)
	s.endpoints = s.allEndpoints()
	s.long, s.open = longEndpoints(s.endpoints), openEndpoints(s.endpoints)
	s.watching = tasks.New("rest", s.logger)
	gin.SetMode(gin.ReleaseMode)
	s.observeMemory()
	s.observeShares()
	engine := gin.New()
	engine.HandleMethodNotAllowed = true
	engine.RedirectTrailingSlash = false
	engine.RedirectFixedPath = false
	engine.ContextWithFallback = true
	engine.Use(s.observe())
	if o.Tracing != nil {
		engine.Use(otelgin.Middleware("headwater", otelgin.WithTracerProvider(o.Tracing), otelgin.WithSpanNameFormatter(spanName)))
	}
	engine.Use(s.audited, s.recover, s.guard, s.authenticate, s.share, s.limit, s.text)
	s.route(engine)
	engine.NoRoute(s.noRoute)
	engine.NoMethod(s.noMethod)
	both := func(path string, h http.Handler) {
		engine.Match([]string{http.MethodGet, http.MethodHead}, path, gin.WrapH(h))
	}
	if o.Gatherer != nil {
		metrics := gin.WrapH(promhttp.HandlerFor(o.Gatherer, promhttp.HandlerOpts{}))
		engine.Match([]string{http.MethodGet, http.MethodHead}, metricsPath, func(c *gin.Context) {
			err := permission.RequireWhole(c.Request.Context(), "read metrics, which count everything")
			if err != nil && !o.OpenMetrics {
				s.call(c).Fail(err)
				return
			}
			metrics(c)
		})
	}
	if o.GraphQL != nil {
		engine.POST(graphQLPath, s.graphQL)
	}
	if o.SchemaRegistry != nil {
		engine.Any("/schema-registry/api/*path", gin.WrapH(o.SchemaRegistry))
	}
	if o.GraphiQL != nil {
		both("/api/graphiql", o.GraphiQL)
		both("/api/graphiql/*file", o.GraphiQL)
	}
	if o.MCP != nil {
		engine.POST(mcpPath, s.mcp)
	}
	compress, err := gzhttp.NewWrapper(gzhttp.MinSize(1024), gzhttp.ContentTypes([]string{"application/json", call.MediaTypeLines, "text/html", "text/plain", "application/javascript", "text/css"}))
	s.engine, s.handler = engine, engine
	if err == nil { // the options are constant, so there is no error
		s.handler = compress(engine)
	}
	return s
}

// call returns a request in the form that handlers take.
func (s *Server) call(c *gin.Context) *call.Call {
	return &call.Call{Context: c, Registry: s.catalog.Registry(), Catalog: s.catalog, Logger: s.logger, Versions: s.versions, UnknownFields: s.UnknownFields}
}

// allEndpoints returns the route table: the families in the order of the documentation,
// each with its dependencies.
func (s *Server) allEndpoints() []call.Endpoint {
	rules := s.catalog
	changes := events.Source{Catalog: rules, Logger: s.logger, Streams: s.streams, Closing: s.Closing, Form: s.KafkaForm}
	return slices.Concat(
		restli.Aspects(rules, s.MaxBodyBytes),
		v1.Endpoints(rules),
		v3.Entities(rules),
		history.Traces(rules),
		restli.Relationships(rules),
		v3.Edges(rules),
		lineage.Endpoints(rules),
		search.InLineage(rules),
		history.Timelines(rules),
		search.Entities(rules),
		v3.Scrolls(rules),
		search.Names(rules),
		operations.Index(rules),
		events.Feed(rules), events.Announced(rules),
		operations.Followers(rules),
		usage.Endpoints(rules),
		openlineage.Endpoints(rules),
		ingestion.Endpoints(rules, s.Closing),
		removal.Entities(rules),
		v3.Deletions(rules),
		removal.Runs(rules),
		operations.Maintenance(rules, s.logger, s.MaxBodyBytes),
		changes.Pages(),
		webhooks.Endpoints(rules),
		restaudit.Endpoints(s.Audit, s.streams, s.Closing),
		policies.Endpoints(s.Policies),
		changes.Topics(),
		restaccess.Endpoints(s.Access, rules),
		operations.State(operations.Server{Catalog: rules, Version: s.Version, Commit: s.Commit, Neo4j: s.Neo4j, Settings: s.Settings}),
		pages.Endpoints(pages.Options{Catalog: rules, Neo4j: s.Neo4j, Page: s.Page, SignIn: s.Callers != nil, Version: s.Version, GraphQL: s.GraphQL != nil, Table: func() []call.Endpoint { return s.endpoints }}),
	)
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	paced := pace.NewWriter(w, s.IdleTimeout)
	defer paced.Finish()
	r = behindFrontEnd(r)
	s.handler.ServeHTTP(paced, r.WithContext(pace.WithWriter(identify(paced, r), paced)))
}

// graphQLPath is the path of GraphQL requests.
const graphQLPath = "/api/graphql"

// graphQL passes a request on to the GraphQL handler, with the actor for whom it is made.
func (s *Server) graphQL(c *gin.Context) {
	call := s.call(c)
	ctx, err := callerOf(call)
	if err != nil {
		call.Fail(err)
		return
	}
	s.GraphQL.ServeHTTP(c.Writer, c.Request.WithContext(ctx))
}

// callerOf returns the context of a request with the caller, also while authentication is off.
func callerOf(c *call.Call) (context.Context, error) {
	ctx := c.Request.Context()
	if requestinfo.CallerOf(ctx).Means != requestinfo.NoMeans {
		return ctx, nil
	}
	actor, err := c.Actor()
	return requestinfo.WithActor(ctx, actor), err
}

// mcpPath is the path of requests of agents.
const mcpPath = "/mcp"

// mcp reads and measures the body of a request, and then passes the request on with the
// actor for whom it is made.
func (s *Server) mcp(c *gin.Context) {
	call := s.call(c)
	r := c.Request
	ctx, err := callerOf(call)
	if err != nil {
		call.Fail(err)
		return
	}
	body, err := intake.ReadJSON(r.Context(), r.Body, intake.Request)
	if err != nil {
		call.Fail(err)
		return
	}
	r = r.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.MCP.ServeHTTP(c.Writer, r)
}

func (s *Server) noRoute(c *gin.Context) {
	s.call(c).Fail(catalog.Errorf(catalog.NotFound, "No root resource defined for path '%s'", c.Request.URL.Path))
}

// noMethod answers a request with a method that the path lacks. Gin has set the header
// Allow.
func (s *Server) noMethod(c *gin.Context) {
	if c.Request.Method == http.MethodOptions {
		h := c.Writer.Header()
		h.Set("Allow", h.Get("Allow")+", "+http.MethodOptions)
		c.Status(http.StatusNoContent)
		c.Writer.WriteHeaderNow()
		return
	}
	s.call(c).FailMethod()
}
