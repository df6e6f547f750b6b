// Package replica keeps the catalog of one server level with the catalog of another server, its
// source, by the source's change log. The package decides the form of the log that replicas
// read, how a replica applies a page of the log, and how the distance between a replica and its
// source is measured.
//
// A page has changes, and the present state at the source of the parts of entities that they
// changed. If a later change concerns the same part, the page may leave out its state. So a
// replica may be ahead of its cursor but is never behind it, and a page may be applied any
// number of times.
// The reasons are in docs/decisions/0068-replicas.md.
package replica

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Format is the version of the form of pages.
const Format = 1

// Page is a part of the change log with the states that a replica needs to apply it.
type Page struct {
	Format   int      `json:"format"`
	Changes  []Change `json:"changes"`
	Entities []Entity `json:"entities,omitempty"`
	// Series lists time series of which values may have been deleted.
	Series []Series `json:"series,omitempty"`
	// Next is the cursor after the page. Lag counts the changes after it. Time is when the newest
	// change of the log was made, epoch milliseconds.
	Next string `json:"next"`
	Lag  int64  `json:"lag"`
	Time int64  `json:"time"`
	// Model identifies the model of the source, so that a replica can compare it with its own.
	Model string `json:"model,omitempty"`
}

// Log returns the cursor in the log after the page or, for a page of a snapshot, after the
// whole snapshot.
func (p *Page) Log() string {
	if place, err := placeIn(p.Next); err == nil && place != nil {
		return place.Then
	}
	return p.Next
}

// Change is a change of the log without values.
type Change struct {
	Time           int64                 `json:"time"`
	Actor          string                `json:"actor"`
	Kind           graphstore.ChangeKind `json:"kind"`
	URN            string                `json:"urn"`
	EntityType     string                `json:"entityType"`
	Aspect         string                `json:"aspect"`
	Seq            int64                 `json:"seq,omitempty"`
	PreviousSeq    int64                 `json:"previousSeq,omitempty"`
	TimeSeriesTime int64                 `json:"timeSeriesTime,omitempty"`
	TimeSeriesKey  string                `json:"timeSeriesKey,omitempty"`
}

// Entity is the state of an entity at the source: of the whole entity, or of the listed
// aspects.
type Entity struct {
	URN     string   `json:"urn"`
	Whole   bool     `json:"whole,omitempty"`
	Aspects []string `json:"aspects,omitempty"`
	// State is nil if nothing is stored of the entity or aspects.
	State *transfer.ExportEntity `json:"state,omitempty"`
	// Properties are the properties of the entity's node, nil if the entity does not exist.
	Properties json.RawMessage `json:"properties,omitempty"`
	// Observed lists the latest versions, without values, of an entity that was written again with
	// equal values.
	Observed []transfer.ExportVersion `json:"observed,omitempty"`
	Values   []Value                  `json:"values,omitempty"`
}

// Value is a value of a time series.
type Value struct {
	Aspect    string `json:"aspect"`
	Key       string `json:"key"`
	Timestamp int64  `json:"timestamp"`
	transfer.ExportStamp
}

// Series has the values of a time series after a position, in the order of times and keys.
// Unless Last is set, more values follow.
type Series struct {
	URN    string  `json:"urn"`
	Aspect string  `json:"aspect"`
	Values []Value `json:"values"`
	Last   bool    `json:"last"`
	// Part tells that this part can be applied alone. Otherwise the values are the beginning of a
	// series whose rest the replica must request. With Part, the values begin after the position
	// After, nil for the beginning, and Carried has the earlier values that have the same time as
	// After.
	Part    bool      `json:"part,omitempty"`
	After   *Position `json:"after,omitempty"`
	Carried []Value   `json:"carried,omitempty"`
}

// seriesPage bounds the values of a series in one answer.
const seriesPage = 200

// Store is the part of the graph store from which pages are made, and with which a replica
// compares them.
type Store interface {
	History(ctx context.Context, urns []string) (map[string]graphstore.History, error)
	Entities(ctx context.Context, urns []string) ([]graphstore.Entity, error)
	Holdings(ctx context.Context, urns []string) (map[string]graphstore.Holdings, error)
	TimeSeries(ctx context.Context, query graphstore.TimeSeriesQuery) ([]graphstore.TimeSeriesValue, error)
	Lag(ctx context.Context, after string) (int64, error)
	EndCursor(ctx context.Context) (string, error)
	ScanEntities(ctx context.Context, after string, limit int) ([]string, error)
	NewestTime(ctx context.Context) (int64, error)
}

