// Package announced keeps the changes that people have announced before they merge them, as headwater check finds them, and
// compares the changes of schemas that arrive later with them. An announced change is an entity: its aspect has the
// promise, who agreed, and the parts of the promise that have arrived. A change that breaks readers and that nobody announced is kept as an
// entity of the same type.
//
// The package is a follower of the change log (package delivery). It tells nobody itself: its writes are in the log, and the
// feeds (package feed) tell of them.
// The reasons are in docs/decisions/0110-announced-changes.md.
package announced

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// Follower is the name of the matching among the followers of the change log.
const Follower = "announced-changes"

// Privilege is the privilege of the platform that permits to announce and to withdraw changes.
const Privilege = "ANNOUNCE_CHANGES"

// The states of a change. Expired is never stored: it is the state of a change of which some part has not
// arrived in time.
const (
	StateAnnounced   = "ANNOUNCED"
	StatePartly      = "PARTLY_ARRIVED"
	StateArrived     = "ARRIVED"
	StateWithdrawn   = "WITHDRAWN"
	StateUnannounced = "UNANNOUNCED"
	StateExpired     = "EXPIRED"
)

// States lists the states, in the order of the life of a change.
func States() []string {
	return []string{StateAnnounced, StatePartly, StateArrived, StateExpired, StateWithdrawn, StateUnannounced}
}

// The kinds of announced changes, with the names of package change.
const (
	tableRemoved   = "tableRemoved"
	columnDropped  = "columnDropped"
	columnRenamed  = "columnRenamed"
	columnRetyped  = "columnRetyped"
	nullability    = "nullabilityChanged"
	meaningChanged = "meaningChanged"
	lineageLost    = "lineageLost"
	rowsChanged    = "rowsChanged"
)

// Kinds returns the kinds of changes that may be announced, first the kinds whose arrival the catalog shows later,
// then the kinds that only explain a loss of lineage.
func Kinds() []string {
	return []string{tableRemoved, columnDropped, columnRenamed, columnRetyped, nullability, lineageLost, meaningChanged, rowsChanged}
}

// Member is one change of a table or of a column.
type Member struct {
	Kind string `json:"kind"`
	// Datasets are the URNs of the table: its URN on its platform, and its URN in dbt.
	Datasets []string `json:"datasets"`
	// Table is a name for people, and Column the name of the column, "" for a change of the table. Path is the path of the column
	// in the catalog if it is not its name.
	Table  string `json:"table,omitempty"`
	Column string `json:"column,omitempty"`
	Path   string `json:"path,omitempty"`
	// Sure is how certain the change is, from 0 to 1, and How says why.
	Sure    float64 `json:"sure,omitempty"`
	How     string  `json:"how,omitempty"`
	NewName string  `json:"newName,omitempty"`
	OldType string  `json:"oldType,omitempty"`
	NewType string  `json:"newType,omitempty"`
	// Arrivals are the changes of the log that this member announced, one for each dataset.
	Arrivals []Arrival `json:"arrivals,omitempty"`
}

// Arrival is a change of the log that was announced, or that nobody announced.
type Arrival struct {
	Dataset string `json:"dataset"`
	// Field is the URN of the column as it was, "" for a change of the dataset.
	Field string `json:"field,omitempty"`
	// Time is the time of the log, epoch milliseconds. Actor and RunID say who wrote the change.
	Time  int64  `json:"time"`
	Actor string `json:"actor,omitempty"`
	RunID string `json:"runId,omitempty"`
	// Change identifies the change of the log. Description has it in words.
	Change      string `json:"change"`
	Description string `json:"description"`
}

// IsAbout reports whether the change is about a dataset.
func (m *Member) IsAbout(dataset string) bool { return slices.Contains(m.Datasets, dataset) }

// Effect is something that fails or may be affected, as the check said.
type Effect struct {
	URN    string `json:"urn,omitempty"`
	Name   string `json:"name"`
	Effect string `json:"effect"`
	Why    string `json:"why,omitempty"`
}

// Exception is a finding that somebody let pass.
type Exception struct {
	URN    string `json:"urn,omitempty"`
	Name   string `json:"name"`
	Rule   string `json:"rule"`
	Who    string `json:"who"`
	Until  string `json:"until"`
	Reason string `json:"reason"`
}

