// Package feed tells people what changed at what they own or follow, and what upstream of
// it may have broken it. It owns who is told of what, subscriptions, and how long a feed
// is. It reads the change log through a follower, and keeps feeds and subscriptions as
// records of the store; it writes no metadata.
// The reasons are in docs/decisions/0066-subscriptions.md.
package feed

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/recent"
	"github.com/headwater-io/headwater/model"
)

// Follower is the name of the feed among the followers of the change log.
const Follower = "feed"

// Store is what the feed reads and keeps.
type Store interface {
	graphstore.Records
	Covers(at, target string) (bool, error)
	Edges(ctx context.Context, query graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error)
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
}

// Impacts finds what depends on an entity or a column.
type Impacts interface {
	ImpactPage(ctx context.Context, r lineage.ImpactRequest, start, count int, with lineage.ImpactParts) (*lineage.ImpactReport, error)
}

// Existing knows which entities there are.
type Existing interface {
	Exists(ctx context.Context, u model.URN) (bool, error)
}

// Options are what a Service needs; all are required.
type Options struct {
	Registry *model.Registry
	Store    Store
	Existing Existing
	Events   *changeevents.Service
	Impacts  Impacts
	// Position returns the durable cursor up to which a server, this one or another, has
	// written the feeds; false if none ever did.
	Position func(ctx context.Context) (cursor string, ok bool, err error)
	// Patience is how long somebody who asks what is told of a change waits until feeds are
	// written so far; 10 s when 0.
	Patience time.Duration
}

// Service answers questions about feeds and subscriptions, and writes the feeds. It is safe
// for concurrent use.
type Service struct {
	registry *model.Registry
	store    Store
	existing Existing
	events   *changeevents.Service
	impacts  Impacts
	position func(ctx context.Context) (cursor string, ok bool, err error)
	patience time.Duration
	// unsent are the positions of those who send the feed of an actor elsewhere.
	unsent func(ctx context.Context, actor string) (cursors []string, err error)

	// more tells that feeds are written further.
	more catalog.Broadcast

	created newborn

	mu sync.Mutex
	// written is up to where this server has written the feeds.
	written string
	// known are the subscriptions as of a revision of the mark, by entity.
	known   map[string][]Subscription
	knownAt string
	// untrimmed counts what was written to a feed since it was last cut. A feed that is
	// forgotten is cut when it is next written to.
	untrimmed *recent.Map[string, int]
}

// rememberedFeeds bounds how many feeds untrimmed knows, in each of two generations.
const rememberedFeeds = 10_000

const defaultPatience = 10 * time.Second

// New makes a Service.
func New(o Options) *Service {
	return &Service{
		registry: o.Registry, store: o.Store, existing: o.Existing, events: o.Events, impacts: o.Impacts,
		position: o.Position, patience: cmp.Or(o.Patience, defaultPatience), untrimmed: recent.New[string, int](rememberedFeeds),
	}
}

// KeepUnsent makes feeds keep what is after any of the positions that a function returns for
// an actor, because somebody still has to send it. It is called before the service is used.
func (s *Service) KeepUnsent(positions func(ctx context.Context, actor string) (cursors []string, err error)) {
	s.unsent = positions
}

// These are why somebody is told of something.
const (
	BecauseOwner        = "OWNER"
	BecauseSubscription = "SUBSCRIPTION"
)

// Item is what a feed tells of one change of the log.
type Item struct {
	// ID identifies the item in its feed.
	ID string `json:"id"`
	// Actor is whose feed has it: a user, or a group for all its members.
	Actor string `json:"actor"`
	// Time is when the change was logged, epoch milliseconds, ChangedBy the URN of who
	// changed it.
	Time      int64  `json:"time"`
	ChangedBy string `json:"changedBy"`
	// Entity is what changed.
	Entity string `json:"entity"`
	// Summary says it in a sentence.
	Summary string `json:"summary"`
	// Events are what happened, at most limits.MaxFeedEvents of the EventsTotal.
	Events      []changeevents.Event `json:"events"`
	EventsTotal int                  `json:"eventsTotal"`
	// Affected are the actor's entities that are affected, the nearest first, at most
	// limits.MaxFeedEntities. Certain and Possible count all of them.
	Affected []Affected `json:"affected"`
	Certain  int        `json:"certain"`
	Possible int        `json:"possible"`
	// Partial: more may be affected, for the Reason.
	Partial bool   `json:"partial,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// Affected is an entity that a change affects.
type Affected struct {
	URN string `json:"urn"`
	// Effect is lineage.EffectCertain, or EffectPossible if nothing states which
	// columns it derives from.
	Effect string `json:"effect"`
	// Degree is how many hops it is downstream of the change, 0 for what changed itself.
	Degree int `json:"degree"`
	// Columns are those of it that derive from the changed columns.
	Columns []string `json:"columns,omitempty"`
	// Path leads from what changed to the entity, as URNs.
	Path []string `json:"path,omitempty"`
	// Because is why the actor is told: OWNER or SUBSCRIPTION.
	Because string `json:"because"`
}

// CheckActor fails with Invalid unless a URN is of somebody who can have a feed: a user or a
// group.
func CheckActor(u model.URN) error {
	if t := u.EntityType(); t != model.EntityCorpuser && t != model.EntityCorpGroup {
		return catalog.Errorf(catalog.Invalid, "%s is not a user or a group", u)
	}
	return nil
}
