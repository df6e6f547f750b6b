package object

import (
	"context"
	"fmt"

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
}

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

// Health is whether the newest evaluations of the dataset's assertions succeeded;
// nil if there are none.
func (n *Node) Health(ctx context.Context) ([]*Health, error) {
	count := maxHealthAssertions
	found, err := n.Relationships(ctx, RelationshipsInput{Types: []string{model.RelationshipAsserts}, Direction: RelationshipDirectionIncoming, Count: &count})
	if err != nil {
		return nil, err
	}
	evaluated, failing := 0, []string{}
	one := 1
	for _, r := range found.Relationships {
		a, ok := r.Entity.(*Assertion)
		if !ok {
			continue
		}
		events, err := timeSeries[AssertionRunEvent](ctx, a.Node, model.AspectAssertionRunEvent, window{limit: &one})
		if err != nil {
			return nil, err
		}
		if len(events) == 0 || events[0].Result == nil {
			continue
		}
		evaluated++
		if events[0].Result.Type == AssertionResultTypeFailure {
			failing = append(failing, a.URN)
		}
	}
	if evaluated == 0 {
		return []*Health{}, nil
	}
	health := &Health{Type: HealthStatusTypeAssertions, Status: HealthStatusPass}
	message := "All assertions are passing"
	if len(failing) > 0 {
		health.Status, health.Causes = HealthStatusFail, failing
		message = fmt.Sprintf("%d of %d assertions are failing", len(failing), evaluated)
	}
	health.Message = &message
	return []*Health{health}, nil
}

// maxHealthAssertions is how many assertions count for a dataset's health.
const maxHealthAssertions = 500
