package lineage

import (
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// referenceKinds are the edges of assertions, saved queries and contracts: entities that are
// about another entity and do not outlive it. Their sources are downstream of their
// destinations.
var referenceKinds = []graphstore.EdgeKind{
	{Type: model.RelationshipAsserts, SourceType: model.EntityAssertion, DestinationType: model.EntityDataset},
	{Type: model.RelationshipAsserts, SourceType: model.EntityAssertion, DestinationType: model.EntityDataJob},
	{Type: model.RelationshipIsAssociatedWith, SourceType: model.EntityQuery, DestinationType: model.EntityDataset},
	{Type: model.RelationshipContractFor, SourceType: model.EntityDataContract, DestinationType: model.EntityDataset},
	{Type: model.RelationshipIncludesSchemaAssertion, SourceType: model.EntityDataContract, DestinationType: model.EntityAssertion},
	{Type: model.RelationshipIncludesFreshnessAssertion, SourceType: model.EntityDataContract, DestinationType: model.EntityAssertion},
	{Type: model.RelationshipIncludesDataQualityAssertion, SourceType: model.EntityDataContract, DestinationType: model.EntityAssertion},
}

// columnReferenceKinds are the edges of assertions and queries that are about a column.
var columnReferenceKinds = []graphstore.EdgeKind{
	{Type: model.RelationshipAsserts, SourceType: model.EntityAssertion, DestinationType: model.EntitySchemaField},
	{Type: model.RelationshipIsAssociatedWith, SourceType: model.EntityQuery, DestinationType: model.EntitySchemaField},
}

// foreignKey and foreignKeyColumn are the edges of a foreign key: from the table that has the
// key to the table and to the columns that the key refers to. The table that has the key
// outlives them.
var (
	foreignKey       = graphstore.EdgeKind{Type: model.RelationshipForeignKeyToDataset, SourceType: model.EntityDataset, DestinationType: model.EntityDataset}
	foreignKeyColumn = graphstore.EdgeKind{Type: model.RelationshipForeignKeyTo, SourceType: model.EntityDataset, DestinationType: model.EntitySchemaField}
)

// incoming returns the steps from the destinations of edges to their sources.
func incoming(kinds []graphstore.EdgeKind) []graphstore.Step {
	steps := make([]graphstore.Step, len(kinds))
	for i, kind := range kinds {
		steps[i] = graphstore.Step{EdgeKind: kind, Direction: graphstore.Incoming}
	}
	return steps
}
