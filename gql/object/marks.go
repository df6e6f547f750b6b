package object

// Each type that takes part in lineage has a method as a mark of its own, because the GraphQL
// library distinguishes the interfaces of the schema by these methods.

// IsEntityWithRelationships marks entities that take part in lineage.
func (*Dataset) IsEntityWithRelationships() {}

// IsEntityWithRelationships marks entities that take part in lineage.
func (*Chart) IsEntityWithRelationships() {}

// IsEntityWithRelationships marks entities that take part in lineage.
func (*Dashboard) IsEntityWithRelationships() {}

// IsEntityWithRelationships marks entities that take part in lineage.
func (*DataFlow) IsEntityWithRelationships() {}

// IsEntityWithRelationships marks entities that take part in lineage.
func (*DataJob) IsEntityWithRelationships() {}

// IsEntityWithRelationships marks entities that take part in lineage.
func (*DataProcessInstance) IsEntityWithRelationships() {}

// IsEntityWithRelationships marks entities that take part in lineage.
func (*Assertion) IsEntityWithRelationships() {}

// IsEntityWithRelationships marks entities that take part in lineage.
func (*MLModel) IsEntityWithRelationships() {}

// IsEntityWithRelationships marks entities that take part in lineage.
func (*MLModelGroup) IsEntityWithRelationships() {}

// IsEntityWithRelationships marks entities that take part in lineage.
func (*MLFeature) IsEntityWithRelationships() {}

// IsEntityWithRelationships marks entities that take part in lineage.
func (*MLFeatureTable) IsEntityWithRelationships() {}

// IsEntityWithRelationships marks entities that take part in lineage.
func (*MLPrimaryKey) IsEntityWithRelationships() {}
