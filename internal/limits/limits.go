// Package limits contains every limit that a caller of Headwater can meet, in
// one place: the constants that the code checks, and the table that the
// documentation (docs/limits.md) and the OpenAPI document show.
//
// A limit that a caller can meet is declared here and nowhere else. Bounds that
// only concern internal work (sizes of internal batches, caches) are declared
// where they are used.
package limits

import (
	"slices"
	"time"
)

// Limit is one limit as documentation shows it.
type Limit struct {
	// Name is the name of the limit in messages, docs and the OpenAPI document.
	Name string
	// Value is the largest value that is accepted.
	Value int64
	// Unit is the unit of Value: bytes, items, levels, seconds.
	Unit string
	// Setting names the flag of headwater serve that changes it, "" for a
	// fixed limit.
	Setting string
	// Meaning says which amount is limited and what happens beyond the limit.
	Meaning string
}

// Names and values.
const (
	// MaxURNBytes is how long a URN may be.
	MaxURNBytes = 512
	// MaxAspectBytes is how large the value of an aspect may be.
	MaxAspectBytes = 16_000_000
	// TimelineTakenBack is how many rolled-back versions of an entity its
	// timeline shows.
	TimelineTakenBack = 100
	// TimelineTakenBackBytes is the total size of rolled-back versions after which no older ones
	// are read.
	TimelineTakenBackBytes = 16_000_000
	// VisibleRows is how many rows a query looks through to find rows that its caller may see.
	VisibleRows = 100_000
	// VisibleValues is how many values the conditions of a caller's policies may have together,
	// including the entities below domains, containers and terms.
	VisibleValues = 20_000
	// VisiblePresence is how many values a field may have whose presence is a condition of a caller from whom some of the
	// values may be hidden: the index is asked for the values that the caller may see.
	VisiblePresence = 5_000
	// Standings is the number of callers for whom each part of the embedded index keeps the documents that they may
	// see.
	Standings = 256
	// MaxMessageBytes is how long the message of an error may be.
	MaxMessageBytes = 2000

	// MaxGraphQLQueryBytes is how long the text of a query may be.
	MaxGraphQLQueryBytes = 1 << 20
	// MaxGraphQLTokens is how many tokens a query may have.
	MaxGraphQLTokens = 10_000
	// MaxGraphQLNameBytes is how long a name in a query may be.
	MaxGraphQLNameBytes = 256
	// MaxGraphQLDepth is how many levels of nested fields a query may have.
	MaxGraphQLDepth = 30
	// MaxGraphQLNesting is how many levels of directly nested fragments a query
	// may have.
	MaxGraphQLNesting = 8
	// MaxGraphQLFields is how many fields one object of an answer may have.
	MaxGraphQLFields = 500
	// MaxGraphQLRepeats is how often a name may occur in one object's selections.
	MaxGraphQLRepeats = 100
	// MaxGraphQLFragments is how many fragments a query may define.
	MaxGraphQLFragments = 300
	// MaxGraphQLOperations is how many operations a query may define.
	MaxGraphQLOperations = 50
	// MaxGraphQLVariables is how many variables an operation may have.
	MaxGraphQLVariables = 500
	// MaxGraphQLDirectives is how many directives one place may have.
	MaxGraphQLDirectives = 10
	// MaxGraphQLSteps is how many fields a query may have with its fragments
	// expanded.
	MaxGraphQLSteps = 50_000
	// MaxGraphQLAnswer is how many fields an answer may have.
	MaxGraphQLAnswer = 250_000
	// MaxGraphQLSearches is how many entities at one place of an answer may have
	// a field that is a search.
	MaxGraphQLSearches = 1000
	// MaxGraphQLCost bounds the cost of all fields of a query together, in reads of entities by their URNs.
	MaxGraphQLCost = 2000
	// MaxPatternBytes is how long the pattern urnLike may be, MaxPatternRuns
	// how many % it may have.
	MaxPatternBytes = 1024
	MaxPatternRuns  = 32
	// MaxIndexBehind is how many changes the search index may lack before writers
	// are held back, MaxIndexHoldBack how long a write is held back at most.
	MaxIndexBehind   = 50_000
	MaxIndexHoldBack = 10 * time.Second
	// DefaultSearchWait is how long a search waits for the index unless a setting
	// says otherwise.
	DefaultSearchWait = time.Second
	// LaneWait is how long a request waits for a place in a lane, such as the
	// lanes for walks and listings.
	LaneWait = 10 * time.Second
	// MinGraphPool is the smallest pool of connections to Neo4j: each kind of
	// work has at least one.
	MinGraphPool = 8
	// Walks is how many lineage walks run at once.
	Walks = 4
	// Exports is how many exports run at once.
	Exports = 4
	// ReplicaPages is how many pages of the change log for replicas are made at once.
	ReplicaPages = 4
	// MaxChangePageBytes is the size at which a page of the change log ends even
	// if more changes were asked for. A page has at least one change if there is
	// one.
	MaxChangePageBytes = 1 << 20
	// MaxReplicaPageBytes bounds the pages of replicas in the same way, with the stored data of the changed
	// entities.
	MaxReplicaPageBytes = 8 << 20
	// FailedProposals is how many failed proposals are kept, which came from Kafka or from callers
	// who did not wait. MaxFailedPage is how many failed proposals one answer has.
	FailedProposals = 1000
	MaxFailedPage   = 1000
	// PollSeconds is how long a poll of events waits for one.
	PollSeconds = 10
	// EventStreams is how many event streams may be open at once.
	EventStreams = 200
	// StreamWrite is how long a piece of an event stream may take to be sent.
	StreamWrite = 30 * time.Second
	// StreamBytes is how much all event streams together keep in memory beyond
	// StreamAllowance, which each of them has.
	StreamBytes     = 128 << 20
	StreamAllowance = 512 << 10
	// MaxColumnEdges is how many edges between columns an aspect may state.
	MaxColumnEdges = 100_000
	// MaxLineageColumns is how many columns of an entity that lineage names are looked at.
	MaxLineageColumns = 10_000
	// MaxProperties is how many structured properties an entity may have,
	// MaxPropertyValues how many values of them in all, MaxAllowedValues how many
	// values the definition of a property may allow.
	MaxProperties     = 1_000
	MaxPropertyValues = 10_000
	MaxAllowedValues  = 10_000
	// MaxPatchOperations is how many operations a PATCH may have.
	MaxPatchOperations = 5_000
	// MaxPatchPath is how many levels a path of a PATCH may have.
	MaxPatchPath = 16
	// MaxPatchWork is how many bytes a PATCH may work on: bytes of the items of lists that it
	// moves, because it inserts or removes items before them, and bytes of the levels that it makes
	// of their keys.
	MaxPatchWork = 256 << 20
	// MaxQueuedWrites is how many writes may wait for the store, and how many may
	// wait for their turn on an entity.
	MaxQueuedWrites = 4096
	// MaxQueuedWriteTime is how long a write waits for its turn.
	MaxQueuedWriteTime = 30 * time.Second
	// MaxRefusedListed is how many documents that the search index refuses are
	// listed.
	MaxRefusedListed = 100
	// MaxAspectItems is how many JSON values the value of an aspect may have.
	MaxAspectItems = 1_000_000
	// MaxPatchItems is how many JSON values a patch may have.
	MaxPatchItems = 200_000
	// MaxJSONDepth is how many levels of nested lists and objects there may be.
	MaxJSONDepth = 100
	// DefaultBodyBytes is how large a request body may be, decompressed.
	DefaultBodyBytes = 64 << 20
	// MaxUnpackRatio is how many times larger than its compressed size a body may
	// be, checked once UnpackRatioFrom bytes have been decompressed.
	MaxUnpackRatio  = 200
	UnpackRatioFrom = 1 << 20
	// MaxRequestItems is how many JSON values a request may have that is not a
	// batch of writes, MaxBodyList how many items one list or object of it.
	MaxRequestItems = 200_000
	MaxBodyList     = 50_000
	// MaxStatsValues is how many values of a time series one request may
	// aggregate, MaxStatsBytes how large they may be in total, and
	// MaxStatsEntities of how many entities they may be.
	MaxStatsValues   = 100_000
	MaxStatsBytes    = 128 << 20
	MaxStatsEntities = 5_000
	// MaxQualityChecks is how many assertions and incidents of an entity are looked at.
	MaxQualityChecks = 1000
	// QualityPastEntities is of how many entities an answer about freshness and checks at a past
	// moment reads former versions: the entity, its assertions and its incidents.
	QualityPastEntities = 200
	// MaxStatsRows is how many rows the table may have, MaxStatsColumns how many
	// columns, and MaxStatsSteps how many fields may be read for it.
	MaxStatsRows    = 10_000
	MaxStatsColumns = 50
	MaxStatsSteps   = 5_000_000
	// MaxStatsWindow is how many units of time a window has.
	MaxStatsWindow = 1_000
	// MaxRefusedMembers is how many refused members of a request are listed.
	MaxRefusedMembers = 100
	// MaxLoggedUnknowns is how many kinds of fields and aspects that the model does
	// not have are logged, once each.
	MaxLoggedUnknowns = 1000
	// MaxLineItems is how many JSON values a line of an import may have,
	// MaxLineListItems how many items one list of it: versions, edges.
	MaxLineItems     = 5_000_000
	MaxLineListItems = 500_000
	// LineBodies is how large a line of an import may be, in multiples of the
	// largest body of other requests: it contains every version of every aspect
	// of an entity.
	LineBodies = 8
	// MaxImportFailures is how many entities of an import may fail before it ends.
	MaxImportFailures = 100_000
	// DefaultIdleSeconds is how long a client may send nothing, or read nothing.
	DefaultIdleSeconds = 30
	// RestOfBodySeconds is how long the rest of a refused body is read.
	RestOfBodySeconds = 5
	// MinBodyRate is the lowest rate of a streamed body, in bytes a second.
	MinBodyRate = 1 << 10
	// MinRequestMemory is the smallest memory that may be set for running
	// requests, in bytes.
	MinRequestMemory = 64 << 20
	// MinSearchMemory is the smallest memory that may be set for new documents of
	// the embedded index, in bytes; DefaultSearchMemory is that memory by default.
	MinSearchMemory     = 1 << 20
	DefaultSearchMemory = 32 << 20
	// RequestMemoryWaitSeconds is how long a request waits for memory.
	RequestMemoryWaitSeconds = 2
)

