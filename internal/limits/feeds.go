package limits

// Limits of feeds and subscriptions.
const (
	// MaxSubscriptions is how many entities an actor may be subscribed to.
	MaxSubscriptions = 1_000
	// MaxFeedItems is how many items of an actor are kept, MaxFeedPage how many one
	// answer has, MaxFeedGroups of how many groups a user's feed has the items.
	MaxFeedItems  = 1_000
	MaxFeedPage   = 200
	MaxFeedGroups = 50
	// MaxFeedUnsent is how many items of an actor are kept if a webhook has not sent them.
	MaxFeedUnsent = 10_000
	// MaxFeedReach is how many entities downstream of a change are looked at,
	// MaxFeedPaths to how many of them a path is read.
	MaxFeedReach = 10_000
	MaxFeedPaths = 500
	// MaxFeedActors is how many actors are told of one change, MaxFeedOwners how many
	// owners of an entity.
	MaxFeedActors = 1_000
	MaxFeedOwners = 100
	// MaxFeedEvents is how many events an item lists, MaxFeedEntities how many affected
	// entities, and MaxFeedColumns how many columns of one and of a change.
	MaxFeedEvents   = 20
	MaxFeedEntities = 20
	MaxFeedColumns  = 100
)

// feeds lists the limits of feeds and subscriptions.
func feeds() []Limit {
	return []Limit{
		{Name: "subscriptions", Value: MaxSubscriptions, Unit: "subscriptions", Meaning: "The entities that an actor is subscribed to. One more is refused with 400."},
		{Name: "feed items", Value: MaxFeedItems, Unit: "items", Meaning: "The items that the feed of an actor keeps. The oldest are deleted."},
		{Name: "feed items unsent", Value: MaxFeedUnsent, Unit: "items", Meaning: "The items that the feed of an actor keeps if a webhook of that actor still has to send them. The oldest items beyond this number are deleted, and are not sent."},
		{Name: "feed page", Value: MaxFeedPage, Unit: "items", Meaning: "The items of a feed in one answer. More are refused with 400."},
		{Name: "feed groups", Value: MaxFeedGroups, Unit: "groups", Meaning: "The groups of a user whose items the feed of the user shows. Those of further groups are left out."},
		{Name: "feed reach", Value: MaxFeedReach, Unit: "entities", Meaning: "The entities downstream of a change whose owners and subscribers are told, the nearest. The items say so if there are more."},
		{Name: "feed paths", Value: MaxFeedPaths, Unit: "entities", Meaning: "The entities downstream of a change, the nearest, to which an item of a feed shows a path."},
		{Name: "feed actors", Value: MaxFeedActors, Unit: "actors", Meaning: "The actors who are told of one change. If there are more, those who have the nearest entities are told."},
		{Name: "feed owners", Value: MaxFeedOwners, Unit: "owners", Meaning: "The owners of an entity who are told of a change of it."},
		{Name: "feed events", Value: MaxFeedEvents, Unit: "events", Meaning: "The events of a change that an item of a feed lists. Others are only counted."},
		{Name: "feed entities", Value: MaxFeedEntities, Unit: "entities", Meaning: "The affected entities that an item of a feed lists. Others are only counted."},
		{Name: "feed columns", Value: MaxFeedColumns, Unit: "columns", Meaning: "The columns of an affected entity that an item of a feed lists, and the columns of a change from which downstream is walked. If more columns are lost in one change, everything downstream of the entity is told as possible."},
	}
}
