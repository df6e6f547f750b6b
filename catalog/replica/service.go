package replica

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/model"
)

// Log reads the change log with the notes for replicas.
type Log interface {
	AwaitNotes(ctx context.Context, from string, limit int, patience time.Duration) (changes []graphstore.Change, next string, err error)
}

// Writer writes the states of the source.
type Writer interface {
	Mirror(ctx context.Context, entities []write.Mirrored) error
	MirrorValues(ctx context.Context, urn, aspect string, gone []graphstore.TimeSeriesRange, put []graphstore.TimeSeriesValue) error
}

// Service makes pages for replicas, and follows a source. Service is safe for concurrent use.
type Service struct {
	registry *model.Registry
	writer   Writer
	log      Log
	store    Store
	// identity has the record with the identity of the catalog, source the record with the source
	// of a replica.
	identity records.Records[string]
	source   records.Records[following]
	logger   *slog.Logger
	model    string
	// pages bounds the pages that are made at once. Each page has the states of many entities in
	// memory.
	pages *graphstore.Lane

	mu     sync.Mutex
	status *Status
}

// New makes a Service that writes through a writer and reads the change log.
func New(r *model.Registry, w Writer, log Log, store Store, door *records.Door, logger *slog.Logger) *Service {
	return &Service{
		registry: r, writer: w, log: log, store: store, logger: logger, model: modelOf(r), pages: graphstore.NewLane(limits.ReplicaPages),
		identity: records.Of[string](door, records.Identity), source: records.Of[following](door, records.Source),
	}
}

// Source is the server that a replica follows. A [Service] is one.
type Source interface {
	Page(ctx context.Context, from string, limit int, patience time.Duration) (*Page, error)
	SeriesAfter(ctx context.Context, urn, aspect string, after *graphstore.TimeSeriesPosition) (*Series, error)
}

// State is the state of a replica.
type State string

const (
	// Level: the replica has all changes that its source had at the last request.
	Level State = "level"
	// CatchingUp: the replica applies changes.
	CatchingUp State = "catching up"
	// Failing: the source does not answer, or a change cannot be applied. The replica tries again.
	Failing State = "failing"
	// Lost: the log of the source is not the log that the replica followed. The replica applies no more
	// changes.
	Lost State = "lost"
)

// Status describes a replica.
type Status struct {
	Source string `json:"source"`
	State  State  `json:"state"`
	// LagChanges is the number of changes that the replica lacks by the last answer of the source;
	// -1 before the first answer. LagSeconds is the time since the replica was level, 0 if it is
	// level, -1 if it has not been level since the start.
	LagChanges int64   `json:"lagChanges"`
	LagSeconds float64 `json:"lagSeconds"`
	// Failure is the failure of the last attempt, "" if it succeeded.
	Failure string `json:"failure,omitempty"`
	// Warning is a reason why the replica may differ from its source.
	Warning string `json:"warning,omitempty"`

	levelAt time.Time
}

// Status returns the status of the replica, and false if the server is no replica.
func (s *Service) Status() (Status, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status == nil {
		return Status{}, false
	}
	status := *s.status
	switch {
	case status.State == Level:
	case status.levelAt.IsZero():
		status.LagSeconds = -1
	default:
		status.LagSeconds = time.Since(status.levelAt).Seconds()
	}
	return status, true
}

func (s *Service) set(change func(*Status)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.status)
}

// following is the record with the source of a replica.
type following struct {
	Source string `json:"source"`
	Cursor string `json:"cursor"`

	revision string
}

// load reads the source of the replica. load returns false if the store is no replica.
func (s *Service) load(ctx context.Context) (following, bool, error) {
	record, known, err := s.source.Get(ctx, "")
	record.Value.revision = record.Revision
	return record.Value, known, err
}

func (s *Service) save(ctx context.Context, f *following) error {
	revision, err := s.source.Put(ctx, "", *f, f.revision)
	if errors.Is(err, records.ErrChanged) {
		return catalog.Errorf(catalog.Conflict, "another server follows a source into the same store; only one may")
	}
	f.revision = revision
	return err
}

