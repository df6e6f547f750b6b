// Package app wires the server and runs it.
package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/keys"
	"github.com/headwater-io/headwater/app/config"
	"github.com/headwater-io/headwater/app/obs"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/gql/graphiql"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/storewrap"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/indexer/indexwrap"
	"github.com/headwater-io/headwater/internal/collector"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/internal/reread"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/internal/tasks"
	"github.com/headwater-io/headwater/kafka/connect"
	"github.com/headwater-io/headwater/kafka/form"
	schemas "github.com/headwater-io/headwater/kafka/registry"
	"github.com/headwater-io/headwater/mcp"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest"
	"github.com/headwater-io/headwater/sample"
	"github.com/headwater-io/headwater/web"
	"github.com/prometheus/client_golang/prometheus"
)

// Build identifies the running build.
type Build struct{ Version, Commit string }

// maxHeaderBytes allows long lists of URNs in a query.
const maxHeaderBytes = 2 << 20

// openTimeout bounds how long the store and the index may take to open. It does not
// bound the migration of a Neo4j.
const openTimeout = 3 * time.Minute

// cleanup is a named step of shutting down.
type cleanup struct {
	name string
	run  func(context.Context) error
}

// server has the parts of a running server.
type server struct {
	settings *config.Server
	logger   *slog.Logger
	// past is the clock of the store and of the catalog.
	past     *sample.Past
	cleanups []cleanup

	// These fields change when the settings are read again.
	level       slog.LevelVar
	certificate atomic.Pointer[reread.Value[*tls.Certificate]]
	security    connect.Security
	// setPassword changes the password of Neo4j, setKey the key of Typesense. Each is nil if
	// that backend is not used.
	setPassword, setKey func(string)
	// own are the tokens with which this server's executor and its runs show who they are, empty without authentication.
	own access.Own
	// planGroups lets Neo4j plan the statements that loading the sample needs. It is nil
	// without Neo4j.
	planGroups func()
}

// Run starts the server and serves until the context ends. It reads the settings again each
// time reload.Asked receives a signal. At the end it finishes the running requests and
// closes the backends. When the server listens, Run writes one line to stdout: "listening
// on <url>" or, if logs are JSON, an object with the member url.
func Run(ctx context.Context, settings *config.Server, build Build, reload Reload, stdout, stderr io.Writer) (err error) {
	s := &server{settings: settings, past: &sample.Past{}}
	if err := s.level.UnmarshalText([]byte(settings.LogLevel)); err != nil {
		return err
	}
	s.logger = obs.Logger(stderr, &s.level, settings.LogFormat, rest.RequestID)
	defer func() { err = errors.Join(err, s.close()) }()
	if err := refuseAnyone(settings); err != nil {
		return err
	}
	if err := checkExecutor(settings); err != nil {
		return err
	}
	s.announceStart(build)
	b, err := s.openBackends(ctx, build)
	if err != nil {
		return err
	}
	cat, known, err := s.newCatalog(b, build)
	if err != nil {
		return err
	}
	cat.WarnOfClock(ctx)
	if err := s.fillCatalog(ctx, b, cat); err != nil {
		return err
	}
	if err := s.startWork(b, cat); err != nil {
		return err
	}
	if err := s.addHandlers(b, cat, known, build); err != nil {
		return err
	}
	if known.on() {
		if err := s.addRoles(ctx, cat); err != nil {
			return err
		}
		s.prunePeople(known)
	}
	return s.serve(ctx, b.handlers, known, reload, stdout)
}

// backends are the parts on which the catalog stands.
type backends struct {
	registry *model.Registry
	keys     *keys.Ring
	store    graphstore.Store
	index    indexer.Index
	// observed and searched are store and index with metrics and traces around them.
	observed *storewrap.Store
	searched *indexwrap.Index
	metrics  *prometheus.Registry
	// handlers are the options of the REST handler, which the other steps of the start complete.
	handlers rest.Options
}

