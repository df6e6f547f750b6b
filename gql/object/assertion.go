package object

import (
	"context"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Assertion is a condition that data should meet.
type Assertion struct{ *Node }

// Platform is the platform that checks the assertion.
func (a *Assertion) Platform(ctx context.Context) (*DataPlatform, error) {
	return a.statedPlatform(ctx)
}

// Info is the condition of the assertion.
func (a *Assertion) Info(ctx context.Context) (*AssertionInfo, error) {
	return aspect[AssertionInfo](ctx, a.Node, model.AspectAssertionInfo)
}

// AssertionInfo is a condition, of one of several kinds.
type AssertionInfo struct {
	Type               AssertionType           `json:"type"`
	StoredURN          string                  `json:"entityUrn"`
	DatasetAssertion   *DatasetAssertionInfo   `json:"datasetAssertion"`
	FreshnessAssertion *FreshnessAssertionInfo `json:"freshnessAssertion"`
	SchemaAssertion    *SchemaAssertionInfo    `json:"schemaAssertion"`
	FieldAssertion     *FieldAssertionInfo     `json:"fieldAssertion"`
	VolumeAssertion    *VolumeAssertionInfo    `json:"volumeAssertion"`
	SQLAssertion       *SQLAssertionInfo       `json:"sqlAssertion"`
	CustomAssertion    *CustomAssertionInfo    `json:"customAssertion"`
	Description        *string                 `json:"description"`
	StoredNote         *assertionNote          `json:"note"`
	ExternalURL        *string                 `json:"externalUrl"`
	Source             *AssertionSource        `json:"source"`
	LastUpdated        *AuditStamp             `json:"lastUpdated"`
	of                 *Node
}

// assertionNote is a note for people about an assertion.
type assertionNote struct {
	Content string `json:"content"`
}

func (i *AssertionInfo) complete(n *Node, _ *Batch) { i.of = n }

// EntityURN is the URN of the entity that the assertion is about: the URN that the assertion
// states, or else the URN in its kind of condition.
func (i *AssertionInfo) EntityURN() *string {
	urn := i.StoredURN
	switch {
	case urn != "":
	case i.DatasetAssertion != nil:
		urn = i.DatasetAssertion.DatasetURN
	case i.FreshnessAssertion != nil:
		urn = i.FreshnessAssertion.EntityURN
	case i.SchemaAssertion != nil:
		urn = i.SchemaAssertion.EntityURN
	case i.FieldAssertion != nil:
		urn = i.FieldAssertion.EntityURN
	case i.VolumeAssertion != nil:
		urn = i.VolumeAssertion.EntityURN
	case i.SQLAssertion != nil:
		urn = i.SQLAssertion.EntityURN
	case i.CustomAssertion != nil:
		urn = i.CustomAssertion.EntityURN
	}
	if urn == "" {
		return nil
	}
	return &urn
}

// Note is the text of the aspect with the assertion's note, or else of the older member of the
// condition.
func (i *AssertionInfo) Note(ctx context.Context) (*string, error) {
	note, err := aspect[assertionNote](ctx, i.of, model.AspectAssertionNote)
	if note == nil {
		note = i.StoredNote
	}
	if note == nil {
		return nil, err
	}
	return &note.Content, err
}

// AssertionRunEvent is one evaluation of an assertion.
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

// RuntimeContext is the information of the tool about the evaluation.
func (e *AssertionRunEvent) RuntimeContext() []*StringMapEntry { return Pairs(e.Context) }

// BatchSpec is the data that was examined.
type BatchSpec struct {
	NativeBatchID *string           `json:"nativeBatchId"`
	Query         *string           `json:"query"`
	Limit         *int              `json:"limit"`
	Custom        map[string]string `json:"customProperties"`
}

// CustomProperties lists the properties that the tool added.
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

// AssertionResultError says why an evaluation could not be completed.
type AssertionResultError struct {
	Type   AssertionResultErrorType `json:"type"`
	Stored map[string]string        `json:"properties"`
}

// DisplayMessage is the message in the details of the error.
func (e *AssertionResultError) DisplayMessage() *string {
	if message, ok := e.Stored["message"]; ok {
		return &message
	}
	return nil
}

// Properties are the details of the error.
func (e *AssertionResultError) Properties() []*StringMapEntry { return Pairs(e.Stored) }

// NativeResults are the results in the form of the tool.
func (r *AssertionResult) NativeResults() []*StringMapEntry { return Pairs(r.Native) }

// RunEvents are the evaluations of the assertion, the newest first.
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

// Assertions are the assertions about the dataset.
func (d *Dataset) Assertions(ctx context.Context, start, count *int) (*EntityAssertionsResult, error) {
	found, err := d.Relationships(ctx, RelationshipsInput{
		Types: []string{model.RelationshipAsserts}, Direction: RelationshipDirectionIncoming, Start: start, Count: pageSize(count, limits.DefaultAssertions),
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
