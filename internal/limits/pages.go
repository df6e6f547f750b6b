package limits

import "fmt"

// Sizes of answers if the caller names no size.
const (
	// DefaultSearchPage is the page of a search, of browse paths and of a scroll, and how many
	// names complete a text in REST.
	DefaultSearchPage = 10
	// DefaultListPage is the page of a listing in GraphQL.
	DefaultListPage = 20
	// DefaultEntityTypes is the page of entity types in REST.
	DefaultEntityTypes = 20
	// DefaultURNs is the page of the URNs of a type.
	DefaultURNs = 100
	// DefaultRelationships is the page of the edges of an entity and of a walk, and
	// DefaultOpenAPIRelationships that of the edges of an entity in the OpenAPI form.
	DefaultRelationships        = 100
	DefaultOpenAPIRelationships = 200
	// DefaultReach is how many entities a walk reaches, the nearest, and DefaultDiffReach how
	// many each walk of a comparison of two moments reaches.
	DefaultReach     = 50_000
	DefaultDiffReach = 10_000
	// DefaultPaths is how many shortest paths a walk shows of each entity in REST.
	DefaultPaths = 1
	// DefaultShownEntities is how many entities of a walk the command line shows.
	DefaultShownEntities = 1000
	// DefaultImpactPage is the page of affected entities in GraphQL.
	DefaultImpactPage = 1000
	// DefaultLineageChanges is the page of the changes of lineage.
	DefaultLineageChanges = 100
	// DefaultFoundColumns is the page of a search for columns.
	DefaultFoundColumns = 50
	// DefaultLabelledColumns is the page of labelled columns.
	DefaultLabelledColumns = 50
	// DefaultEvents is the page of the events of changes, and DefaultReplicaChanges the page of
	// changes for replicas.
	DefaultEvents         = 100
	DefaultReplicaChanges = 500
	// DefaultFeedPage is the page of a feed, and DefaultFeedShown how many items of a feed the
	// command line shows.
	DefaultFeedPage  = 50
	DefaultFeedShown = 20
	// DefaultLetters is the page of the dead letters of a webhook.
	DefaultLetters = 100
	// DefaultFailedPage is the page of failed proposals.
	DefaultFailedPage = 100
	// DefaultRuns is the page of runs, and DefaultRunRows that of the rows of a run.
	DefaultRuns    = 100
	DefaultRunRows = 100
	// DefaultSeriesValues is how many values of a time series GraphQL returns, and
	// MaxTimeSeriesValues how many REST returns at most and by default.
	DefaultSeriesValues = 100
	MaxTimeSeriesValues = 10_000
	// DefaultRestored is how many documents of the search index one request has written again.
	DefaultRestored = 10
	// DefaultSuggestions is how many names complete a text in GraphQL.
	DefaultSuggestions = 5
	// DefaultRecommendations is how many entities or queries a module of recommendations has.
	DefaultRecommendations = 10
	// DefaultSavedQueries is the page of saved queries.
	DefaultSavedQueries = 100
	// DefaultDocuments is the page of the documents of an entity, DefaultFoundDocuments that of a
	// search for documents, and DefaultDocumentChanges how many changes of a document are read.
	DefaultDocuments       = 100
	DefaultFoundDocuments  = 20
	DefaultDocumentChanges = 50
	// DefaultAssertions and DefaultIncidents are the pages of the assertions and of the incidents
	// of an entity in GraphQL.
	DefaultAssertions = 200
	DefaultIncidents  = 20
	// DefaultBatch is how many records the command line sends together.
	DefaultBatch = 1000
)

// LeftOutMost says how many items an answer has if the caller names no number, and how many it may have.
func LeftOutMost(usual, most int) string { return fmt.Sprintf("%s, at most %d", LeftOut(usual), most) }

// LeftOut says how many items an answer has if the caller names no number.
func LeftOut(usual int) string { return fmt.Sprintf("%d when left out", usual) }