// openBackends reads the model and the keys, and opens the store and the index.
func (s *server) openBackends(ctx context.Context, build Build) (*backends, error) {
	b := &backends{}
	var err error
	if b.registry, err = loadModel(s.settings.Model); err != nil {
		return nil, err
	}
	if s.security, err = s.kafkaSecurity(); err != nil {
		return nil, err
	}
	if b.keys, err = s.openKeys(); err != nil {
		return nil, err
	}
	b.metrics = obs.Metrics(build.Version, build.Commit)
	tracing, err := s.tracing(ctx, build)
	if err != nil {
		return nil, err
	}
	if b.store, err = s.openStore(ctx, b.registry); err != nil {
		return nil, err
	}
	if b.index, err = s.openIndex(ctx, indexer.NewSchema(b.registry)); err != nil {
		return nil, err
	}
	wrap, wrapIndex := storewrap.Options{Metrics: b.metrics}, indexwrap.Options{Metrics: b.metrics}
	b.handlers = s.handlerOptions(build, b.metrics)
	if tracing != nil {
		wrap.Tracing, wrapIndex.Tracing, b.handlers.Tracing = tracing, tracing, tracing
	}
	b.observed, b.searched = storewrap.New(b.store, wrap), indexwrap.New(b.index, wrapIndex)
	return b, nil
}

// fillCatalog loads the sample if the settings ask for it, starts the follower of the index, and
// waits for the data that the first requests need.
func (s *server) fillCatalog(ctx context.Context, b *backends, cat *services.Services) error {
	if err := s.beginReplica(ctx, cat); err != nil {
		return err
	}
	if s.settings.Sample && s.settings.Follow == "" {
		if err := s.loadSample(ctx, cat); err != nil {
			return err
		}
	}
	if s.planGroups != nil {
		s.planGroups()
	}
	s.follow(cat)
	if err := s.fillFeeds(ctx, cat); err != nil {
		return err
	}
	s.trimLog(cat, b.store)
	if s.settings.Search == config.Embedded {
		if err := cat.Follower.Await(ctx); err != nil {
			s.logger.InfoContext(ctx, "the search index is not up to date yet; serving meanwhile", "reason", err)
		}
	}
	if s.settings.Follow == "" {
		s.prepareStore(ctx, cat)
	} else {
		s.followSource(cat)
	}
	return nil
}

// startWork starts the work in the background, which runs until the server stops.
func (s *server) startWork(b *backends, cat *services.Services) error {
	s.runWebhooks(b.metrics, cat)
	s.observe(b.metrics, cat, b.store, b.index)
	s.consumeKafka(b.metrics, cat, records.New(b.store), b.handlers.Memory)
	s.countViews(cat)
	s.deriveLineage(b.metrics, cat)
	s.endLineage(cat)
	s.matchAnnounced(cat)
	return errors.Join(s.sendToKafka(b.metrics, cat), s.sendToReplicas(cat))
}

// addHandlers completes the options of the REST handler with the handlers beside it.
func (s *server) addHandlers(b *backends, cat *services.Services, known *authentication, build Build) (err error) {
	o := &b.handlers
	o.SchemaRegistry = schemas.Handler(s.settings.KafkaPrefix)
	o.Catalog, o.Audit = cat, s.keepAudit(b.metrics, b.store)
	known.offer(o, cat)
	o.GraphQL = gql.New(gql.Options{Catalog: cat, Audit: o.Audit, Logger: s.logger, Version: build.Version, Metrics: b.metrics, Credentials: known.credentials, People: known.people, Policies: known.policies})
	o.MCP = mcp.New(mcp.Options{Catalog: cat, Audit: o.Audit, Logger: s.logger, Version: build.Version, Metrics: b.metrics, Writes: s.settings.MCPWrites})
	o.GraphiQL = graphiql.Handler("/api/graphiql")
	o.Page, err = web.New()
	return err
}

// handlerOptions returns the options of the REST handler that follow from the settings.
func (s *server) handlerOptions(build Build, metrics *prometheus.Registry) rest.Options {
	return rest.Options{
		Logger: s.logger, Version: build.Version, Commit: build.Commit,
		MaxBodyBytes: s.settings.MaxBody, RequestTimeout: s.settings.RequestTimeout, IdleTimeout: s.settings.IdleTimeout,
		Memory: s.requestMemory(), Registry: metrics, Gatherer: metrics,
		EventStreams: s.settings.EventStreams, OpenMetrics: s.settings.OpenMetrics, UnknownFields: s.settings.UnknownFields, Neo4j: s.whereNeo4j(),
		KafkaForm: form.Text, Settings: s.shownSettings,
	}
}

