package object

// The types that take part in lineage are marked one by one: the engine
// distinguishes the schema's interfaces by their marks.

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
