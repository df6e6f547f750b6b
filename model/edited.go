package model

import (
	"maps"
	"slices"
)

// This file is about where aspects contain what people edit in the catalog. Only
// the functions here read the tables.

// Member is a member of an aspect.
type Member struct {
	Aspect, Name string
	// Stated: the aspect must exist already, because it has other required
	// members.
	Stated bool
	// Required: the aspect must have the member, so that it is emptied and not removed.
	Required bool
}

// descriptions are the members with what people wrote about entities, by type.
var descriptions = map[string]Member{
	EntityDataset:        {Aspect: AspectEditableDatasetProperties, Name: "description"},
	EntityChart:          {Aspect: AspectEditableChartProperties, Name: "description"},
	EntityDashboard:      {Aspect: AspectEditableDashboardProperties, Name: "description"},
	EntityDataFlow:       {Aspect: AspectEditableDataFlowProperties, Name: "description"},
	EntityDataJob:        {Aspect: AspectEditableDataJobProperties, Name: "description"},
	EntityContainer:      {Aspect: AspectEditableContainerProperties, Name: "description"},
	EntityDomain:         {Aspect: AspectDomainProperties, Name: "description", Stated: true},
	EntityTag:            {Aspect: AspectTagProperties, Name: "description", Stated: true},
	EntityGlossaryTerm:   {Aspect: AspectGlossaryTermInfo, Name: "definition", Stated: true, Required: true},
	EntityGlossaryNode:   {Aspect: AspectGlossaryNodeInfo, Name: "definition", Stated: true, Required: true},
	EntityCorpGroup:      {Aspect: AspectCorpGroupEditableInfo, Name: "description"},
	EntityNotebook:       {Aspect: AspectEditableNotebookProperties, Name: "description"},
	EntityMlModel:        {Aspect: AspectEditableMlModelProperties, Name: "description"},
	EntityMlModelGroup:   {Aspect: AspectEditableMlModelGroupProperties, Name: "description"},
	EntityMlFeature:      {Aspect: AspectEditableMlFeatureProperties, Name: "description"},
	EntityMlFeatureTable: {Aspect: AspectEditableMlFeatureTableProperties, Name: "description"},
	EntityMlPrimaryKey:   {Aspect: AspectEditableMlPrimaryKeyProperties, Name: "description"},
	EntityDataProduct:    {Aspect: AspectDataProductProperties, Name: "description", Stated: true},
	EntityApplication:    {Aspect: AspectApplicationProperties, Name: "description", Stated: true},
}

// DescriptionOf returns the member with what people wrote about an entity of a
// type.
func DescriptionOf(entityType string) (Member, bool) {
	m, ok := descriptions[entityType]
	return m, ok
}

// entityNames are the members with a name that people may change, by type.
var entityNames = map[string]Member{
	EntityDomain:       {Aspect: AspectDomainProperties, Name: "name", Stated: true},
	EntityGlossaryTerm: {Aspect: AspectGlossaryTermInfo, Name: "name", Stated: true},
	EntityGlossaryNode: {Aspect: AspectGlossaryNodeInfo, Name: "name", Stated: true},
	EntityCorpGroup:    {Aspect: AspectCorpGroupInfo, Name: "displayName", Stated: true},
	EntityDataProduct:  {Aspect: AspectDataProductProperties, Name: "name", Stated: true},
}

// NameOf returns the member with the name that people may change.
func NameOf(entityType string) (Member, bool) {
	m, ok := entityNames[entityType]
	return m, ok
}

// profiles are the aspects in which users and groups describe themselves.
var profiles = map[string]string{EntityCorpuser: AspectCorpUserEditableInfo, EntityCorpGroup: AspectCorpGroupEditableInfo}

// ProfileOf returns the aspect in which users or groups describe themselves.
func ProfileOf(entityType string) (aspect string, ok bool) {
	aspect, ok = profiles[entityType]
	return aspect, ok
}

// GlossaryType is an entity type of the glossary.
type GlossaryType struct {
	// Aspect states which node contains an entity.
	Aspect string
	// NameField is the search field with its name.
	NameField string
}

// glossaryTypes are the entity types of the glossary.
var glossaryTypes = map[string]GlossaryType{
	EntityGlossaryTerm: {AspectGlossaryTermInfo, "name"},
	EntityGlossaryNode: {AspectGlossaryNodeInfo, "displayName"},
}

// GlossaryTypeOf returns how entities of a type are part of the glossary; false
// for types that are not.
func GlossaryTypeOf(entityType string) (GlossaryType, bool) {
	g, ok := glossaryTypes[entityType]
	return g, ok
}

// LineageList is where an aspect of one end of an edge of lineage lists the
// other ends.
type LineageList struct {
	Aspect string
	// List contains an entry for each edge, End is the member that names the
	// other end. Plain, if not "", is the list of URNs that older writers use.
	List, End, Plain string
	// Dated: entries have a lastModified. Otherwise they have an auditStamp and a
	// type.
	Dated bool
	// Needed are arrays that the aspect must have.
	Needed []string
	// Required: the aspect must exist already.
	Required bool
	// ByUpstream: the upstream end states the edge.
	ByUpstream bool
}

// lineageEnds are the types of the two ends of an edge of lineage.
type lineageEnds struct{ downstream, upstream string }

// jobArrays are the arrays that every dataJobInputOutput has.
var jobArrays = []string{"inputDatasets", "outputDatasets"}

// lineageLists are the aspects that state an edge added by hand.
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

// LineageListOf returns where an edge between entities of two types is stated;
// false if people cannot add lineage between them.
func LineageListOf(downstreamType, upstreamType string) (LineageList, bool) {
	l, ok := lineageLists[lineageEnds{downstreamType, upstreamType}]
	return l, ok
}

// CustomOwnership is the name of all kinds of ownership that are not built in.
const CustomOwnership = "CUSTOM"

// OwnershipTypes are the names of the built-in kinds of ownership, in alphabetical order.
func (r *Registry) OwnershipTypes() []string {
	owners := r.aspects[AspectOwnership].typ.byName["owners"].typ
	kinds := slices.Sorted(maps.Keys(owners.elem.byName["type"].typ.symbols))
	return slices.DeleteFunc(kinds, func(kind string) bool { return kind == CustomOwnership })
}