// Page returns the log after a cursor, up to limit changes. If there are no changes, Page waits
// for some until the context ends or the given time has passed. A page ends early if the states
// of its entities are large. If the beginning of the log was deleted, a page from the beginning
// is the first page of a snapshot, and the following pages belong to the snapshot too.
func (s *Service) Page(ctx context.Context, from string, limit int, patience time.Duration) (*Page, error) {
	if err := permission.RequireWhole(ctx, "read what replicas are filled from"); err != nil {
		return nil, err
	}
	if place, err := placeIn(from); place != nil || err != nil {
		if err != nil {
			return nil, err
		}
		return s.snapshotPage(ctx, place, limit)
	}
	var leave func()
	defer func() {
		if leave != nil {
			leave()
		}
	}()
	for {
		changes, next, err := s.log.AwaitNotes(ctx, from, limit, patience)
		if from == "" && catalog.CodeOf(err) == catalog.Gone {
			return s.beginSnapshot(ctx)
		}
		if err != nil {
			return nil, err
		}
		if len(changes) == 0 && ctx.Err() != nil { // the caller has left, or the server stops
			return &Page{Format: Format, Next: next}, nil //nolint:nilerr // not a failure
		}
		p := &pageBuilder{store: s.store, registry: s.registry, room: limits.MaxReplicaPageBytes, entities: map[string]*wanted{}}
		p.page.Changes = []Change{}
		if len(changes) > 0 {
			if leave == nil { // only one turn, however often the page is made smaller
				if leave, err = s.enter(ctx); err != nil {
					return nil, err
				}
			}
			fits, err := p.build(ctx, changes, len(changes) == 1)
			if err != nil {
				return nil, catalog.StoreFailure(err)
			}
			if !fits {
				limit = len(changes) / 2
				continue
			}
		}
		p.page.Format, p.page.Model, p.page.Next = Format, s.model, next
		if p.page.Lag, err = s.store.Lag(ctx, next); err != nil {
			return nil, catalog.StoreFailure(err)
		}
		p.page.Time, err = s.store.NewestTime(ctx)
		return &p.page, catalog.StoreFailure(err)
	}
}

// enter waits for a turn to make a page, and returns the function that ends the turn. enter
// fails with Busy if the turn does not come within limits.LaneWait.
func (s *Service) enter(ctx context.Context) (leave func(), err error) {
	leave, err = s.pages.EnterSoon(ctx)
	return leave, catalog.StoreFailure(err)
}

// pageBuilder collects the states of entities that changes concern.
type pageBuilder struct {
	store    Store
	registry *model.Registry
	page     Page
	entities map[string]*wanted
	urns     []string
	// room is the number of bytes that the page may still have.
	room int
}

// wanted tells which parts of an entity a page needs.
type wanted struct {
	whole, observed bool
	// aspects has the last change of each changed aspect.
	aspects map[string]*graphstore.Change
	values  map[string]map[string]int64
	series  map[string]bool
}

func (p *pageBuilder) want(urn string) *wanted {
	w := p.entities[urn]
	if w == nil {
		w = &wanted{aspects: map[string]*graphstore.Change{}, values: map[string]map[string]int64{}, series: map[string]bool{}}
		p.entities[urn] = w
		p.urns = append(p.urns, urn)
	}
	return w
}

// note marks the part of an entity that a change concerns as wanted.
func (p *pageBuilder) note(c *graphstore.Change) {
	w := p.want(c.URN)
	aspect, known := p.registry.Aspect(c.Aspect)
	isKey := known && aspect.IsKey
	switch {
	case c.TimeSeriesKey != "":
		if w.values[c.Aspect] == nil {
			w.values[c.Aspect] = map[string]int64{}
		}
		w.values[c.Aspect][c.TimeSeriesKey] = c.TimeSeriesTime
	case isKey && (c.Kind == graphstore.ChangeDelete || c.Kind == graphstore.ChangeNote && c.Seq != 0), c.Aspect == "":
		w.whole = true
	case known && aspect.TimeSeries, c.Aspect == catalog.RolledBackSeries, c.Aspect == catalog.RollbacksSeries:
		w.series[c.Aspect] = true
	case c.Kind == graphstore.ChangeRestate, c.Kind == graphstore.ChangeNote && isKey:
		w.observed = true
	default:
		w.aspects[c.Aspect] = c
	}
}

