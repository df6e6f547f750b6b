package limits

// Limits of one request.
const (
	// MaxColumnURNBytes is how long the URN of a column (a schemaField) may be:
	// it holds the dataset's URN and a path of fields.
	MaxColumnURNBytes = 4096
	// MaxTokenBytes is how long an access token may be.
	MaxTokenBytes = 4096
	// MaxPageStart is how far in a listing a page may begin. Every store can skip
	// this number plus a page.
	MaxPageStart = 1_000_000_000
	// MaxPageCount is the largest page of a listing.
	MaxPageCount = 10_000
	// MaxChanges is the largest page of the change log.
	MaxChanges = 1000
	// MaxHeldVersions is how many archived versions of an aspect are kept, beyond the
	// retention, for a follower of the change log that is behind.
	MaxHeldVersions = 1000
	// MaxRegistryBytes is how large a request of the schema registry may be.
	MaxRegistryBytes = 2 << 20
	// MaxEventBytes is how large an event on Kafka may be.
	MaxEventBytes = 40_000_000
	// MaxKafkaBatchBytes is how large a batch of records of Kafka may be, unpacked, and
	// MaxKafkaBatchRecords how many records a packed one may have.
	MaxKafkaBatchBytes   = DefaultBodyBytes
	MaxKafkaBatchRecords = MaxProposals
	// MaxAnswerBytes is how large an answer may be that a client of another server reads: a
	// replica, the command line. A page for replicas has at least one change, with every
	// version of an aspect.
	MaxAnswerBytes = LineBodies * DefaultBodyBytes
	// MaxKafkaFetchBytes is how large an answer of a broker may be.
	MaxKafkaFetchBytes = 256 << 20
	// MaxIDs is how many entities a read may name.
	MaxIDs = 5000
	// MaxListItems is how many items a list parameter may have.
	MaxListItems = 1000
	// MaxRestored is how many documents of the search index one request may have written
	// again, and how many may wait for that.
	MaxRestored = 10_000
	// MaxBatchDelete is how many entities one request deletes.
	MaxBatchDelete = 1000
	// MaxEdits is how many edits one request makes.
	MaxEdits = 1000
	// MaxQueryBytes and MaxQueryWords limit the input of a search.
	MaxQueryBytes = 10_000
	MaxQueryWords = 200
	// MaxSentenceWords is how many words of a sentence are searched for if no entity has all words,
	// and MaxSentenceParts how many words the query for most of the words may have.
	MaxSentenceWords = 6
	MaxSentenceParts = 20
	// MaxRankedHits is how many entities with all words a search as people type orders itself,
	// MaxPartialHits how many entities with most of the words follow them.
	MaxRankedHits  = 200
	MaxPartialHits = 100
	// MaxKindNames is how many sub types and how many platforms, the most frequent ones, a search
	// as people type knows by name.
	MaxKindNames = 200
	// MaxColumnLabels is how many tags and terms one request for labelled columns names,
	// MaxLabelledColumns how many columns a page of them has, and MaxLabelEdges how many
	// edges to each label are read.
	MaxColumnLabels    = 10
	MaxLabelledColumns = 200
	MaxLabelEdges      = 10_000
	// MaxColumnDatasets is how many datasets a search for columns looks at, MaxFoundColumns how
	// many columns it finds and lists, MaxPersonalLabels how many tags, how many terms and how many
	// groups of terms count as labels of personal data, and MaxColumnFacetValues how many values of
	// each facet it counts.
	MaxColumnDatasets    = 1000
	MaxFoundColumns      = 10_000
	MaxPersonalLabels    = 100
	MaxColumnFacetValues = 20
	// MaxRunIDBytes is how long the id of a run may be, and the name and the version of a
	// registry: the store keeps each of them for ever.
	MaxRunIDBytes = 512
	// MaxUnknownAspects is how many names of aspects that the model does not have an embedded
	// store keeps.
	MaxUnknownAspects = 1_000
	// MaxNameBytes is how long a name may be that is not a URN, or the text of which it
	// is to be continued, and MaxNameDots how many dots it may have.
	MaxNameBytes = 2048
	MaxNameDots  = 32
	// MaxCompletions is how many ways to continue a name are returned.
	MaxCompletions = 100
	// MaxQueryTerms is how many terms structured query text may have, and
	// MaxQueryNesting how many levels of parentheses and negations.
	MaxQueryTerms   = 100
	MaxQueryNesting = 20
	// MaxSortKeys is how many fields may order the results of a search: the indexes
	// need the third place of their order for themselves.
	MaxSortKeys = 2
	// MaxFacets is how many facets a search may ask for.
	MaxFacets = 100
	// MaxFilterParts is how many criteria a filter may have in total,
	// MaxFilterValues how many values they may compare with, MaxFilterPatterns how
	// many of these may be searched for within values or compared as numbers,
	// MaxFilterBytes how long all values together may be.
	MaxFilterParts    = 500
	MaxFilterValues   = 10_000
	MaxFilterPatterns = 100
	MaxFilterBytes    = 1 << 20
	// MaxLifecycleStages is how many life-cycle stages are listed and looked at by searches.
	MaxLifecycleStages = 1_000
	// MaxPaths is how many shortest paths to one entity are shown.
	MaxPaths = 100
	// MaxHops is how far a walk may be asked to go.
	MaxHops = 1<<31 - 1
	// MaxEntityPage is how many entities one page of a scroll has with aspects.
	MaxEntityPage = 1000
	// MaxScannedNodes is how many nodes one page of a scroll of edges looks at.
	MaxScannedNodes = 20_000
	// MaxSeriesPageBytes is the size at which a page of a time series of all entities ends,
	// MaxScannedValues how many values it looks at.
	MaxSeriesPageBytes = 4 << 20
	MaxScannedValues   = 20_000
	// TrackedViews is how many views of entities, and how many searches, are counted until they
	// are stored, TrackedQuery how long a counted query may be, in bytes, ViewedEntities of how
	// many entities the views of a day are kept, and of how many queries the searches, ViewDays
	// for how many days, MaxPopular how many of the most viewed or searched are returned.
	TrackedViews   = 10_000
	TrackedQuery   = 200
	ViewedEntities = 2_000
	ViewDays       = 30
	MaxPopular     = 100
	// MaxTracedVersions is how many versions of an aspect are looked at for that of
	// a traced write.
	MaxTracedVersions = 100
	// GivenTraces is how many traces that callers chose themselves are remembered after the server returned them.
	GivenTraces = 10_000
	// MaxReach is how many entities a walk may reach, MaxReport how many if it is
	// not answered in pages.
	MaxReach  = 1_000_000
	MaxReport = 100_000
	// MaxOwnedImpact is of how many entities, the nearest, a page of an impact groups the
	// owners.
	MaxOwnedImpact = 10_000
	// ImpactPastEntities is the number of entities whose former statements an impact with asOf reads.
	ImpactPastEntities = 1000
	// PastEntities is of how many entities an answer with asOf reads the names and states of the
	// moment.
	PastEntities = 1000
	// BasisEntities is the number of entities, the nearest, of which an answer names the sources, and
	// BasisSources how many sources it lists. With asOf, up to BasisVersions former versions of aspects are
	// read for a basis. Up to BasisRuns runs of an ingestion source, and about as many runs of all sources
	// together, at most BasisIngestionSources sources, are searched for failed runs.
	BasisEntities         = 1000
	BasisSources          = 20
	BasisVersions         = 100
	BasisIngestionSources = 100
	BasisRuns             = 1000
	// PipelineEntities is how many entities of an ingestion source are searched for entities that its
	// last good run has not seen.
	PipelineEntities = 20_000
	// FailingRuns is how many of the newest runs of an ingestion source whose runs clients report are
	// looked at for its last good one.
	FailingRuns = 100
	// MaxGraphNodes and MaxGraphEdges are how large a graph of lineage may be,
	// DefaultGraphNodes how many nodes it has otherwise.
	MaxGraphNodes     = 10_000
	MaxGraphEdges     = 50_000
	DefaultGraphNodes = 500
	// MaxChangedEntities is the number of entities whose changes are read together, MaxChangesFound
	// how many of the newest changes are kept, and MaxChangesPage how many changes a page has.
	MaxChangedEntities = 500
	MaxChangesFound    = 100_000
	MaxChangesPage     = 1_000
	// MaxNamedRefs is how many of the entities that an entity's aspects name are described together
	// with the entity.
	MaxNamedRefs = 1000
	// MaxHistoryCount is the largest page of the versions of an aspect, and
	// MaxHistoryVersions how many of its versions are looked at. MaxHistoryBytes is the
	// size of the values of a page after which no further version is read.
	MaxHistoryCount    = 100
	MaxHistoryVersions = 10_000
	MaxHistoryBytes    = 16_000_000
	// MaxSeriesValues is how many values of a time series GraphQL returns, MaxSeriesBytes how large they may
	// be, and MaxValuesBytes how large the values of REST may be.
	MaxSeriesValues = 1000
	MaxSeriesBytes  = 16_000_000
	MaxValuesBytes  = 128 << 20
	// MaxHistoriesBytes is how large the versions of an entity may be of which
	// lineageChanges reads the changes.
	MaxHistoriesBytes = 64 << 20
	// MaxRecentCount is how many changes of the catalog are listed, and MaxRecentRecords how many
	// records of the change log are searched for changes.
	MaxRecentCount   = 200
	MaxRecentRecords = 10_000
	// MaxSuggestions is how many names are suggested.
	MaxSuggestions = 50
	// MaxRunCount is the largest page of runs, and of the values of one run, in GraphQL. MaxRunBytes is the
	// size of the values of a page after which it ends.
	MaxRunCount = 1000
	MaxRunBytes = 16_000_000
	// MaxRollbackRecords is how many rollbacks are listed.
	MaxRollbackRecords = 1000
	// RollbackPart is about how many rows one part of a rollback takes.
	RollbackPart = 1000
	// RollbackPreview is about how many rows one part of the preview of a rollback counts.
	RollbackPreview = 10_000
)

