package object

import "github.com/headwater-io/headwater/internal/optional"

// FreshnessAssertionInfo is a condition on the time at which the data of an entity changes.
type FreshnessAssertionInfo struct {
	Type      FreshnessAssertionType      `json:"type"`
	EntityURN string                      `json:"entity"`
	Schedule  *FreshnessAssertionSchedule `json:"schedule"`
	Filter    *DatasetFilter              `json:"filter"`
}

// SchemaAssertionInfo is a condition on the columns of a dataset.
type SchemaAssertionInfo struct {
	EntityURN string `json:"entity"`
	Schema    struct {
		Fields []*SchemaAssertionField `json:"fields"`
	} `json:"schema"`
	Stored *SchemaAssertionCompatibility `json:"compatibility"`
}

// Fields are the columns that the dataset should have.
func (s *SchemaAssertionInfo) Fields() []*SchemaAssertionField { return s.Schema.Fields }

// Compatibility says how the columns may differ.
func (s *SchemaAssertionInfo) Compatibility() SchemaAssertionCompatibility {
	return optional.Or(s.Stored, SchemaAssertionCompatibilityExactMatch)
}

// SchemaAssertionField is a column that a dataset should have.
type SchemaAssertionField struct {
	Path       string     `json:"fieldPath"`
	StoredType storedType `json:"type"`
	NativeType *string    `json:"nativeDataType"`
}

// Type is the kind of value that the column holds.
func (f *SchemaAssertionField) Type() SchemaFieldDataType { return f.StoredType.kind() }

// FieldAssertionInfo is a condition on the values of a column, or on a metric of the column.
type FieldAssertionInfo struct {
	Type                 FieldAssertionType    `json:"type"`
	EntityURN            string                `json:"entity"`
	FieldValuesAssertion *FieldValuesAssertion `json:"fieldValuesAssertion"`
	FieldMetricAssertion *FieldMetricAssertion `json:"fieldMetricAssertion"`
	Filter               *DatasetFilter        `json:"filter"`
}

// FieldValuesAssertion is a condition on each value of a column.
type FieldValuesAssertion struct {
	Field         *SchemaFieldSpec          `json:"field"`
	Transform     *FieldTransform           `json:"transform"`
	Operator      AssertionStdOperator      `json:"operator"`
	Parameters    *AssertionStdParameters   `json:"parameters"`
	FailThreshold *FieldValuesFailThreshold `json:"failThreshold"`
	WithoutNulls  *bool                     `json:"excludeNulls"`
}

// ExcludeNulls says whether the condition is not about nulls.
func (a *FieldValuesAssertion) ExcludeNulls() bool { return optional.Or(a.WithoutNulls, true) }

// VolumeAssertionInfo is a condition on the number of rows.
type VolumeAssertionInfo struct {
	Type           VolumeAssertionType `json:"type"`
	EntityURN      string              `json:"entity"`
	RowCountTotal  *RowCountTotal      `json:"rowCountTotal"`
	RowCountChange *RowCountChange     `json:"rowCountChange"`
	Filter         *DatasetFilter      `json:"filter"`
}

// SQLAssertionInfo is a condition on the result of a statement.
type SQLAssertionInfo struct {
	Type       SQLAssertionType          `json:"type"`
	EntityURN  string                    `json:"entity"`
	Statement  string                    `json:"statement"`
	ChangeType *AssertionValueChangeType `json:"changeType"`
	Operator   AssertionStdOperator      `json:"operator"`
	Parameters *AssertionStdParameters   `json:"parameters"`
}

// CustomAssertionInfo is a condition in the words of the tool that checks it.
type CustomAssertionInfo struct {
	Type        string                   `json:"type"`
	EntityURN   string                   `json:"entity"`
	FieldURN    string                   `json:"field"`
	FieldURNs   []string                 `json:"fields"`
	Scope       *DatasetAssertionScope   `json:"scope"`
	Aggregation *AssertionStdAggregation `json:"aggregation"`
	Operator    *AssertionStdOperator    `json:"operator"`
	Parameters  *AssertionStdParameters  `json:"parameters"`
	NativeType  *string                  `json:"nativeType"`
	Native      map[string]string        `json:"nativeParameters"`
	Logic       *string                  `json:"logic"`
}

// Field is the column that the condition is about.
func (c *CustomAssertionInfo) Field() *SchemaFieldRef {
	if refs := fieldRefs(append([]string{c.FieldURN}, c.FieldURNs...)); len(refs) > 0 {
		return refs[0]
	}
	return nil
}

// Fields are the columns that the condition is about.
func (c *CustomAssertionInfo) Fields() []*SchemaFieldRef {
	if len(c.FieldURNs) == 0 {
		return fieldRefs([]string{c.FieldURN})
	}
	return fieldRefs(c.FieldURNs)
}

// NativeParameters are the parameters of the tool that checks the condition.
func (c *CustomAssertionInfo) NativeParameters() []*StringMapEntry { return Pairs(c.Native) }

// DatasetAssertionInfo is a condition that a dataset should meet.
type DatasetAssertionInfo struct {
	DatasetURN  string                   `json:"dataset"`
	Scope       DatasetAssertionScope    `json:"scope"`
	FieldURNs   []string                 `json:"fields"`
	Aggregation *AssertionStdAggregation `json:"aggregation"`
	Operator    AssertionStdOperator     `json:"operator"`
	Parameters  *AssertionStdParameters  `json:"parameters"`
	NativeType  *string                  `json:"nativeType"`
	Native      map[string]string        `json:"nativeParameters"`
	Logic       *string                  `json:"logic"`
}

// Fields are the columns that the condition is about.
func (d *DatasetAssertionInfo) Fields() []*SchemaFieldRef { return fieldRefs(d.FieldURNs) }

// NativeParameters are the parameters of the tool that checks the condition.
func (d *DatasetAssertionInfo) NativeParameters() []*StringMapEntry { return Pairs(d.Native) }
