// Package feed tells people of changes of entities that they own or follow, and of changes
// upstream that may have broken such an entity. The package decides who is told of which
// change, and how long a feed is, and it has the subscriptions. The package reads the change
// log through a follower, and stores feeds and subscriptions as records of the store; it writes
// no metadata.
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
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/broadcast"
	"github.com/headwater-io/headwater/internal/recent"
	"github.com/headwater-io/headwater/model"
)

// Follower is the name of the feed among the followers of the change log.
const Follower = "feed"

// Store is the part of the graph store that feeds read.
type Store interface {
	Covers(at, target string) (bool, error)
	Edges(ctx context.Context, query graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error)
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
}

// Impacts finds the entities that depend on an entity or a column.
type Impacts interface {
	ImpactPage(ctx context.Context, r lineage.ImpactRequest, start, count int, with lineage.ImpactParts) (*lineage.ImpactReport, error)
}

// Existing tells which entities exist.
type Existing interface {
	Exists(ctx context.Context, u model.URN) (bool, error)
}

// Options configure a Service; all but Sees and Patience are required.
type Options struct {
	Registry *model.Registry
	Store    Store
	Records  *records.Door
	Existing Existing
	Events   *changeevents.Service
	Impacts  Impacts
	// Position returns the durable cursor up to which any server has written the feeds, and false
	// if none ever did.
	Position func(ctx context.Context) (cursor string, ok bool, err error)
	// Sees, if set, returns those of some entities that the caller of a request may see, also if they are deleted.
	Sees func(ctx context.Context, urns []string) (map[string]bool, error)
	// Patience bounds how long Told waits until the feeds cover the changes; 0 means 10 s.
	Patience time.Duration
}

// Service answers questions about feeds and subscriptions, and writes the feeds. Service is
// safe for concurrent use.
type Service struct {
	registry *model.Registry
	store    Store
	// items has a record for each item, named <actor>/<time>-<id>; newer items have smaller names.
	// subscriptions has a record for each actor, named after the actor. mark is one record, which
	// is rewritten after each change of the subscriptions.
	items         records.Records[storedItem]
	subscriptions records.Records[[]Subscription]
	mark          records.Records[struct{}]
	// marks has a record for each actor who has marked the feed as read, named after the actor.
	marks    records.Records[readMark]
	existing Existing
	events   *changeevents.Service
	impacts  Impacts
	position func(ctx context.Context) (cursor string, ok bool, err error)
	sees     func(ctx context.Context, urns []string) (map[string]bool, error)
	patience time.Duration
	// unsent returns cursors of senders, such as webhooks: the items of the actor's feed after any
	// of these cursors still have to be sent.
	unsent func(ctx context.Context, actor string) (cursors []string, err error)

	// more is signalled when this server has written the feeds up to a later change.
	more broadcast.Broadcast

	created newborn

	mu sync.Mutex
	// written is the cursor up to which this server has written the feeds.
	written string
	// known has all subscriptions, by entity, as of the revision knownAt of the mark.
	known   map[string][]Subscription
	knownAt string
	// untrimmed counts the items that were written to a feed since it was last trimmed. A feed
	// that is no longer in the map is trimmed at the next write.
	untrimmed *recent.Map[string, int]
}

// rememberedFeeds bounds the feeds in untrimmed, in each of its two generations.
const rememberedFeeds = 10_000

const defaultPatience = 10 * time.Second

// New makes a Service.
func New(o Options) *Service {
	return &Service{
		registry: o.Registry, store: o.Store,
		items: records.Of[storedItem](o.Records, records.Feed), subscriptions: records.Of[[]Subscription](o.Records, records.Subscriptions), mark: records.Of[struct{}](o.Records, records.SubscriptionMark),
		marks:    records.Of[readMark](o.Records, records.FeedRead),
		existing: o.Existing, events: o.Events, impacts: o.Impacts,
		position: o.Position, sees: o.Sees, patience: cmp.Or(o.Patience, defaultPatience), untrimmed: recent.New[string, int](rememberedFeeds),
	}
}

// KeepUnsent makes feeds keep the items after any of the cursors that the function returns for
// an actor, because they still have to be sent. KeepUnsent must be called before the service is
// used.
func (s *Service) KeepUnsent(positions func(ctx context.Context, actor string) (cursors []string, err error)) {
	s.unsent = positions
}

// These are the reasons why an actor is told of a change.
const (
	BecauseOwner        = "OWNER"
	BecauseSubscription = "SUBSCRIPTION"
)

// Item tells an actor of one change of the log.
type Item struct {
	// ID identifies the item in its feed.
	ID string `json:"id"`
	// Actor is the owner of the feed: a user, or a group, whose members all see it.
	Actor string `json:"actor"`
	// Time is when the change was logged, epoch milliseconds. ChangedBy is the URN of the actor
	// who made the change.
	Time      int64  `json:"time"`
	ChangedBy string `json:"changedBy"`
	// Entity is the URN of the changed entity.
	Entity string `json:"entity"`
	// Summary describes the change in a sentence.
	Summary string `json:"summary"`
	// Events are the events of the change, at most limits.MaxFeedEvents. EventsTotal counts all of
	// them.
	Events      []changeevents.Event `json:"events"`
	EventsTotal int                  `json:"eventsTotal"`
	// Affected lists the affected entities of the actor, the nearest first, at most
	// limits.MaxFeedEntities. Certain and Possible count all of them.
	Affected []Affected `json:"affected"`
	Certain  int        `json:"certain"`
	Possible int        `json:"possible"`
	// Partial tells that more entities may be affected; Reason says why.
	Partial bool   `json:"partial,omitempty"`
	Reason  string `json:"reason,omitempty"`

	// replaced has the ids of the items of which this one tells too, and when their changes were logged: see [Service.replace].
	replaced map[string]int64
}

// Affected is an entity that a change affects.
type Affected struct {
	URN string `json:"urn"`
	// Effect is lineage.EffectCertain, or lineage.EffectPossible if nothing states from which
	// columns the entity derives.
	Effect string `json:"effect"`
	// Degree is the number of hops from the changed entity downstream to the affected entity, 0
	// for the changed entity itself.
	Degree int `json:"degree"`
	// Columns lists the entity's columns that derive from the changed columns.
	Columns []string `json:"columns,omitempty"`
	// Path leads from the changed entity or column to this entity, as URNs.
	Path []string `json:"path,omitempty"`
	// Because is the reason why the actor is told: OWNER or SUBSCRIPTION.
	Because string `json:"because"`
}

// checkCaller fails unless a URN names a user or a group whose feed the caller of a request may read and
// change: the caller, a group of the caller, or anybody for those who manage users.
func checkCaller(ctx context.Context, actor model.URN) error {
	if err := CheckActor(actor); err != nil {
		return err
	}
	return RequireOwn(ctx, actor.String())
}

// RequireOwn fails with Forbidden unless the caller of a request may read the feed of an actor.
func RequireOwn(ctx context.Context, actor string) error {
	return permission.RequireActsFor(ctx, actor, "use the feed", "MANAGE_USERS_AND_GROUPS")
}

// CheckActor fails with Invalid unless a URN names a user or a group: only they have feeds.
func CheckActor(u model.URN) error {
	if t := u.EntityType(); t != model.EntityCorpuser && t != model.EntityCorpGroup {
		return catalog.Errorf(catalog.Invalid, "%s is not a user or a group", u)
	}
	return nil
}
