// Package neo4j is the graph store on a Neo4j server. Entities are nodes, aspect versions are
// child nodes of entities, and statements are relationships with exactly the names of the
// model. The Cypher statements are in package cypher.
package neo4j

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/notifications"

	"github.com/headwater-io/headwater/cypher"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// Options configure a store. Only URI is required.
type Options struct {
	// URI is bolt:// for one server or neo4j:// for routing in a cluster, with
	// +s for TLS.
	URI            string
	User, Password string
	// Database is the name of the database; empty means the default of the server.
	Database string
	// MaxConnections bounds the connections of the pool. MaxConnections is raised to
	// limits.MinGraphPool; 0 means 100.
	MaxConnections int
	// AcquireTimeout bounds the wait of a call for a connection; 0 means 10 s.
	AcquireTimeout time.Duration
	// OpenTimeout bounds the time in which [Open] reaches the database and reads the number of its
	// schema; 0 means the time of the context. The migration of a large database takes longer, and
	// only the context bounds it.
	OpenTimeout time.Duration
	// RetryTime bounds the retries of a transaction after transient failures; 0 means 30 s.
	RetryTime time.Duration
	// CAFile is a PEM file with the authority that signed the server's certificate.
	CAFile string
	Logger *slog.Logger
	// Queue bounds the updates that wait for their turn, Patience the wait of each. Beyond either
	// bound, Update fails with [graphstore.ErrBusy]. Zero means limits.MaxQueuedWrites and
	// limits.MaxQueuedWriteTime.
	Queue    int
	Patience time.Duration
	// Now is the machine's clock; nil means time.Now.
	Now func() time.Time
	// Labels maps entity types to node labels. The label of another type is its name with a
	// capital letter.
	Labels map[string]string
	// RelationshipTypes is the closed list of relationship names.
	RelationshipTypes []string
	// Kinds are all kinds of edges of the model; an empty destination type means any. By them, the
	// store decides when names of relationships and types of entities suffice for a walk in one
	// statement.
	Kinds []graphstore.EdgeKind
	// ForPeople computes the properties for people who read the database. Without it, nodes have
	// only the properties that are written, and the only columns are the columns of NodeUpdate.
	ForPeople graphstore.ForPeople
	// PlanLater delays the planning of the statements of groups until PlanGroups is called.
	PlanLater bool
	// Mirrored are the kinds of lineage that point downstream. Each edge of these kinds also gets
	// a FED_BY in the opposite direction.
	Mirrored []graphstore.EdgeKind
}

// Store is a graph store on Neo4j.
type Store struct {
	driver     driver.DriverWithContext
	login      *login
	database   string
	bookmarks  driver.BookmarkManager
	statements *cypher.Statements
	labels     map[string]string
	aspects    sync.Map // aspect name -> label
	types      []string
	kinds      []graphstore.EdgeKind
	mirrored   map[graphstore.EdgeKind]bool
	people     graphstore.ForPeople
	logger     *slog.Logger
	clock      *graphstore.Clock
	queue      *queue
	groupTexts groupTexts
	retryTime  time.Duration
	// groupPatience and groupReads are the constants, or values that a test sets.
	groupPatience time.Duration
	groupReads    int
	bulk          bulkPlaces
	lanes         lanes
	closed        atomic.Bool
	// warmed is closed when the statements of groups are planned, or when planning has failed.
	// Until then, each update has a transaction of its own.
	warmed chan struct{}
	warm   func()
	// plans has a planOnce for each statement of groups.
	plans sync.Map
	// cool ends the planning.
	cool context.CancelFunc
}

var _ graphstore.Store = (*Store)(nil)

// Open connects to the database and applies the migrations that it lacks.
func Open(ctx context.Context, o Options) (*Store, error) {
	o.MaxConnections = connections(o.MaxConnections)
	if o.AcquireTimeout == 0 {
		o.AcquireTimeout = 10 * time.Second
	}
	if o.RetryTime == 0 {
		o.RetryTime = 30 * time.Second
	}
	if o.Queue == 0 {
		o.Queue = limits.MaxQueuedWrites
	}
	if o.Patience == 0 {
		o.Patience = limits.MaxQueuedWriteTime
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	trust, err := trustedBy(o.CAFile)
	if err != nil {
		return nil, err
	}
	login := newLogin(o.User, o.Password)
	d, err := driver.NewDriverWithContext(o.URI, login, func(c *config.Config) {
		c.MaxConnectionPoolSize = o.MaxConnections
		c.ConnectionAcquisitionTimeout = o.AcquireTimeout
		c.MaxTransactionRetryTime = o.RetryTime
		c.TlsConfig = trust
		c.UserAgent = "headwater"
		c.NotificationsMinSeverity = notifications.DisabledLevel
		c.TelemetryDisabled = true
	})
	if err != nil {
		return nil, fmt.Errorf("neo4j address: %w", err)
	}
	s := &Store{
		driver: d, login: login, database: o.Database, labels: o.Labels, types: o.RelationshipTypes, logger: o.Logger, clock: graphstore.NewClock(o.Now, 0, o.Logger),
		bookmarks: driver.NewBookmarkManager(driver.BookmarkManagerConfig{}), bulk: newBulkPlaces(),
		lanes: newLanes(o.MaxConnections),
		kinds: o.Kinds, mirrored: map[graphstore.EdgeKind]bool{}, retryTime: o.RetryTime, groupPatience: groupPatience, groupReads: maxGroupReads,
		warmed: make(chan struct{}), people: o.ForPeople,
	}
	s.queue = newQueue(o.Queue, o.Patience, s.serve, o.Logger)
	for _, kind := range o.Mirrored {
		s.mirrored[kind] = true
	}
	if s.statements, err = cypher.Load(o.RelationshipTypes, s.walkedLabels()); err == nil {
		s.groupTexts, err = newGroupTexts(s.statements, s.types)
	}
	if err == nil {
		err = s.connect(ctx, o.OpenTimeout)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close(ctx))
	}
	ctx, s.cool = context.WithCancel(context.WithoutCancel(ctx))
	s.warm = sync.OnceFunc(func() { s.queue.tasks.Go("planning statements", func() { s.planGroups(ctx) }) })
	if !o.PlanLater {
		s.warm()
	}
	return s, nil
}

