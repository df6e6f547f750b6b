package limits

// Limits of OpenLineage events.
const (
	// MaxOpenLineageEvents is how many events one request may have.
	MaxOpenLineageEvents = 1_000
	// OpenLineageDatasets is how many inputs and outputs an event may have together, and how many of each
	// the state of a run has.
	OpenLineageDatasets = 2_000
	// OpenLineageName is how long the namespace and name of a job or dataset may be together, in bytes, and
	// OpenLineageRunID how long the id of a run.
	OpenLineageName  = 4_096
	OpenLineageRunID = 200
	// OpenLineageFacets is how many facets are kept of a run, a job or a dataset, and OpenLineageFacetBytes
	// how large each may be.
	OpenLineageFacets     = 200
	OpenLineageFacetBytes = 1 << 20
	// OpenLineageJobDatasets is how many inputs, and how many outputs, a job has over all its runs.
	OpenLineageJobDatasets = 5_000
	// OpenLineageRenamed is how many jobs of a dataset, and how many runs of each of these jobs, are written
	// again when events tell another name of the dataset.
	OpenLineageRenamed = 10_000
	// OpenLineageSpellings is how many datasets are looked at whose names differ from the one of an event in letter case only.
	OpenLineageSpellings = 20
	// OpenLineageIdentifiers is how many identifiers of the facet symlinks count.
	OpenLineageIdentifiers = 20
	// OpenLineageProperties is how many custom properties an entity gets from facets, and
	// OpenLineagePropertyBytes how long each may be. OpenLineageDepth is how deep facets and schemas are read.
	OpenLineageProperties    = 200
	OpenLineagePropertyBytes = 4_000
	OpenLineageDepth         = 10
	// OpenLineageColumns is how many columns of a schema are read, and OpenLineageColumnEntries how many
	// entries of column lineage a job has.
	OpenLineageColumns       = 10_000
	OpenLineageColumnEntries = 5_000
	// DefaultOpenLineageEvents and OpenLineageEvents are how many events of a run are kept as they came if nobody says
	// otherwise, and at most. OpenLineageEventBytes is how large each may be, OpenLineageRunEventBytes all of a run together.
	DefaultOpenLineageEvents = 20
	OpenLineageEvents        = 1_000
	OpenLineageEventBytes    = 64 << 10
	OpenLineageRunEventBytes = 256 << 10
	// OpenLineageAssertions is how many assertions of a dataset one run tells of.
	OpenLineageAssertions = 200
	// OpenLineageNamesBytes is how large the file of --openlineage-names may be.
	OpenLineageNamesBytes = 1 << 20
	// MarquezPage is how many items a list in the shape of Marquez has at most.
	// Lists have DefaultMarquezPage and searches DefaultMarquezResults items if their callers name no number.
	MarquezPage           = 200
	DefaultMarquezPage    = 100
	DefaultMarquezResults = 10
	// MarquezListed is how many datasets, and how many jobs, such lists look at.
	MarquezListed = 5_000
	// MarquezRuns is how many runs of a job are looked at to find the latest ones.
	MarquezRuns = 2_000
	// MarquezDepth is how deep a graph in the shape of Marquez may be, and MarquezNodes how many nodes it has.
	MarquezDepth = 100
	MarquezNodes = 2_000
	// MarquezColons is how many colons the id of a node may have: each may end the namespace.
	MarquezColons = 32
)

// openLineage lists the limits of OpenLineage events.
func openLineage() []Limit {
	return []Limit{
		{Name: "OpenLineage names", Value: OpenLineageNamesBytes, Unit: "bytes", Meaning: "The file of --openlineage-names. The server does not start with a larger one."},
		{Name: "OpenLineage batch", Value: MaxOpenLineageEvents, Unit: "events", Meaning: "The OpenLineage events of one request. More are refused with 413."},
		{Name: "OpenLineage datasets", Value: OpenLineageDatasets, Unit: "datasets", Meaning: "The inputs and outputs of an OpenLineage event together. An event with more is refused with 413. A run keeps as many of each."},
		{Name: "OpenLineage name", Value: OpenLineageName, Unit: "bytes", Meaning: "The namespace and the name of a job or dataset in an OpenLineage event together. Longer ones are refused with 400. The id of a run may have 200 bytes."},
		{Name: "OpenLineage facets", Value: OpenLineageFacets, Unit: "facets", Meaning: "The facets that are kept of a run, a job or a dataset: the first ones by name. A facet larger than 1 MiB is kept without its content."},
		{Name: "OpenLineage edges", Value: OpenLineageJobDatasets, Unit: "datasets", Meaning: "The inputs, and the outputs, of a job over all its runs. Further ones are left out."},
		{Name: "OpenLineage renames", Value: OpenLineageRenamed, Unit: "jobs", Meaning: "The jobs of a dataset, and the runs of each job, that are written again when events tell another name of the dataset."},
		{Name: "OpenLineage spellings", Value: OpenLineageSpellings, Unit: "datasets", Meaning: "The datasets of the search index that are looked at because their names differ from the one in an event in letter case only."},
		{Name: "OpenLineage properties", Value: OpenLineageProperties, Unit: "properties", Meaning: "The custom properties that a run, a job or a dataset gets from facets, each up to 4,000 bytes and from up to 10 levels. Further ones are left out, longer ones are cut."},
		{Name: "OpenLineage columns", Value: OpenLineageColumns, Unit: "columns", Meaning: "The columns of a schema in an OpenLineage event. Further ones are left out."},
		{Name: "OpenLineage column lineage", Value: OpenLineageColumnEntries, Unit: "entries", Meaning: "The entries of column lineage of a job. Further ones are left out."},
		{Name: "OpenLineage events of a run", Value: DefaultOpenLineageEvents, Unit: "events", Setting: "openlineage-events", Meaning: "The latest events of each run that are kept as they came. At most 1,000 may be kept."},
		{Name: "OpenLineage event kept", Value: OpenLineageEventBytes, Unit: "bytes", Meaning: "An event that is kept as it came with its run. Of a larger one, only the time, the type and the size are kept."},
		{Name: "OpenLineage bytes of a run", Value: OpenLineageRunEventBytes, Unit: "bytes", Meaning: "The events of a run that are kept as they came, together. The oldest ones are dropped."},
		{Name: "OpenLineage assertions", Value: OpenLineageAssertions, Unit: "assertions", Meaning: "The assertions of a dataset of which one run tells. Further ones are left out."},
		{Name: "Marquez page", Value: MarquezPage, Unit: "items", Meaning: "The items of a list in the shape of Marquez. A larger limit is refused with 400."},
		{Name: "Marquez list", Value: MarquezListed, Unit: "entities", Meaning: "The datasets, and the jobs, that lists in the shape of Marquez look at: the first ones by URN; of the datasets of a namespace, the first ones of its platform. Further ones are found by their names."},
		{Name: "Marquez runs", Value: MarquezRuns, Unit: "runs", Meaning: "The runs of a job that lists in the shape of Marquez have: the last ones by URN."},
		{Name: "Marquez depth", Value: MarquezDepth, Unit: "steps", Meaning: "The depth of a graph in the shape of Marquez. A larger one is refused with 400."},
		{Name: "Marquez graph", Value: MarquezNodes, Unit: "nodes", Meaning: "The nodes of a graph in the shape of Marquez. A larger graph is cut, and the member partial says so."},
		{Name: "Marquez node", Value: MarquezColons, Unit: "colons", Meaning: "The colons in the id of a node. More are refused with 400."},
	}
}