// shownSettings returns the settings with which the server was started, in the form that
// everybody may read.
func (s *server) shownSettings() []rest.Setting {
	var shown []rest.Setting
	for _, one := range s.settings.Shown() {
		shown = append(shown, rest.Setting(one))
	}
	return shown
}

// whereNeo4j returns the place of the graph for analysts, empty on the embedded store.
func (s *server) whereNeo4j() rest.Neo4j {
	if s.settings.Graph == config.Embedded {
		return rest.Neo4j{}
	}
	address, err := s.settings.Neo4j()
	browser, browserErr := s.settings.Neo4jBrowser()
	if err != nil || browserErr != nil {
		return rest.Neo4j{} // cannot happen, because the settings were checked
	}
	return rest.Neo4j{Address: address.URI, Database: address.Database, Browser: browser}
}

// requestMemory returns the memory budget of requests in flight.
func (s *server) requestMemory() *intake.Budget {
	size := s.settings.RequestMemory
	if size == 0 {
		size = intake.DefaultBudget()
	}
	s.logger.Info("memory for requests", "bytes", size)
	collector.KeepRoom(min(heapRoom, intake.DefaultBudget()/4))
	return intake.NewBudget(size)
}

// heapRoom is how many bytes the heap may always grow between two collections, even while
// little memory is in use.
const heapRoom = 64 << 20

// retention returns the default retention with this number of versions; 0 keeps the default
// number.
func retention(versions int64) write.Retention {
	if versions == 0 {
		return write.Retention{}
	}
	r := write.DefaultRetention()
	r[write.RetentionKey{Entity: write.Any, Aspect: write.Any}] = versions
	return r
}

func (s *server) tracing(ctx context.Context, build Build) (*sdktrace.TracerProvider, error) {
	if s.settings.OTLPEndpoint == "" {
		return nil, nil
	}
	provider, err := obs.Tracing(ctx, s.settings.OTLPEndpoint, build.Version)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	s.atClose("tracing", provider.Shutdown)
	return provider, nil
}

// follow starts the follower of the index, which runs until the server stops.
func (s *server) follow(c *services.Services) {
	s.inBackground("index follower", c.Follower.Follow)
	s.atClose("work in the background", func(context.Context) error {
		c.Stop()
		return nil
	})
}

// trimLog starts the trimming of the change log and of its values to the lengths in the
// settings. The trimming runs until the server stops.
func (s *server) trimLog(c *services.Services, store graphstore.Store) {
	s.inBackground("retention of the change log",
		func(ctx context.Context) {
			c.Delivery.KeepTrimmed(ctx, store, delivery.LogRetention{Age: s.settings.ChangesAge, Changes: s.settings.ChangesKept})
		},
		func(ctx context.Context) { c.Delivery.KeepVersions(ctx, c.HoldVersions) },
	)
}

// sampleProgress is the time between two log lines about the progress of loading the
// sample.
const sampleProgress = 2 * time.Second

// loadSample fills an empty store with the sample catalog and its past. It must run before requests are
// served and the index is followed, so that it is the only writer.
func (s *server) loadSample(ctx context.Context, c *services.Services) error {
	untouched, err := c.Untouched(ctx)
	if err != nil {
		return fmt.Errorf("sample catalog: %w", err)
	}
	if !untouched {
		s.logger.InfoContext(ctx, "the store is not empty; the sample catalog is not loaded")
		return nil
	}
	said := time.Time{}
	s.past.Progress = func(written, all int) {
		if time.Since(said) >= sampleProgress {
			said = time.Now()
			s.logger.InfoContext(ctx, "loading the sample catalog", "written", written, "events", all)
		}
	}
	summary, err := s.past.Load(write.OwnWork(ctx), c)
	if err != nil {
		return fmt.Errorf("sample catalog: %w", err)
	}
	s.logger.InfoContext(ctx, "sample catalog loaded", "entities", summary.Entities, "proposals", summary.Proposals)
	return nil
}

