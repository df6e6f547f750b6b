package model

import (
	"maps"
	"slices"
)

// This file knows which members of aspects people edit in the catalog. Other code asks the
// functions of this file.

// Member is a member of an aspect.
type Member struct {
	Aspect, Name string
	// Stated: the member can be changed only if the aspect exists, because the aspect has
	// other required members.
	Stated bool
	// Required: the aspect must have the member, so it is emptied instead of removed.
	Required bool
}

// descriptions has, for each entity type, the member with the description that people
// write.
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

// DescriptionOf returns the member with the description that people write about an entity
// of a type. It returns false if the type has none.
func DescriptionOf(entityType string) (Member, bool) {
	m, ok := descriptions[entityType]
	return m, ok
}

// entityNames has, for each entity type, the member with the name that people may change.
var entityNames = map[string]Member{
	EntityDomain:       {Aspect: AspectDomainProperties, Name: "name", Stated: true},
	EntityGlossaryTerm: {Aspect: AspectGlossaryTermInfo, Name: "name", Stated: true},
	EntityGlossaryNode: {Aspect: AspectGlossaryNodeInfo, Name: "name", Stated: true},
	EntityCorpGroup:    {Aspect: AspectCorpGroupInfo, Name: "displayName", Stated: true},
	EntityDataProduct:  {Aspect: AspectDataProductProperties, Name: "name", Stated: true},
}

// NameOf returns the member with the name of an entity that people may change. It returns
// false if the type has none.
func NameOf(entityType string) (Member, bool) {
	m, ok := entityNames[entityType]
	return m, ok
}

// profiles are the aspects in which users and groups describe themselves.
var profiles = map[string]string{EntityCorpuser: AspectCorpUserEditableInfo, EntityCorpGroup: AspectCorpGroupEditableInfo}

// ProfileOf returns the aspect in which users or groups describe themselves. It returns
// false for other types.
func ProfileOf(entityType string) (aspect string, ok bool) {
	aspect, ok = profiles[entityType]
	return aspect, ok
}

// GlossaryType is an entity type of the glossary.
type GlossaryType struct {
	// Aspect is the aspect that names the parent node of an entity.
	Aspect string
	// NameField is the search field with the name of an entity.
	NameField string
}

// glossaryTypes are the entity types of the glossary.
var glossaryTypes = map[string]GlossaryType{
	EntityGlossaryTerm: {AspectGlossaryTermInfo, "name"},
	EntityGlossaryNode: {AspectGlossaryNodeInfo, "displayName"},
}

// GlossaryTypeOf returns the glossary data of an entity type. It returns false for types
// outside the glossary.
func GlossaryTypeOf(entityType string) (GlossaryType, bool) {
	g, ok := glossaryTypes[entityType]
	return g, ok
}

// LineageList describes the list of lineage edges in an aspect. The aspect belongs to one
// end of the edges, and its list names the other ends.
type LineageList struct {
	Aspect string
	// List is the member with an entry for each edge. End is the member of an entry that
	// names the other end. Plain, if not "", is the list of URNs that older writers use.
	List, End, Plain string
	// Dated: entries have the member lastModified. Otherwise they have an auditStamp and a
	// type.
	Dated bool
	// Needed are the arrays that the aspect must have.
	Needed []string
	// Required: an edge can be added only if the aspect exists.
	Required bool
	// ByUpstream: the aspect belongs to the upstream end.
	ByUpstream bool
}

// lineageEnds are the entity types of the two ends of a lineage edge.
type lineageEnds struct{ downstream, upstream string }

// jobArrays are the required arrays of dataJobInputOutput.
var jobArrays = []string{"inputDatasets", "outputDatasets"}

// lineageLists has the lists to which people's edges are added.
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

// LineageListOf returns the list that states edges between entities of two types. It
// returns false if people cannot add lineage between them.
func LineageListOf(downstreamType, upstreamType string) (LineageList, bool) {
	l, ok := lineageLists[lineageEnds{downstreamType, upstreamType}]
	return l, ok
}

// CustomOwnership is the kind of all ownership types that are not built in.
const CustomOwnership = "CUSTOM"

// OwnershipTypes returns the names of the built-in kinds of ownership, in alphabetical
// order.
func (r *Registry) OwnershipTypes() []string {
	owners := r.aspects[AspectOwnership].typ.byName["owners"].typ
	kinds := slices.Sorted(maps.Keys(owners.elem.byName["type"].typ.symbols))
	return slices.DeleteFunc(kinds, func(kind string) bool { return kind == CustomOwnership })
}