// All lists every limit, by subject.
func All() []Limit {
	return append([]Limit{
		{Name: "urn", Value: MaxURNBytes, Unit: "bytes", Meaning: "The length of a URN. A longer URN is refused with 400."},
		{Name: "access token", Value: MaxTokenBytes, Unit: "bytes", Meaning: "An access token in the header Authorization. A longer one is refused with 401."},
		{Name: "message", Value: MaxMessageBytes, Unit: "bytes", Meaning: "The message of an error, which may repeat what the caller sent. A longer message is shortened."},
		{Name: "timeline rollback bytes", Value: TimelineTakenBackBytes, Unit: "bytes", Meaning: "The total size of rolled-back versions after which a timeline reads no older ones, even if there are fewer than timeline rollbacks."},
		{Name: "timeline rollbacks", Value: TimelineTakenBack, Unit: "versions", Meaning: "The rolled-back versions of an entity that its timeline shows. Older ones are left out."},
		{Name: "graphql query", Value: MaxGraphQLQueryBytes, Unit: "bytes", Meaning: "The text of a GraphQL query, without its variables. A longer text is an error with code 400."},
		{Name: "graphql tokens", Value: MaxGraphQLTokens, Unit: "items", Meaning: "The tokens of a GraphQL query. A query with more is an error with code 400."},
		{Name: "graphql name", Value: MaxGraphQLNameBytes, Unit: "bytes", Meaning: "A name in a GraphQL query: of a field, an alias, a fragment or a variable. A longer name is an error with code 400."},
		{Name: "graphql depth", Value: MaxGraphQLDepth, Unit: "levels", Meaning: "The levels of nested fields in a GraphQL query, or of nesting in a value. A deeper query is an error with code 400."},
		{Name: "graphql nesting", Value: MaxGraphQLNesting, Unit: "levels", Meaning: "The levels of directly nested fragments in a GraphQL query. A deeper query is an error with code 400."},
		{Name: "graphql fields", Value: MaxGraphQLFields, Unit: "items", Meaning: "The fields that a GraphQL query selects from one object. A query with more is an error with code 400."},
		{Name: "graphql repeats", Value: MaxGraphQLRepeats, Unit: "items", Meaning: "How often a GraphQL query names one field, or spreads one fragment, in one object. A query that does so more often is an error with code 400."},
		{Name: "graphql fragments", Value: MaxGraphQLFragments, Unit: "items", Meaning: "The fragments that a GraphQL query defines. A query with more is an error with code 400."},
		{Name: "graphql operations", Value: MaxGraphQLOperations, Unit: "items", Meaning: "The operations that a GraphQL query defines. A query with more is an error with code 400."},
		{Name: "graphql variables", Value: MaxGraphQLVariables, Unit: "items", Meaning: "The variables of a GraphQL operation. A query with more is an error with code 400."},
		{Name: "graphql directives", Value: MaxGraphQLDirectives, Unit: "items", Meaning: "The directives at one place in a GraphQL query. A query with more is an error with code 400."},
		{Name: "graphql steps", Value: MaxGraphQLSteps, Unit: "items", Meaning: "The fields of a GraphQL query with its fragments expanded. A query with more is an error with code 400."},
		{Name: "graphql answer", Value: MaxGraphQLAnswer, Unit: "items", Meaning: "The fields and list items of a GraphQL answer. A larger answer is an error with code 400 and has no data."},
		{Name: "graphql searches", Value: MaxGraphQLSearches, Unit: "entities", Meaning: "The domains, containers or data products at one place of a GraphQL answer whose entities are asked for: each costs a search. If there are more, the field is an error with code 400."},
		{Name: "graphql cost", Value: MaxGraphQLCost, Unit: "reads", Meaning: "What the fields of a GraphQL query cost together: entities by their URNs 1, a page of each entity of a place 2, a page or a search 5, a walk, a timeline, a run, the versions of an aspect or a part of the change log 40. A field is paid for once at a place of the query, and not for each entity there. A query that costs more is an error with code 400. Fields of a query that cost 2 or more run one after another."},
		{Name: "pattern", Value: MaxPatternBytes, Unit: "bytes", Meaning: "The length of the pattern urnLike. A longer pattern is refused with 400."},
		{Name: "pattern runs", Value: MaxPatternRuns, Unit: "signs", Meaning: "The % signs of the pattern urnLike. A pattern with more is refused with 400."},
		{Name: "index lag", Value: MaxIndexBehind, Unit: "changes", Meaning: "How many changes the search index may lack. If the index lacks more, writes are stored as before, and each answer waits for the index, at most 10 seconds. Writes are not held back while the index is being built or cannot be written."},
		{Name: "search wait", Value: int64(DefaultSearchWait / time.Second), Unit: "seconds", Setting: "search-wait", Meaning: "How long a search waits until the index has what was written before it. Then it is answered from what the index has, and the answer says how many changes are missing."},
		{Name: "lane wait", Value: int64(LaneWait / time.Second), Unit: "seconds", Meaning: "How long a request waits for its turn at a walk, a listing or another read that is bounded in number. Then it is answered with 503 and Retry-After."},
		{Name: "walks", Value: Walks, Unit: "walks", Setting: "walks", Meaning: "The walks of lineage that run at once. Others wait for their turn, up to lane wait."},
		{Name: "exports", Value: Exports, Unit: "exports", Meaning: "The exports that run at once. One more waits, up to lane wait, and is then refused with 503 and Retry-After."},
		{Name: "change page", Value: MaxChangePageBytes, Unit: "bytes", Meaning: "Where a page of the change log ends although more changes were asked for. The next page goes on from there."},
		{Name: "replica page", Value: MaxReplicaPageBytes, Unit: "bytes", Meaning: "Where a page of the change log for a replica ends, with what is stored of what changed. The next page goes on from there; one with a single change may be larger."},
		{Name: "replica pages", Value: ReplicaPages, Unit: "pages", Meaning: "The pages of the change log for replicas that are made at once. One more waits, up to lane wait, and is then refused with 503 and Retry-After; the replica asks again."},
		{Name: "failed proposals", Value: FailedProposals, Unit: "proposals", Meaning: "The proposals of Kafka, and of callers who did not wait, that could not be written and are listed. Older ones are deleted."},
		{Name: "event poll", Value: PollSeconds, Unit: "seconds", Meaning: "How long a poll of the events of a topic waits for an event. A longer time is this time."},
		{Name: "event streams", Value: EventStreams, Unit: "streams", Setting: "event-streams", Meaning: "The event streams open at once. One more is refused with 503 and Retry-After."},
		{Name: "event stream write", Value: int64(StreamWrite / time.Second), Unit: "seconds", Meaning: "How long a piece of an event stream may take to be sent. A stream that is not read is then closed; its client goes on from the last event."},
		{Name: "event stream memory", Value: StreamBytes, Unit: "bytes", Meaning: "The large events (the part of a page beyond 512 KiB) that all streams together keep until these events are sent. A stream that finds no room is closed; its client goes on from the last event."},
		{Name: "aspect", Value: MaxAspectBytes, Unit: "bytes", Meaning: "The size of an aspect's value as JSON. A larger value is refused with 413. The value after a PATCH may not be larger either."},
		{Name: "schema registry request", Value: MaxRegistryBytes, Unit: "bytes", Meaning: "The body of a request of the schema registry. A larger one is refused with 422."},
		{Name: "event on Kafka", Value: MaxEventBytes, Unit: "bytes", Meaning: "An event that is sent to Kafka. A larger one is sent without the previous value."},
		{Name: "answer", Value: MaxAnswerBytes, Unit: "bytes", Meaning: "The answer of a server, decompressed, that a replica or the command line reads at once. A longer answer is an error, and nothing of it is used. Exports are not bounded: they are written as they come."},
		{Name: "record of Kafka", Value: MaxEventBytes, Unit: "bytes", Meaning: "A proposal or snapshot that is read from Kafka. A larger one is given back as failed."},
		{Name: "batch of Kafka", Value: MaxKafkaBatchBytes, Unit: "bytes", Meaning: "A batch of records that is read from Kafka, unpacked. A larger one is not unpacked: of proposals, it is given up and listed as failed; of what replicas read, the replica stops before it. The limit compression holds for batches of proposals too."},
		{Name: "records of a batch", Value: MaxKafkaBatchRecords, Unit: "records", Meaning: "The records of a compressed batch that is read from Kafka. One with more is given up like a batch that is too large."},
		{Name: "fetch from Kafka", Value: MaxKafkaFetchBytes, Unit: "bytes", Meaning: "The answer of a broker, which has at least one batch of records. A topic whose max.message.bytes allows larger batches cannot be read."},
		{Name: "columns with lineage", Value: MaxLineageColumns, Unit: "columns", Meaning: "The columns of an entity that lineage names, at which a walk from all columns of the entity begins and whose edges columnLineageCounts counts. Further ones are left out, and the answer says so."},
		{Name: "column edges", Value: MaxColumnEdges, Unit: "edges", Meaning: "The pairs of columns that the fine-grained lineage of one aspect connects. More are refused with 422."},
		{Name: "structured properties", Value: MaxProperties, Unit: "properties", Meaning: "The structured properties of an entity. More are refused with 422 (OpenAPI: 400)."},
		{Name: "structured property values", Value: MaxPropertyValues, Unit: "values", Meaning: "The values of all structured properties of an entity. More are refused with 422 (OpenAPI: 400)."},
		{Name: "allowed values", Value: MaxAllowedValues, Unit: "values", Meaning: "The values that the definition of a structured property allows. More are refused with 422 (OpenAPI: 400)."},
		{Name: "patch operations", Value: MaxPatchOperations, Unit: "items", Meaning: "The operations of one PATCH. More are refused with 400."},
		{Name: "patch path", Value: MaxPatchPath, Unit: "levels", Meaning: "The levels of a path in a PATCH; the keys of an array (arrayPrimaryKeys) are fewer. More are refused with 400."},
		{Name: "patch work", Value: MaxPatchWork, Unit: "bytes", Meaning: "The work of one PATCH: 16 bytes for each item of a list that moves because the PATCH inserts or removes an item before it, and 256 bytes for each level that the PATCH makes of the keys of items. More is refused with 413."},
		{Name: "queued writes", Value: MaxQueuedWrites, Unit: "writes", Meaning: "The writes that wait for the graph store at the same time. More are refused with 503 and Retry-After."},
		{Name: "queued write time", Value: int64(MaxQueuedWriteTime / time.Second), Unit: "seconds", Meaning: "How long a write waits for its turn. After that it is refused with 503 and Retry-After, and nothing is changed. On Neo4j, a write whose turn is next waits on while others get theirs."},
		{Name: "refused documents", Value: MaxRefusedListed, Unit: "items", Meaning: "The documents refused by the search engine that /index lists. Further documents are only counted."},
		{Name: "aspect values", Value: MaxAspectItems, Unit: "values", Meaning: "The JSON values in an aspect's value. More are refused with 400."},
		{Name: "patch values", Value: MaxPatchItems, Unit: "values", Meaning: "The JSON values in a patch. More are refused with 400."},
		{Name: "JSON depth", Value: MaxJSONDepth, Unit: "levels", Meaning: "The levels of nested lists and objects in a body and in an aspect's value. More are refused with 400."},
		{Name: "body", Value: DefaultBodyBytes, Unit: "bytes", Setting: "max-body", Meaning: "The size of a request body after decompression. A larger body is refused with 413."},
		{Name: "compression", Value: MaxUnpackRatio, Unit: "times", Meaning: "The decompressed size of a gzipped body divided by its compressed size, checked after the first MiB. More is refused with 413."},
		{Name: "values", Value: MaxRequestItems, Unit: "values", Meaning: "The JSON values of a request that is not a batch of writes. More are refused with 400."},
		{Name: "list of a body", Value: MaxBodyList, Unit: "items", Meaning: "The items of one list, or members of one object, in a request. More are refused with 400."},
		{Name: "batch values", Value: MaxBatchItems, Unit: "values", Meaning: "The JSON values of a batch of writes. An aspect's value within a string is counted separately. More are refused with 400."},
		{Name: "proposals", Value: MaxProposals, Unit: "proposals", Meaning: "The proposals of one request. More are refused with 400."},
		{Name: "whole batch", Value: MaxWholeBatch, Unit: "proposals", Meaning: "The proposals of a batch that is written completely or not at all. More are refused with 400, but accepted with partial=true."},
		{Name: "whole batch values", Value: MaxWholeBatchBytes, Unit: "bytes", Meaning: "The values of a batch that is written completely or not at all. More are refused with 413, but accepted with partial=true."},
		{Name: "refused members", Value: MaxRefusedMembers, Unit: "items", Meaning: "The refused members of a request that its error lists. Further members are only counted."},
		{Name: "logged unknown fields", Value: MaxLoggedUnknowns, Unit: "names", Meaning: "The fields and aspects that the model does not have and that are logged when they are kept, once each. Further ones are only counted."},
		{Name: "statistics values", Value: MaxStatsValues, Unit: "values", Meaning: "The values of a time series that getTimeseriesStats aggregates. More are refused with 400."},
		{Name: "statistics bytes", Value: MaxStatsBytes, Unit: "bytes", Meaning: "The total size of those values. More is refused with 400."},
		{Name: "checks", Value: MaxQualityChecks, Unit: "assertions and incidents", Meaning: "The assertions and incidents of an entity that an answer about its freshness and checks has. If there are more, the answer is partial."},
		{Name: "checks of the past", Value: QualityPastEntities, Unit: "entities", Meaning: "The entities of which an answer about freshness and checks at a past moment reads former versions: the entity, its assertions and its incidents. If there are more, the answer is partial."},
		{Name: "statistics entities", Value: MaxStatsEntities, Unit: "entities", Meaning: "The entities whose values are aggregated. More are refused with 400. The filter names entities by urn."},
		{Name: "statistics rows", Value: MaxStatsRows, Unit: "rows", Meaning: "The rows of the table of getTimeseriesStats, empty windows included. More are refused with 400."},
		{Name: "statistics columns", Value: MaxStatsColumns, Unit: "columns", Meaning: "The metrics and buckets of getTimeseriesStats. More are refused with 400."},
		{Name: "statistics steps", Value: MaxStatsSteps, Unit: "fields", Meaning: "The fields that getTimeseriesStats reads. More are refused with 400."},
		{Name: "statistics window", Value: MaxStatsWindow, Unit: "units", Meaning: "The multiple of a time window. A greater multiple is refused with 400."},
		{Name: "import line", Value: LineBodies, Unit: "bodies", Meaning: "The size of a line of an import, as a multiple of the largest body. A longer line is refused with 413."},
		{Name: "import line values", Value: MaxLineItems, Unit: "values", Meaning: "The JSON values of a line of an import. More are refused with 400."},
		{Name: "import line list", Value: MaxLineListItems, Unit: "items", Meaning: "The items of one list in a line of an import. More are refused with 400."},
		{Name: "import failures", Value: MaxImportFailures, Unit: "entities", Meaning: "The entities of an import that may fail. At the next failure the import ends with 400; what was written stays."},
		{Name: "idle", Value: DefaultIdleSeconds, Unit: "seconds", Setting: "idle-timeout", Meaning: "The time in which the client sends no byte of the body, or reads no byte of the answer. Then the request ends with 408, or the connection is closed."},
		{Name: "body rate", Value: MinBodyRate, Unit: "bytes a second", Meaning: "The lowest rate of a streamed body, over each idle time. A slower request ends with 408."},
		{Name: "request memory wait", Value: RequestMemoryWaitSeconds, Unit: "seconds", Meaning: "How long a request waits for its part of --request-memory. Then it is refused with 503 and Retry-After."},
	}, slices.Concat(requests(), agents(), feeds(), webhooks(), openLineage(), ingestion(), sql(), dbt(), check(), announced(), audits(), providers(), people(), shares(), managed(), connectors(), executor())...)
}