// build makes the page of changes, and reports whether it fits. With must, build makes the page
// in any case.
func (p *pageBuilder) build(ctx context.Context, changes []graphstore.Change, must bool) (fits bool, err error) {
	p.page.Changes = make([]Change, len(changes))
	for i := range changes {
		c := &changes[i]
		p.note(c)
		p.page.Changes[i] = Change{c.Time, c.Actor, c.Kind, c.URN, c.EntityType, c.Aspect, c.Seq, c.PreviousSeq, c.TimeSeriesTime, c.TimeSeriesKey}
	}
	return p.addAll(ctx, must)
}

// addAll adds the wanted states, and reports whether they fit. With must, addAll adds them in
// any case.
func (p *pageBuilder) addAll(ctx context.Context, must bool) (fits bool, err error) {
	for chunk := range slices.Chunk(p.urns, entitiesAtOnce) {
		if err := p.add(ctx, chunk); err != nil {
			return false, err
		}
		if p.room < 0 && !must {
			return false, nil
		}
	}
	return true, nil
}

// entitiesAtOnce bounds the entities whose states are in memory at once.
const entitiesAtOnce = 50

func (p *pageBuilder) add(ctx context.Context, urns []string) error {
	histories, err := p.store.History(ctx, urns)
	if err != nil {
		return err
	}
	properties, err := p.properties(ctx, urns)
	if err != nil {
		return err
	}
	for _, urn := range urns {
		w := p.entities[urn]
		history := histories[urn]
		e := Entity{URN: urn, Whole: w.whole, Properties: properties[urn]}
		if w.whole {
			e.State = transfer.EntityOf(urn, &history)
		} else {
			e.Aspects = w.lastChanges(&history)
			if state := write.AspectsOfHistory(&history, e.Aspects); len(e.Aspects) > 0 {
				e.State = transfer.EntityOf(urn, &state)
			}
			e.observe(w, &history)
		}
		p.spend(e.State)
		p.room -= len(e.Properties)
		if err := p.addValues(ctx, &e, w); err != nil {
			return err
		}
		p.page.Entities = append(p.page.Entities, e)
		if err := p.addSeries(ctx, urn, w); err != nil {
			return err
		}
	}
	return nil
}

// properties returns the properties of the nodes of entities. They are read after the
// histories, so they are not older.
func (p *pageBuilder) properties(ctx context.Context, urns []string) (map[string]json.RawMessage, error) {
	nodes, err := p.store.Entities(ctx, urns)
	if err != nil {
		return nil, err
	}
	properties := map[string]json.RawMessage{}
	for i := range nodes {
		if !nodes[i].Exists {
			continue
		}
		if properties[nodes[i].URN], err = json.Marshal(nodes[i].Properties); err != nil {
			return nil, err
		}
	}
	return properties, nil
}

// lastChanges returns the changed aspects whose state belongs on this page, in alphabetical
// order. If the latest version of an aspect is not the one that the change wrote, a later
// change concerns the aspect too, and the page leaves its state out.
func (w *wanted) lastChanges(h *graphstore.History) []string {
	latest := map[string]int64{}
	for i := range h.Versions {
		if v := &h.Versions[i]; v.IsLatest() {
			latest[v.Name] = v.Seq
		}
	}
	var names []string
	for name, c := range w.aspects {
		if latest[name] == c.Seq || c.Kind == graphstore.ChangeNote {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// observe adds the latest versions without their values, if an equal write has changed when
// they were last observed.
func (e *Entity) observe(w *wanted, h *graphstore.History) {
	if !w.observed {
		return
	}
	for _, v := range transfer.EntityOf(e.URN, &graphstore.History{Versions: h.Versions}).Versions {
		if v.Latest {
			v.Value = nil
			e.Observed = append(e.Observed, v)
		}
	}
}

func (p *pageBuilder) spend(e *transfer.ExportEntity) {
	if e == nil {
		return
	}
	for i := range e.Versions {
		p.room -= len(e.Versions[i].Value) + versionBytes
	}
	p.room -= len(e.Edges) * edgeBytes
}

// These are the sizes that a version without its value, and an edge, count as.
const (
	versionBytes = 256
	edgeBytes    = 512
)