func trustedBy(file string) (*tls.Config, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("certificate authority: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("certificate authority: %s contains no certificate", file)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}

func (s *Store) connect(ctx context.Context, timeout time.Duration) error {
	version, err := s.reach(ctx, timeout)
	if err != nil {
		return err
	}
	return s.migrate(ctx, version)
}

// reach waits for the database, up to a timeout, and returns the version of its schema.
func (s *Store) reach(ctx context.Context, timeout time.Duration) (int, error) {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	if err := s.driver.VerifyConnectivity(ctx); err != nil {
		return 0, s.failure(ctx, err)
	}
	return one(ctx, s, "schema/version", nil, func(r *driver.Record) (int, error) { return int(integer(r, "version")), nil })
}

// execWrite runs one statement in a write transaction of its own.
func (s *Store) execWrite(ctx context.Context, text string, params map[string]any) error {
	leave, err := s.lanes.writes.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	session := s.session(ctx, driver.AccessModeWrite)
	defer s.end(ctx, session)
	_, err = session.ExecuteWrite(ctx, func(tx driver.ManagedTransaction) (any, error) {
		result, err := tx.Run(ctx, text, params)
		if err != nil {
			return nil, err
		}
		return result.Consume(ctx)
	}, bounds(ctx, 0)...)
	return s.failure(ctx, err)
}

func (s *Store) session(ctx context.Context, mode driver.AccessMode) driver.SessionWithContext {
	return s.sessionOf(ctx, mode, manyRecords)
}

// sessionOf returns a session in which the database sends a number of records at once.
func (s *Store) sessionOf(ctx context.Context, mode driver.AccessMode, atOnce int) driver.SessionWithContext {
	return s.driver.NewSession(ctx, driver.SessionConfig{
		AccessMode: mode, DatabaseName: s.database, BookmarkManager: s.bookmarks, FetchSize: atOnce,
	})
}

// end closes a session, even if the context of the caller has ended.
func (s *Store) end(ctx context.Context, session driver.SessionWithContext) {
	if err := session.Close(context.WithoutCancel(ctx)); err != nil {
		s.logger.DebugContext(ctx, "closing a Neo4j session", "error", err)
	}
}

// Ping returns an error if the database does not answer.
func (s *Store) Ping(ctx context.Context) error {
	_, err := one(ctx, s, "read/ping", nil, func(r *driver.Record) (int64, error) { return integer(r, "one"), nil })
	return err
}

// closeTimeout bounds the closing of connections.
const closeTimeout = 10 * time.Second

// Close waits for the updates that run, refuses the updates that wait, and closes all
// connections.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	s.cool()
	running := s.queue.close(ctx)
	if err := s.driver.Close(ctx); err != nil || running == nil {
		return errors.Join(running, err)
	}
	// Updates that took longer have lost their connections, so they end now.
	last, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	return s.queue.tasks.Wait(last)
}

// failure converts an error of the driver to an error of the store.
func (s *Store) failure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if s.closed.Load() {
		return graphstore.ErrClosed
	}
	if errors.Is(err, graphstore.ErrBusy) {
		return err
	}
	if ctxErr := ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded // the sockets of the driver have the same deadline, and may notice it first
	}
	var server *driver.Neo4jError
	switch {
	case tookTooLong(err):
		return context.DeadlineExceeded
	case errors.Is(err, graphstore.ErrBusy):
		return err
	case isDeadlock(err):
		return fmt.Errorf("%w: %w", graphstore.ErrBusy, err)
	case driver.IsConnectivityError(err), driver.IsRetryable(err), driver.IsTransactionExecutionLimit(err):
		return fmt.Errorf("%w: %w", graphstore.ErrUnavailable, err)
	case errors.As(err, &server) && refusesLogin(server.Code):
		return fmt.Errorf("%w: neo4j refuses the user or the password: %w", graphstore.ErrUnavailable, err)
	}
	return err
}

// label returns the node label of an entity type.
func (s *Store) label(entityType string) string {
	if label, ok := s.labels[entityType]; ok {
		return label
	}
	return capital(entityType)
}

// aspectLabel returns the node label of an aspect. Two aspects have the same name as an entity
// type, and get another label.
func (s *Store) aspectLabel(name string) string {
	if label, ok := s.aspects.Load(name); ok {
		return label.(string)
	}
	label := capital(name)
	for _, taken := range s.labels {
		if taken == label {
			label += "Aspect"
			break
		}
	}
	s.aspects.Store(name, label)
	return label
}

func capital(name string) string {
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		return "X" + name
	}
	return string(name[0]-'a'+'A') + name[1:]
}
