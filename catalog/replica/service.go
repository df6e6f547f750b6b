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

// Log is what replicas are told of the change log.
type Log interface {
	AwaitNotes(ctx context.Context, from string, limit int, patience time.Duration) (changes []graphstore.Change, next string, err error)
}

// Writer repeats what the source has.
type Writer interface {
	Mirror(ctx context.Context, entities []write.Mirrored) error
	MirrorValues(ctx context.Context, urn, aspect string, gone []graphstore.TimeSeriesRange, put []graphstore.TimeSeriesValue) error
}

// Service gives replicas what they read, and follows a source. It is safe for concurrent
// use.
type Service struct {
	registry *model.Registry
	writer   Writer
	log      Log
	store    Store
	// identity tells catalogs apart, source is what the store is a replica of.
	identity records.Records[string]
	source   records.Records[following]
	logger   *slog.Logger
	model    string
	// pages are the pages that are made, each with what is stored of what changed.
	pages *graphstore.Lane

	mu     sync.Mutex
	status *Status
}

// New makes a Service that writes through a writer, and reads the change log.
func New(r *model.Registry, w Writer, log Log, store Store, door *records.Door, logger *slog.Logger) *Service {
	return &Service{
		registry: r, writer: w, log: log, store: store, logger: logger, model: modelOf(r), pages: graphstore.NewLane(limits.ReplicaPages),
		identity: records.Of[string](door, records.Identity), source: records.Of[following](door, records.Source),
	}
}

// Source is the server that is followed. A [Service] is one.
type Source interface {
	Page(ctx context.Context, from string, limit int, patience time.Duration) (*Page, error)
	SeriesAfter(ctx context.Context, urn, aspect string, after *graphstore.TimeSeriesPosition) (*Series, error)
}

// State is what a replica is doing.
type State string

const (
	// Level: it has everything that its source had when it asked last.
	Level State = "level"
	// CatchingUp: it applies changes.
	CatchingUp State = "catching up"
	// Failing: the source does not answer, or a change cannot be applied. It is tried
	// again.
	Failing State = "failing"
	// Lost: the source has another log than the one that was followed. Nothing is applied
	// any more.
	Lost State = "lost"
)

// Status is how a replica is.
type Status struct {
	Source string `json:"source"`
	State  State  `json:"state"`
	// LagChanges counts the changes that it lacks, as the source said last; -1 before
	// that. LagSeconds is how long ago it was level, 0 if it is, -1 if it never was since
	// the start.
	LagChanges int64   `json:"lagChanges"`
	LagSeconds float64 `json:"lagSeconds"`
	// Failure is why the last attempt failed, and is empty after one that did not.
	Failure string `json:"failure,omitempty"`
	// Warning is what may make the replica differ from its source.
	Warning string `json:"warning,omitempty"`

	levelAt time.Time
}

// Status returns how the replica is; false if the server is not one.
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

// following is the record of what the store is a replica of.
type following struct {
	Source string `json:"source"`
	Cursor string `json:"cursor"`

	revision string
}

// load returns what the store is a replica of; false if it is none.
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

// Begin makes the store a replica of a source, which is named by its address. The store
// must be empty, or a replica of this source already.
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

// sameSource reports whether two addresses are of the same source. A topic of Kafka may be reached
// through other brokers: its records name the catalog.
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

// Leave makes a store a catalog of its own. It returns what it was a replica of, "" if it
// was none.
func (s *Service) Leave(ctx context.Context) (source string, err error) {
	f, known, err := s.load(ctx)
	if err != nil || !known {
		return "", err
	}
	return f.Source, catalog.StoreFailure(s.source.Delete(ctx, "", f.revision))
}

// These are how a replica reads: how many changes at a time, and how long the source waits
// for one.
const (
	pageChanges = 500
	pageWait    = 20 * time.Second
)

// Follow applies the changes of the source until the context ends or the source has
// another log. [Service.Begin] comes first.
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

// followOnce applies pages until something fails.
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

// compareModels warns, once for each model of the source.
func (s *Service) compareModels(ctx context.Context, st *Status, source string) {
	switch {
	case source == "": // nothing was said
	case source == s.model:
		st.Warning = ""
	case st.Warning == "":
		st.Warning = otherModel
		s.logger.WarnContext(ctx, otherModel, "source", st.Source)
	}
}