// Promise is the result of the check of a change.
type Promise struct {
	// Changes are the promised changes.
	Changes []Member `json:"changes"`
	// Effects are some of the effects; Certain and Possible count all of them.
	Effects  []Effect `json:"effects,omitempty"`
	Certain  int      `json:"certain"`
	Possible int      `json:"possible"`
	// Refused: the policy refused the change. Exceptions name who agreed, the agreed effects, and the reason.
	Refused    bool        `json:"refused"`
	Exceptions []Exception `json:"exceptions,omitempty"`
}

// Info is the aspect of an announced change.
type Info struct {
	Title string `json:"title"`
	State string `json:"state"`
	// Reason says why the change was withdrawn.
	Reason      string `json:"reason,omitempty"`
	PullRequest string `json:"pullRequest,omitempty"`
	Repository  string `json:"repository,omitempty"`
	// Project is the directory of the project in its repository, "" for the root.
	Project string `json:"project,omitempty"`
	Author  string `json:"author,omitempty"`
	// Created is when the change was first announced, and by whom; LastAnnounced the last time, nil if it is the first.
	Created       catalog.AuditStamp  `json:"created"`
	LastAnnounced *catalog.AuditStamp `json:"lastAnnounced,omitempty"`
	// ExpiresAt is the time until which the change is expected, in epoch milliseconds; 0 for a change that
	// nobody announced.
	ExpiresAt int64 `json:"expiresAt,omitempty"`
	Promise
}

// Change is an announced change, as a caller may see it.
type Change struct {
	URN string `json:"urn"`
	Info
}

// Store is the part of the graph store that is read.
type Store interface {
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
	ListEntities(ctx context.Context, entityType string, page graphstore.Page) (urns []string, total int64, err error)
	Edges(ctx context.Context, query graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error)
}

// Writer writes announced changes.
type Writer interface {
	Create(ctx context.Context, urn model.URN, aspects map[string]catalog.Tree, o catalog.WriteOptions) error
	EditWith(ctx context.Context, edits []write.Edit, properties map[string]string, o catalog.WriteOptions) error
	DeleteEntities(ctx context.Context, entities []model.URN, dryRun bool, o catalog.WriteOptions) ([]write.Deletion, error)
}

// Events tells the meaning of a change of the log.
type Events interface {
	Of(ctx context.Context, c *catalog.Change) ([]changeevents.Event, error)
}

// Followers runs and removes followers of the change log.
type Followers interface {
	Run(ctx context.Context, w delivery.Worker) error
	Forget(ctx context.Context, name string) error
}

// Options configure a Service. All are required.
type Options struct {
	Registry *model.Registry
	// Shown is the store as the callers of requests see it; Store is the whole store.
	Shown, Store Store
	Writer       Writer
	Events       Events
	Followers    Followers
	Logger       *slog.Logger
	Now          func() time.Time
}

// Service keeps announced changes. It is safe for concurrent use.
type Service struct{ Options }

// New makes a Service.
func New(o Options) *Service { return &Service{o} }

// infoOf decodes the aspect of an announced change.
func infoOf(value json.RawMessage) (*Info, error) {
	var info Info
	if err := json.Unmarshal(value, &info); err != nil {
		return nil, catalog.Errorf(catalog.Internal, "a stored value of %s: %w", model.AspectAnnouncedChangeInfo, err)
	}
	for i := range info.Changes {
		if m := &info.Changes[i]; m.Table == "" && len(m.Datasets) > 0 {
			m.Table = model.DatasetName(m.Datasets[0])
		}
	}
	return &info, nil
}

// tree encodes the aspect. The names of tables are left out, because the URNs of the datasets have them: where a policy hides a
// dataset, the value then does not name it.
func (i *Info) tree() (catalog.Tree, error) {
	stored := *i
	stored.Changes = make([]Member, len(i.Changes))
	for k := range i.Changes {
		stored.Changes[k] = i.Changes[k]
		stored.Changes[k].Table = ""
	}
	text, err := json.Marshal(&stored)
	if err != nil {
		return nil, catalog.Errorf(catalog.Internal, "an announced change: %w", err)
	}
	return jsontree.DecodeObject(text)
}

// stateAt returns the state of a change at a moment.
func (i *Info) stateAt(now int64) string {
	if (i.State == StateAnnounced || i.State == StatePartly) && i.ExpiresAt > 0 && now > i.ExpiresAt {
		return StateExpired
	}
	return i.State
}