// prepareStore writes the data that every catalog has. In the background, it adds data that
// stores of earlier releases lack. If it fails, the server still serves, and the next start
// tries again.
func (s *server) prepareStore(ctx context.Context, c *services.Services) {
	ctx = write.OwnWork(ctx)
	if s.settings.Platforms && !c.ReadOnly() {
		added, err := c.AddPlatforms(ctx)
		if err != nil {
			s.logger.WarnContext(ctx, "not all common data platforms could be written", "written", added, "error", err)
		} else if added > 0 {
			s.logger.InfoContext(ctx, "common data platforms written", "number", added)
		}
	}
	if err := errors.Join(c.BackfillEdges(ctx), c.FollowDelimiters()); err != nil {
		s.logger.WarnContext(ctx, "background work on the store is postponed to the next start", "error", err)
	}
}

// serve answers requests until the context ends.
func (s *server) serve(ctx context.Context, o rest.Options, known *authentication, reload Reload, stdout io.Writer) error {
	listener, scheme, local, err := s.listen(ctx)
	if err != nil {
		return err
	}
	closing, closed := context.WithCancel(context.Background())
	defer closed()
	o.Closing = closing
	o.Guard = guardOf(s.settings, local)
	handler := rest.New(o)
	h := &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ReadTimeout: s.settings.RequestTimeout + 10*time.Second, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn),
	}
	h.RegisterOnShutdown(closed)
	served := make(chan error, 1)
	tasks.New("server", s.logger).Go("requests", func() {
		served <- safely.Do(func() error { return h.Serve(listener) })
	})
	s.warnIfOpen(ctx, local)
	if known.on() {
		if err := s.firstAdministrator(ctx, known, fmt.Sprintf("%s://%s", scheme, listener.Addr()), stdout); err != nil {
			return errors.Join(err, h.Close())
		}
	}
	if err := s.announceListening(stdout, fmt.Sprintf("%s://%s", scheme, listener.Addr())); err != nil {
		return errors.Join(err, h.Close())
	}
	stopSources, err := s.runSources(ctx, h, listener, o.Catalog)
	if err != nil {
		return errors.Join(err, h.Close())
	}
	reloads := newReloader(s, reload, o.Catalog, func(next *config.Server) { handler.SetGuard(guardOf(next, local)) })
	for waiting := true; waiting; {
		select {
		case err := <-served:
			stopSources()
			return err
		case <-reload.Asked:
			reloads.read(ctx)
		case <-ctx.Done():
			waiting = false
		}
	}
	stopSources() // while their end can be written
	s.logger.Info("stopping: finishing running requests")
	drain, cancel := context.WithTimeout(context.Background(), s.settings.ShutdownTimeout)
	defer cancel()
	if err := h.Shutdown(drain); err != nil {
		s.logger.Warn("some requests did not finish in time", "error", err)
		return h.Close()
	}
	return nil
}

// guardOf returns the guard against requests of browsers that the settings describe.
func guardOf(settings *config.Server, local bool) rest.Guard {
	return rest.Guard{TrustedOrigins: settings.TrustedOrigins, Hosts: settings.AllowedHosts, Local: local}
}

func (s *server) atClose(name string, run func(context.Context) error) {
	s.cleanups = append(s.cleanups, cleanup{name, run})
}

// inBackground runs work until the server stops. The context of the work ends then, and the server
// waits for the work.
func (s *server) inBackground(name string, work ...func(context.Context)) {
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, run := range work {
		running.Go(func() { run(ctx) })
	}
	s.atClose(name, func(context.Context) error {
		stop()
		running.Wait()
		return nil
	})
}

// repeatInBackground runs work at once, and again after each pause, until the server stops.
func (s *server) repeatInBackground(name string, pause time.Duration, work func(context.Context)) {
	s.inBackground(name, func(ctx context.Context) {
		ticks := time.NewTicker(pause)
		defer ticks.Stop()
		for {
			work(ctx)
			select {
			case <-ticks.C:
			case <-ctx.Done():
				return
			}
		}
	})
}

// close runs the cleanups in reverse order, so that the part opened last is closed first.
func (s *server) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.settings.ShutdownTimeout)
	defer cancel()
	var errs []error
	for i := len(s.cleanups) - 1; i >= 0; i-- {
		if err := s.cleanups[i].run(ctx); err != nil {
			errs = append(errs, fmt.Errorf("closing %s: %w", s.cleanups[i].name, err))
		}
	}
	return errors.Join(errs...)
}
