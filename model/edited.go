package model

// Where the aspects hold what people edit in the catalog. The tables are read
// by the functions here alone.

// Member is a member of an aspect.
type Member struct {
	Aspect, Name string
	// Stated: the aspect must be there already, for what else it says.
	Stated bool
}

// descriptions are where the entity types hold what people wrote about them.
var descriptions = map[string]Member{
	EntityContainer:      {AspectEditableContainerProperties, "description", false},
	EntityDomain:         {AspectDomainProperties, "description", true},
	EntityTag:            {AspectTagProperties, "description", true},
	EntityGlossaryTerm:   {AspectGlossaryTermInfo, "definition", true},
	EntityGlossaryNode:   {AspectGlossaryNodeInfo, "definition", true},
	EntityCorpGroup:      {AspectCorpGroupEditableInfo, "description", false},
	EntityNotebook:       {AspectEditableNotebookProperties, "description", false},
	EntityMlModel:        {AspectEditableMlModelProperties, "description", false},
	EntityMlModelGroup:   {AspectEditableMlModelGroupProperties, "description", false},
	EntityMlFeature:      {AspectEditableMlFeatureProperties, "description", false},
	EntityMlFeatureTable: {AspectEditableMlFeatureTableProperties, "description", false},
	EntityMlPrimaryKey:   {AspectEditableMlPrimaryKeyProperties, "description", false},
	EntityDataProduct:    {AspectDataProductProperties, "description", true},
}

// DescriptionOf is where an entity type holds what people wrote about it. A
// dataset has descriptions of its columns only.
func DescriptionOf(entityType string) (Member, bool) {
	m, ok := descriptions[entityType]
	return m, ok
}

// entityNames are where the entity types hold a name that people may change.
var entityNames = map[string]Member{
	EntityDomain:       {AspectDomainProperties, "name", true},
	EntityGlossaryTerm: {AspectGlossaryTermInfo, "name", true},
	EntityGlossaryNode: {AspectGlossaryNodeInfo, "name", true},
	EntityCorpGroup:    {AspectCorpGroupInfo, "displayName", true},
	EntityDataProduct:  {AspectDataProductProperties, "name", true},
}

// NameOf is where an entity type holds a name that people may change.
func NameOf(entityType string) (Member, bool) {
	m, ok := entityNames[entityType]
	return m, ok
}

// profiles are where users and groups hold what they say of themselves.
var profiles = map[string]string{EntityCorpuser: AspectCorpUserEditableInfo, EntityCorpGroup: AspectCorpGroupEditableInfo}

// ProfileOf is the aspect in which users or groups say something of themselves.
func ProfileOf(entityType string) (aspect string, ok bool) {
	aspect, ok = profiles[entityType]
	return aspect, ok
}

// GlossaryType is an entity type of the glossary.
type GlossaryType struct {
	// Aspect says in which node an entity is.
	Aspect string
	// NameField is the search field with its name.
	NameField string
}

// glossaryTypes are the entity types of the glossary.
var glossaryTypes = map[string]GlossaryType{
	EntityGlossaryTerm: {AspectGlossaryTermInfo, "name"},
	EntityGlossaryNode: {AspectGlossaryNodeInfo, "displayName"},
}

// GlossaryTypeOf says where entities of a type have their place in the
// glossary; false for types that are not in it.
func GlossaryTypeOf(entityType string) (GlossaryType, bool) {
	g, ok := glossaryTypes[entityType]
	return g, ok
}

// LineageList is where an aspect of one end of an edge of lineage lists the
// other ends.
type LineageList struct {
	Aspect string
	// List holds an entry for each edge, End is the member that names the other
	// end. Plain, if not "", holds the URNs of older writers.
	List, End, Plain string
	// Dated: an entry has a lastModified. One that has none has an auditStamp and
	// a type.
	Dated bool
	// Needed are arrays that the aspect must have.
	Needed []string
	// Required: the aspect must be there already.
	Required bool
	// ByUpstream: the upstream end states the edge.
	ByUpstream bool
}

// lineageEnds are the types of the two ends of an edge of lineage.
type lineageEnds struct{ downstream, upstream string }

// jobArrays are the arrays that every dataJobInputOutput has.
var jobArrays = []string{"inputDatasets", "outputDatasets"}

// lineageLists say which aspect states an edge that somebody draws.
var lineageLists = map[lineageEnds]LineageList{
	{EntityDataset, EntityDataset}: {
		Aspect: AspectUpstreamLineage, List: "upstreams", End: "dataset",
	},
	{EntityDataset, EntityDataJob}: {
		Aspect: AspectDataJobInputOutput, List: "outputDatasetEdges", End: "destinationUrn", Plain: "outputDatasets", Dated: true,
		Needed: jobArrays, ByUpstream: true,
	},
	{EntityChart, EntityDataset}: {
		Aspect: AspectChartInfo, List: "inputEdges", End: "destinationUrn", Plain: "inputs", Dated: true, Required: true,
	},
	{EntityDashboard, EntityChart}: {
		Aspect: AspectDashboardInfo, List: "chartEdges", End: "destinationUrn", Plain: "charts", Dated: true, Required: true,
	},
	{EntityDashboard, EntityDataset}: {
		Aspect: AspectDashboardInfo, List: "datasetEdges", End: "destinationUrn", Plain: "datasets", Dated: true, Required: true,
	},
	{EntityDataJob, EntityDataJob}: {
		Aspect: AspectDataJobInputOutput, List: "inputDatajobEdges", End: "destinationUrn", Plain: "inputDatajobs", Dated: true,
		Needed: jobArrays,
	},
	{EntityDataJob, EntityDataset}: {
		Aspect: AspectDataJobInputOutput, List: "inputDatasetEdges", End: "destinationUrn", Plain: "inputDatasets", Dated: true,
		Needed: jobArrays,
	},
}

// LineageListOf is where an edge between entities of two types is stated; false
// when there is no lineage between them that people may draw.
func LineageListOf(downstreamType, upstreamType string) (LineageList, bool) {
	l, ok := lineageLists[lineageEnds{downstreamType, upstreamType}]
	return l, ok
}
