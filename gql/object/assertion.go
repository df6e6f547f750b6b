package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// Assertion is a condition that data should meet.
type Assertion struct{ *Node }

// Platform is what checks it.
func (a *Assertion) Platform(ctx context.Context) (*DataPlatform, error) {
	return a.statedPlatform(ctx)
}

// Info is the condition.
func (a *Assertion) Info(ctx context.Context) (*AssertionInfo, error) {
	return aspect[AssertionInfo](ctx, a.Node, model.AspectAssertionInfo)
}

// AssertionInfo is a condition, of one of several kinds.
type AssertionInfo struct {
	Type             AssertionType         `json:"type"`
	DatasetAssertion *DatasetAssertionInfo `json:"datasetAssertion"`
	FieldAssertion   *FieldAssertionInfo   `json:"fieldAssertion"`
	VolumeAssertion  *VolumeAssertionInfo  `json:"volumeAssertion"`
	SQLAssertion     *SQLAssertionInfo     `json:"sqlAssertion"`
	CustomAssertion  *CustomAssertionInfo  `json:"customAssertion"`
	Description      *string               `json:"description"`
	ExternalURL      *string               `json:"externalUrl"`
	Source           *AssertionSource      `json:"source"`
	LastUpdated      *AuditStamp           `json:"lastUpdated"`
}

// FieldAssertionInfo is the value that a column or metric of it should have.
type FieldAssertionInfo struct {
	Type                 FieldAssertionType    `json:"type"`
	EntityURN            string                `json:"entity"`
	FieldValuesAssertion *FieldValuesAssertion `json:"fieldValuesAssertion"`
	FieldMetricAssertion *FieldMetricAssertion `json:"fieldMetricAssertion"`
}

// FieldValuesAssertion is a condition on each value of a column.
type FieldValuesAssertion struct {
	Field         *SchemaFieldSpec          `json:"field"`
	Operator      AssertionStdOperator      `json:"operator"`
	Parameters    *AssertionStdParameters   `json:"parameters"`
	FailThreshold *FieldValuesFailThreshold `json:"failThreshold"`
	WithoutNulls  *bool                     `json:"excludeNulls"`
}

// ExcludeNulls is whether the condition is not about nulls.
func (a *FieldValuesAssertion) ExcludeNulls() bool { return Or(a.WithoutNulls, true) }

// VolumeAssertionInfo is how many rows there should be.
type VolumeAssertionInfo struct {
	Type           VolumeAssertionType `json:"type"`
	EntityURN      string              `json:"entity"`
	RowCountTotal  *RowCountTotal      `json:"rowCountTotal"`
	RowCountChange *RowCountChange     `json:"rowCountChange"`
}

// SQLAssertionInfo is what a statement should return.
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

// Field is the column that it is about.
func (c *CustomAssertionInfo) Field() *SchemaFieldRef {
	if refs := fieldRefs(append([]string{c.FieldURN}, c.FieldURNs...)); len(refs) > 0 {
		return refs[0]
	}
	return nil
}

// Fields are the columns that it is about.
func (c *CustomAssertionInfo) Fields() []*SchemaFieldRef {
	if len(c.FieldURNs) == 0 {
		return fieldRefs([]string{c.FieldURN})
	}
	return fieldRefs(c.FieldURNs)
}

// NativeParameters are those of the tool that checks it.
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

// Fields are the columns it is about.
func (d *DatasetAssertionInfo) Fields() []*SchemaFieldRef { return fieldRefs(d.FieldURNs) }

// NativeParameters are those of the tool that checks it.
func (d *DatasetAssertionInfo) NativeParameters() []*StringMapEntry { return Pairs(d.Native) }