// requests lists the limits of one request.
func requests() []Limit {
	return []Limit{
		{Name: "column urn", Value: MaxColumnURNBytes, Unit: "bytes", Meaning: "The length of the URN of a column (schemaField), percent-encoded, in an aspect or as the end of an edge. A longer URN is refused with 400."},
		{Name: "page start", Value: MaxPageStart, Unit: "items", Meaning: "How far in a listing a page may begin. A later start is refused with 400."},
		{Name: "page count", Value: MaxPageCount, Unit: "items", Meaning: "The size of a page. Listings answer a larger count with a page of this size; listings of runs refuse it with 400."},
		{Name: "changes", Value: MaxChanges, Unit: "items", Meaning: "The size of a page of the change log. A larger limit is refused with 400."},
		{Name: "held versions", Value: MaxHeldVersions, Unit: "versions", Meaning: "The archived versions of an aspect that are kept, beyond the retention, while a follower of the change log is behind. The follower gets the changes of older versions without their values."},
		{Name: "ids", Value: MaxIDs, Unit: "items", Meaning: "The entities that one read may name. More are refused with 400."},
		{Name: "list items", Value: MaxListItems, Unit: "items", Meaning: "The items of any other list: entity types, aspects, relationships, owners, tags. More are refused with 400."},
		{Name: "documents written again", Value: MaxRestored, Unit: "items", Meaning: "The entities whose documents of the search index one request may have written again. More are refused with 400, and with 503 while as many wait."},
		{Name: "batch delete", Value: MaxBatchDelete, Unit: "items", Meaning: "The entities that one request may delete. More are refused with 400."},
		{Name: "edits", Value: MaxEdits, Unit: "items", Meaning: "The edits that one GraphQL mutation may make, and the tags, terms and owners that one edit over REST may name. More are refused."},
		{Name: "query bytes", Value: MaxQueryBytes, Unit: "bytes", Meaning: "The length of the input of a search or an autocompletion. A longer input is refused with 400."},
		{Name: "run id", Value: MaxRunIDBytes, Unit: "bytes", Meaning: "The length of runId, registryName and registryVersion in systemMetadata. Longer ones are refused with 400."},
		{Name: "unknown aspects", Value: MaxUnknownAspects, Unit: "names", Meaning: "The names of aspects that the model does not have and that an embedded store has values of, or had. An aspect with one more name is refused with 400."},
		{Name: "name", Value: MaxNameBytes, Unit: "bytes", Meaning: "The length of a name of an entity or a column that is not a URN, and of the text that /complete continues. A longer name is refused with 400."},
		{Name: "name dots", Value: MaxNameDots, Unit: "dots", Meaning: "The dots of such a name. A name with more is refused with 400."},
		{Name: "completions", Value: MaxCompletions, Unit: "items", Meaning: "The ways to continue a name that /complete returns. If there are more, one of them is what was typed, and it is open."},
		{Name: "query words", Value: MaxQueryWords, Unit: "words", Meaning: "The words of the input of a search. More are refused with 400."},
		{Name: "column labels", Value: MaxColumnLabels, Unit: "items", Meaning: "The tags and terms that one labelledColumns of GraphQL may name, and the values of each list of a search for columns. More are refused with 400."},
		{Name: "labelled columns", Value: MaxLabelledColumns, Unit: "columns", Meaning: "The columns of one page of labelledColumns, each with its impact. More are refused with 400."},
		{Name: "ranked hits", Value: MaxRankedHits, Unit: "entities", Meaning: "The best entities with all words that a search as people type orders by its own rules. Further ones are in the order of the index, and entities with most of the words are not looked for."},
		{Name: "hits with most words", Value: MaxPartialHits, Unit: "entities", Meaning: "The entities with most of the words that follow those with all words in a search as people type."},
		{Name: "names of kinds", Value: MaxKindNames, Unit: "names", Meaning: "The most frequent sub types, and as many platforms, whose names count as words in a search as people type."},
		{Name: "datasets of columns", Value: MaxColumnDatasets, Unit: "datasets", Meaning: "The datasets, ordered by URN, whose columns a search for columns looks at. If more may have such columns, the answer is partial and says so."},
		{Name: "found columns", Value: MaxFoundColumns, Unit: "columns", Meaning: "The columns that a search for columns finds, and the largest page and table of them. If there are more, the answer is partial and says so; a larger page is refused with 400."},
		{Name: "labels of personal data", Value: MaxPersonalLabels, Unit: "items", Meaning: "The tags and terms whose names say that they are about personal data, and as many terms in groups of such names, that a search for columns with personal data looks for."},
		{Name: "column facets", Value: MaxColumnFacetValues, Unit: "values", Meaning: "The values of each facet that a search for columns counts, the most frequent ones."},
		{Name: "label edges", Value: MaxLabelEdges, Unit: "edges", Meaning: "The edges between datasets and one tag or term of their columns that labelledColumns looks at. If there are more, the answer is partial and says so."},
		{Name: "sentence words", Value: MaxSentenceWords, Unit: "words", Meaning: "The words of a sentence that agents' searches look for if no entity has all of them. Later words are not looked for, and the answer names them."},
		{Name: "query terms", Value: MaxQueryTerms, Unit: "items", Meaning: "The terms of structured query text, which begins with /q. More are refused with 400."},
		{Name: "query nesting", Value: MaxQueryNesting, Unit: "levels", Meaning: "The levels of parentheses and negations in structured query text. More are refused with 400."},
		{Name: "sort keys", Value: MaxSortKeys, Unit: "items", Meaning: "The fields that may order the results of a search. More are refused with 400."},
		{Name: "facets", Value: MaxFacets, Unit: "items", Meaning: "The facets that a search may ask for. More are refused with 400."},
		{Name: "filter parts", Value: MaxFilterParts, Unit: "items", Meaning: "The criteria of a filter, in all alternatives together. More are refused with 400."},
		{Name: "filter values", Value: MaxFilterValues, Unit: "items", Meaning: "The values that all criteria of a filter compare with, with the entities that DESCENDANTS_INCL, ANCESTORS_INCL and RELATED_INCL add to them. More are refused with 400."},
		{Name: "filter patterns", Value: MaxFilterPatterns, Unit: "items", Meaning: "The values that are compared by IEQUAL, CONTAIN, START_WITH, END_WITH or by size. More are refused with 400."},
		{Name: "filter bytes", Value: MaxFilterBytes, Unit: "bytes", Meaning: "The total length of the values of a filter. A longer filter is refused with 400."},
		{Name: "life-cycle stages", Value: MaxLifecycleStages, Unit: "items", Meaning: "The life-cycle stages that are listed, and that may hide entities from searches, the first by their URNs."},
		{Name: "paths", Value: MaxPaths, Unit: "items", Meaning: "The shortest paths shown for each entity of a walk. More are refused with 400."},
		{Name: "hops", Value: MaxHops, Unit: "hops", Meaning: "The distance that a walk may be asked to go. A greater distance is refused with 400."},
		{Name: "entity page", Value: MaxEntityPage, Unit: "items", Meaning: "The entities with aspects in one page of a scroll. A larger count is answered with a page of this size."},
		{Name: "scanned nodes", Value: MaxScannedNodes, Unit: "items", Meaning: "The entities whose edges one page of a scroll of relationships looks at. A page that looked at this many is answered as it is, with the scrollId to continue."},
		{Name: "series page", Value: MaxSeriesPageBytes, Unit: "bytes", Meaning: "Where a page of a time series of all entities ends although a greater count was asked for. The next page goes on from there."},
		{Name: "sights", Value: Standings, Unit: "callers", Meaning: "Each part of the embedded index keeps the documents that a caller may see for those callers who asked last, in up to 16 bytes for each document and 16 KiB besides. For other callers it finds these documents again at each search."},
		{Name: "scanned values", Value: MaxScannedValues, Unit: "values", Meaning: "The values that one page of a time series of all entities looks at, if custom models give the series to several types. A page that looked at this many is answered as it is, with the scrollId to continue."},
		{Name: "tracked views", Value: TrackedViews, Unit: "events", Meaning: "The views of entities that are counted in 10 seconds, before they are stored, and as many searches. More are answered with 200 and not counted."},
		{Name: "tracked query", Value: TrackedQuery, Unit: "bytes", Meaning: "A query whose searches are counted. Longer ones are answered with 200 and not counted."},
		{Name: "viewed entities", Value: ViewedEntities, Unit: "entities", Meaning: "The entities with most views, and the queries with most searches, whose numbers of a day are kept."},
		{Name: "view days", Value: ViewDays, Unit: "days", Meaning: "How long the views and searches of a day are kept, and count for what is viewed or searched most."},
		{Name: "popular entities", Value: MaxPopular, Unit: "entities", Meaning: "The most viewed entities, and the most searched queries, that may be asked for. A greater number is refused with 400."},
		{Name: "given traces", Value: GivenTraces, Unit: "traces", Meaning: "The newest traces of callers' own of which the server knows that it answered with them. A write without a version of its own is NO_OP in their traces, and UNKNOWN in those of older traces, and after a restart."},
		{Name: "traced versions", Value: MaxTracedVersions, Unit: "versions", Meaning: "The newest versions of an aspect among which the version of a traced write is looked for. A write whose version is older is answered as NO_OP."},
		{Name: "reach", Value: MaxReach, Unit: "items", Meaning: "The entities that a walk may reach. A larger reach is refused with 400."},
		{Name: "named entities", Value: MaxNamedRefs, Unit: "entities", Meaning: "The entities in the aspects of an entity whose names GraphQL's entityDetails returns. Further entities are left out, columns first."},
		{Name: "history page", Value: MaxHistoryCount, Unit: "versions", Meaning: "The versions of an aspect in a page of GraphQL's aspectHistory. More are refused with 400. A page ends early when its values reach 16 MB."},
		{Name: "history versions", Value: MaxHistoryVersions, Unit: "versions", Meaning: "The newest versions of an aspect that aspectHistory counts and lists."},
		{Name: "series values", Value: MaxSeriesValues, Unit: "values", Meaning: "The values of GraphQL's timeSeriesValues. More are refused with 400."},
		{Name: "series bytes", Value: MaxSeriesBytes, Unit: "bytes", Meaning: "The total size of those values. More is an error with code 400, which says to ask for fewer."},
		{Name: "values bytes", Value: MaxValuesBytes, Unit: "bytes", Meaning: "The total size of the values of a time series that one request of REST returns, or sorts by a field. More is refused with 400, which says to ask for fewer."},
		{Name: "recent changes", Value: MaxRecentCount, Unit: "items", Meaning: "The changes that GraphQL's recentChanges lists. More are refused with 400."},
		{Name: "recent records", Value: MaxRecentRecords, Unit: "items", Meaning: "The newest records of the change log that recentChanges looks at. Older ones are not listed, nor counted as part of a change."},
		{Name: "suggestions", Value: MaxSuggestions, Unit: "items", Meaning: "The names that GraphQL's suggest returns. More are refused with 400."},
		{Name: "run page", Value: MaxRunCount, Unit: "items", Meaning: "The runs, or the rows of a run, in a page of GraphQL's listRuns and run, or of headwater runs list. More are refused with 400. A page of run ends early when its values reach 16 MB."},
		{Name: "rollback records", Value: MaxRollbackRecords, Unit: "items", Meaning: "The newest rollbacks that listRuns and run know of."},
		{Name: "rollback part", Value: RollbackPart, Unit: "rows", Meaning: "About how many rows one call of GraphQL's rollbackRun rolls back. It answers with where to continue."},
		{Name: "rollback preview", Value: RollbackPreview, Unit: "rows", Meaning: "About how many rows one call of GraphQL's rollbackPreview counts. It answers with where to read on."},
		{Name: "report", Value: MaxReport, Unit: "items", Meaning: "The entities that a walk may reach if it is not answered in pages: impact and differences. A larger reach is refused with 400."},
		{Name: "owned impact", Value: MaxOwnedImpact, Unit: "entities", Meaning: "The entities, the nearest first, whose owners GraphQL's impact lists beside those of its rows; ownersOf says how many entities these are."},
		{Name: "basis", Value: BasisEntities, Unit: "entities", Meaning: "The entities on the way, the nearest first, of which an answer about lineage says who stated them; entities and walked say how many these are."},
		{Name: "past entities", Value: PastEntities, Unit: "entities", Meaning: "The entities, the nearest first, of which an answer with asOf has the names and states of that moment. Those of further entities are as of today, and asOfToday names them."},
		{Name: "impact past entities", Value: ImpactPastEntities, Unit: "entities", Meaning: "The entities of which the impact of a column with asOf reads the SQL, the columns and the checks of that moment. Further ones that derive from the column's table are possibly affected. Both readings of the SQL of a past moment are read of as many entities."},
		{Name: "basis sources", Value: BasisSources, Unit: "items", Meaning: "The sources that the basis of an answer about lineage lists; moreSources counts the others."},
		{Name: "basis runs", Value: BasisRuns, Unit: "items", Meaning: "The runs of an ingestion source among which an answer about lineage looks for the newest run: so many of the first runs by name, and so many of the last. After about so many runs of several sources, the runs of the remaining sources, those of the fewest entities, are not looked at."},
		{Name: "pipeline entities", Value: PipelineEntities, Unit: "entities", Meaning: "The entities of an ingestion source, in the order of their URNs, that are looked at for those that its last good run has not seen. With more, that answer is partial."},
		{Name: "failing runs", Value: FailingRuns, Unit: "items", Meaning: "The newest runs of an ingestion source, of those that clients report, among which an answer looks for the last good one. If all of them failed, failedSince is the oldest of them."},
		{Name: "basis ingestion sources", Value: BasisIngestionSources, Unit: "items", Meaning: "The ingestion sources whose last runs are looked at if nothing is downstream."},
		{Name: "basis versions", Value: BasisVersions, Unit: "items", Meaning: "The former versions of aspects that are read to say who had stated something at a past moment."},
		{Name: "graph nodes", Value: MaxGraphNodes, Unit: "items", Meaning: "The nodes of a graph of lineage in GraphQL. A larger limit is an error with code 400."},
		{Name: "graph edges", Value: MaxGraphEdges, Unit: "items", Meaning: "The edges of such a graph. Further ones are left out, and the answer is partial."},
		{Name: "changed entities", Value: MaxChangedEntities, Unit: "entities", Meaning: "The entities, the nearest first, whose changes lineageChanges reads. Those of further ones are left out, and the answer is partial."},
		{Name: "changed histories", Value: MaxHistoriesBytes, Unit: "bytes", Meaning: "The total size of the versions of an entity whose changes lineageChanges reads. An entity with more is left out, and the answer is partial."},
		{Name: "changes found", Value: MaxChangesFound, Unit: "items", Meaning: "The changes that lineageChanges goes through, the newest. Older ones are left out, and the answer is partial."},
		{Name: "changes page", Value: MaxChangesPage, Unit: "items", Meaning: "The size of a page of lineageChanges. A larger count is an error with code 400."},
	}
}