// Begin makes the store a replica of a source, which is named by its address. The store must be
// empty, or already be a replica of this source.
func (s *Service) Begin(ctx context.Context, source string) error {
	f, known, err := s.load(ctx)
	if err != nil {
		return err
	}
	switch {
	case known && !sameSource(f.Source, source):
		return catalog.Errorf(catalog.Conflict, "this store is a replica of %s, not of %s; use another --data", f.Source, source)
	case known && f.Source != source:
		f.Source = source
		if err := s.save(ctx, &f); err != nil {
			return err
		}
	case !known:
		lag, err := s.store.Lag(ctx, "")
		if err != nil {
			return catalog.StoreFailure(err)
		}
		if lag > 0 {
			return catalog.Errorf(catalog.Conflict, "this store has a catalog of its own; a replica begins with an empty store")
		}
		if err := s.save(ctx, &following{Source: source}); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = &Status{Source: source, State: CatchingUp, LagChanges: -1}
	return nil
}

// sameSource reports whether two addresses name the same source. A topic of Kafka may be
// reached through different brokers; its records name the catalog.
func sameSource(a, b string) bool {
	const kafka = "kafka://"
	one, isKafka := strings.CutPrefix(a, kafka)
	other, areKafka := strings.CutPrefix(b, kafka)
	if !isKafka || !areKafka {
		return a == b
	}
	_, topic, _ := strings.Cut(one, "/")
	_, otherTopic, _ := strings.Cut(other, "/")
	return topic == otherTopic
}

// Leave makes the store of a replica a catalog of its own. Leave returns the former source, ""
// if the store was no replica.
func (s *Service) Leave(ctx context.Context) (source string, err error) {
	f, known, err := s.load(ctx)
	if err != nil || !known {
		return "", err
	}
	return f.Source, catalog.StoreFailure(s.source.Delete(ctx, "", f.revision))
}

// pageChanges bounds the changes that a replica reads at once, pageWait the time for which the
// source waits for a change.
const (
	pageChanges = 500
	pageWait    = 20 * time.Second
)

// Follow applies the changes of the source until the context ends or the source has another
// log. [Service.Begin] must be called before.
func (s *Service) Follow(ctx context.Context, source Source) {
	wait := catalog.RetryFirst
	for ctx.Err() == nil {
		err := safely.Do(func() error { return s.followOnce(ctx, source, func() { wait = catalog.RetryFirst }) })
		switch {
		case err == nil || ctx.Err() != nil:
			return
		case catalog.CodeOf(err) == catalog.Gone:
			s.logger.ErrorContext(ctx, "the source has lost the change log that was followed; this replica stays as it is: begin again with an empty store", "error", err)
			s.set(func(st *Status) { st.State, st.Failure = Lost, catalog.MessageOf(err) })
			return
		}
		s.logger.WarnContext(ctx, "the source cannot be followed now; trying again", "error", err, "wait", wait)
		s.set(func(st *Status) { st.State, st.Failure = Failing, failureText(err) })
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		wait = min(2*wait, catalog.RetryMost)
	}
}

func failureText(err error) string {
	var known *catalog.Error
	if errors.As(err, &known) {
		return catalog.MessageOf(err)
	}
	return catalog.Beginning(err.Error())
}

// followOnce applies pages until an error occurs.
func (s *Service) followOnce(ctx context.Context, source Source, worked func()) error {
	f, known, err := s.load(ctx)
	if err != nil {
		return err
	}
	if !known {
		return catalog.Errorf(catalog.Conflict, "the store is no longer a replica")
	}
	for patience := time.Duration(0); ; patience = pageWait {
		if err := s.Step(ctx, source, &f.Cursor, pageChanges, patience, func() error { return s.save(ctx, &f) }); err != nil {
			return err
		}
		worked()
	}
}

// Step applies one page after a cursor, moves the cursor, and calls save.
func (s *Service) Step(ctx context.Context, source Source, cursor *string, limit int, patience time.Duration, save func() error) error {
	page, err := source.Page(ctx, *cursor, limit, patience)
	if err != nil {
		return err
	}
	if page.Format != Format {
		return catalog.Errorf(catalog.Invalid, "the source speaks format %d of the log, this server %d; both must be of the same release", page.Format, Format)
	}
	if err := s.apply(ctx, source, page); err != nil {
		return err
	}
	if *cursor != page.Next {
		*cursor = page.Next
		if err := save(); err != nil {
			return err
		}
	}
	s.set(func(st *Status) {
		if st == nil {
			return
		}
		st.State, st.Failure, st.LagChanges = CatchingUp, "", page.Lag
		s.compareModels(ctx, st, page.Model)
		if page.Lag == 0 {
			st.State, st.levelAt = Level, time.Now()
		}
	})
	return nil
}

const otherModel = "the source has another model than this server: a custom model may be missing, or one of the two is of another release"

// compareModels warns, once for each model of the source, if the model differs.
func (s *Service) compareModels(ctx context.Context, st *Status, source string) {
	switch {
	case source == "": // the source did not name its model
	case source == s.model:
		st.Warning = ""
	case st.Warning == "":
		st.Warning = otherModel
		s.logger.WarnContext(ctx, otherModel, "source", st.Source)
	}
}