// AssertionRunEvent is one evaluation.
type AssertionRunEvent struct {
	TimestampMillis int64              `json:"timestampMillis"`
	AssertionURN    string             `json:"assertionUrn"`
	AsserteeURN     string             `json:"asserteeUrn"`
	RunID           string             `json:"runId"`
	Status          AssertionRunStatus `json:"status"`
	BatchSpec       *BatchSpec         `json:"batchSpec"`
	Context         map[string]string  `json:"runtimeContext"`
	Result          *AssertionResult   `json:"result"`
	StoredPartition
}

// IsTimeSeriesAspect marks values that have a time.
func (e *AssertionRunEvent) IsTimeSeriesAspect() {}

// RuntimeContext is what the tool reports about the evaluation.
func (e *AssertionRunEvent) RuntimeContext() []*StringMapEntry { return Pairs(e.Context) }

// BatchSpec is the data that was examined.
type BatchSpec struct {
	NativeBatchID *string           `json:"nativeBatchId"`
	Query         *string           `json:"query"`
	Limit         *int              `json:"limit"`
	Custom        map[string]string `json:"customProperties"`
}

// CustomProperties lists what the tool added.
func (b *BatchSpec) CustomProperties() []*StringMapEntry { return Pairs(b.Custom) }

// AssertionResult is the result of an evaluation.
type AssertionResult struct {
	Type            AssertionResultType `json:"type"`
	RowCount        *int64              `json:"rowCount"`
	MissingCount    *int64              `json:"missingCount"`
	UnexpectedCount *int64              `json:"unexpectedCount"`
	ActualAggValue  *float64            `json:"actualAggValue"`
	ExternalURL     *string             `json:"externalUrl"`
	Native          map[string]string   `json:"nativeResults"`

	Severity *AssertionResultSeverity `json:"severity"`
	Error    *AssertionResultError    `json:"error"`
}

// AssertionResultError is why an evaluation could not be completed.
type AssertionResultError struct {
	Type   AssertionResultErrorType `json:"type"`
	Stored map[string]string        `json:"properties"`
}

// Properties are the details.
func (e *AssertionResultError) Properties() []*StringMapEntry { return Pairs(e.Stored) }

// NativeResults are those of the tool.
func (r *AssertionResult) NativeResults() []*StringMapEntry { return Pairs(r.Native) }

// RunEvents are the evaluations, the newest first.
func (a *Assertion) RunEvents(ctx context.Context, status *AssertionRunStatus, startTimeMillis, endTimeMillis *int64, filter *FilterInput, limit *int) (*AssertionRunEventsResult, error) {
	events, err := timeSeries[AssertionRunEvent](ctx, a.Node, model.AspectAssertionRunEvent, window{startTimeMillis, endTimeMillis, filter, limit})
	if err != nil {
		return nil, err
	}
	result := &AssertionRunEventsResult{RunEvents: []*AssertionRunEvent{}}
	for _, e := range events {
		if status != nil && e.Status != *status {
			continue
		}
		result.RunEvents = append(result.RunEvents, e)
		switch {
		case e.Result == nil:
		case e.Result.Type == AssertionResultTypeSuccess:
			result.Succeeded++
		case e.Result.Type == AssertionResultTypeFailure:
			result.Failed++
		}
	}
	result.Total = len(result.RunEvents)
	return result, nil
}

// defaultAssertionCount is the page size of a dataset's assertions.
const defaultAssertionCount = 200

// Assertions are those about the dataset.
func (d *Dataset) Assertions(ctx context.Context, start, count *int) (*EntityAssertionsResult, error) {
	found, err := d.Relationships(ctx, RelationshipsInput{
		Types: []string{model.RelationshipAsserts}, Direction: RelationshipDirectionIncoming, Start: start, Count: pageSize(count, defaultAssertionCount),
	})
	if err != nil {
		return nil, err
	}
	result := &EntityAssertionsResult{Start: *found.Start, Count: *found.Count, Total: *found.Total, Assertions: []*Assertion{}}
	for _, r := range found.Relationships {
		if a, ok := r.Entity.(*Assertion); ok {
			result.Assertions = append(result.Assertions, a)
		}
	}
	return result, nil
}
