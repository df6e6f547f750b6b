package object

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// DataFlow is a pipeline.
type DataFlow struct{ *Node }

// Orchestrator is the system that runs the flow.
func (f *DataFlow) Orchestrator() string { return f.part(0) }

// FlowID is the name of the flow in the orchestrator.
func (f *DataFlow) FlowID() string { return f.part(1) }

// Cluster is the cluster in which the flow runs.
func (f *DataFlow) Cluster() string { return f.part(2) }

// Platform is the orchestrator as a platform.
func (f *DataFlow) Platform(ctx context.Context) (*DataPlatform, error) { return f.toolPlatform(ctx) }

// DataFlowProperties are the properties that the orchestrator states for a flow.
type DataFlowProperties struct {
	Name        string  `json:"name"`
	Description *string `json:"description"`
	Project     *string `json:"project"`
	ExternalURL *string `json:"externalUrl"`
	Custom
}

// Properties are the properties that the orchestrator states for the flow.
func (f *DataFlow) Properties(ctx context.Context) (*DataFlowProperties, error) {
	return aspect[DataFlowProperties](ctx, f.Node, model.AspectDataFlowInfo)
}

// Info is the deprecated form of the properties.
func (f *DataFlow) Info(ctx context.Context) (*DataFlowProperties, error) { return f.Properties(ctx) }

// EditableProperties are the properties of the flow that people wrote in the catalog.
func (f *DataFlow) EditableProperties(ctx context.Context) (*Described, error) {
	return aspect[Described](ctx, f.Node, model.AspectEditableDataFlowProperties)
}

// DataJobs are the flow's steps.
func (f *DataFlow) DataJobs(ctx context.Context) (*DataFlowDataJobsRelationships, error) {
	found, err := f.Relationships(ctx, RelationshipsInput{Types: []string{model.RelationshipIsPartOf}, Direction: RelationshipDirectionIncoming})
	if err != nil {
		return nil, err
	}
	jobs := &DataFlowDataJobsRelationships{Entities: []*EntityRelationshipLegacy{}}
	for _, r := range found.Relationships {
		if job, ok := r.Entity.(*DataJob); ok {
			jobs.Entities = append(jobs.Entities, &EntityRelationshipLegacy{Entity: job, Created: r.Created})
		}
	}
	return jobs, nil
}

// DataJob is a step of a pipeline.
type DataJob struct{ *Node }

// JobID is the name of the job in the flow.
func (j *DataJob) JobID() string { return j.part(1) }

// DataFlow is the flow that has the job as a step.
func (j *DataJob) DataFlow() (*DataFlow, error) {
	return related[*DataFlow](j.Node, "flow", func(n *Node) string { return n.part(0) })
}

// DataJobProperties are the properties that the orchestrator states for a job.
type DataJobProperties struct {
	Name        string  `json:"name"`
	Description *string `json:"description"`
	ExternalURL *string `json:"externalUrl"`
	Custom
}

// Properties are the properties that the orchestrator states for the job.
func (j *DataJob) Properties(ctx context.Context) (*DataJobProperties, error) {
	return aspect[DataJobProperties](ctx, j.Node, model.AspectDataJobInfo)
}

// Info is the deprecated form of the properties.
func (j *DataJob) Info(ctx context.Context) (*DataJobProperties, error) { return j.Properties(ctx) }

// EditableProperties are the properties of the job that people wrote in the catalog.
func (j *DataJob) EditableProperties(ctx context.Context) (*Described, error) {
	return aspect[Described](ctx, j.Node, model.AspectEditableDataJobProperties)
}

// DataJobInputOutput lists the data that a job reads and writes.
type DataJobInputOutput struct {
	InputURNs      []string      `json:"inputDatasets"`
	InputEdges     []destination `json:"inputDatasetEdges"`
	OutputURNs     []string      `json:"outputDatasets"`
	OutputEdges    []destination `json:"outputDatasetEdges"`
	JobURNs        []string      `json:"inputDatajobs"`
	JobEdges       []destination `json:"inputDatajobEdges"`
	InputDatasets  []*Dataset    `json:"-"`
	OutputDatasets []*Dataset    `json:"-"`
	InputDatajobs  []*DataJob    `json:"-"`
	storedLineage
}

func (d *DataJobInputOutput) complete(_ *Node, below *Batch) {
	d.InputDatasets = entitiesAs[*Dataset](below, append(d.InputURNs, destinations(d.InputEdges)...))
	d.OutputDatasets = entitiesAs[*Dataset](below, append(d.OutputURNs, destinations(d.OutputEdges)...))
	d.InputDatajobs = entitiesAs[*DataJob](below, append(d.JobURNs, destinations(d.JobEdges)...))
}

// FineGrainedLineages are the columns that the job derives from others.
func (d *DataJobInputOutput) FineGrainedLineages() []*FineGrainedLineage { return d.list() }

// InputOutput reads which data the job reads and writes.
func (j *DataJob) InputOutput(ctx context.Context) (*DataJobInputOutput, error) {
	return aspect[DataJobInputOutput](ctx, j.Node, model.AspectDataJobInputOutput)
}

// Runs are the runs of the job, the newest first, as in the reference.
func (j *DataJob) Runs(ctx context.Context, start, count *int) (*DataProcessInstanceResult, error) {
	input := SearchAcrossEntitiesInput{
		Types: []EntityType{EntityTypeDataProcessInstance}, Query: "*", Start: start, Count: pageSize(count, limits.DefaultListPage),
		SortInput: &SearchSortInput{SortCriterion: &SortCriterion{Field: "created", SortOrder: SortOrderDescending}},
	}
	found, err := j.searched(ctx, "runs", input, func(n *Node) (*catalog.Criterion, error) {
		return oneOf("parentTemplate", n.URN), nil
	})
	if err != nil {
		return nil, err
	}
	result := &DataProcessInstanceResult{Start: &found.Start, Count: &found.Count, Total: &found.Total, Runs: entitiesIn[*DataProcessInstance](found.SearchResults)}
	return result, nil
}

// Runs are the process runs that read the dataset, or that wrote it.
func (d *Dataset) Runs(ctx context.Context, start, count *int, direction RelationshipDirection) (*DataProcessInstanceResult, error) {
	relationship := model.RelationshipConsumes
	if direction == RelationshipDirectionOutgoing {
		relationship = model.RelationshipProduces
	}
	return d.runs(ctx, RelationshipsInput{
		Types: []string{relationship}, Direction: RelationshipDirectionIncoming, Start: start, Count: pageSize(count, limits.DefaultListPage),
	})
}

func pageSize(count *int, otherwise int) *int {
	if count == nil {
		return &otherwise
	}
	return count
}

func (n *Node) runs(ctx context.Context, input RelationshipsInput) (*DataProcessInstanceResult, error) {
	found, err := n.Relationships(ctx, input)
	if err != nil {
		return nil, err
	}
	result := &DataProcessInstanceResult{Start: found.Start, Count: found.Count, Total: found.Total, Runs: []*DataProcessInstance{}}
	for _, r := range found.Relationships {
		if run, ok := r.Entity.(*DataProcessInstance); ok {
			result.Runs = append(result.Runs, run)
		}
	}
	return result, nil
}

// DataProcessInstance is one run of a job.
type DataProcessInstance struct{ *Node }

// DataProcessInstanceProperties are the known properties of a run.
type DataProcessInstanceProperties struct {
	Name        string      `json:"name"`
	Created     *AuditStamp `json:"created"`
	ExternalURL *string     `json:"externalUrl"`
	Custom
}

// Properties are the known properties of the run.
func (i *DataProcessInstance) Properties(ctx context.Context) (*DataProcessInstanceProperties, error) {
	return aspect[DataProcessInstanceProperties](ctx, i.Node, model.AspectDataProcessInstanceProperties)
}

// Name is the name of the run.
func (i *DataProcessInstance) Name(ctx context.Context) (*string, error) {
	p, err := i.Properties(ctx)
	if p == nil {
		return nil, err
	}
	return &p.Name, err
}

// Created is the time at which the run was created, and the actor who created it.
func (i *DataProcessInstance) Created(ctx context.Context) (*AuditStamp, error) {
	p, err := i.Properties(ctx)
	if p == nil {
		return nil, err
	}
	return p.Created, err
}

// ExternalURL is the address at which the orchestrator shows the run.
func (i *DataProcessInstance) ExternalURL(ctx context.Context) (*string, error) {
	p, err := i.Properties(ctx)
	if p == nil {
		return nil, err
	}
	return p.ExternalURL, err
}

// Platform is the platform that the run states.
func (i *DataProcessInstance) Platform(ctx context.Context) (*DataPlatform, error) {
	return i.statedPlatform(ctx)
}

// MlTrainingRunProperties are the known properties of a run that trained a model.
func (i *DataProcessInstance) MlTrainingRunProperties(ctx context.Context) (*MLTrainingRunProperties, error) {
	return aspect[MLTrainingRunProperties](ctx, i.Node, model.AspectMlTrainingRunProperties)
}

// instanceOf is the part of an aspect that names the entity of which another entity is a run.
type instanceOf struct {
	URN      string `json:"parentTemplate"`
	Template Entity `json:"-"`
}

func (i *instanceOf) complete(_ *Node, below *Batch) { i.Template = below.Entity(i.URN) }

// ParentTemplate is the entity of which this entity is a run.
func (i *DataProcessInstance) ParentTemplate(ctx context.Context) (Entity, error) {
	of, err := aspect[instanceOf](ctx, i.Node, model.AspectDataProcessInstanceRelationships)
	if of == nil {
		return nil, err
	}
	return of.Template, err
}

// storedRunEvent is the stored form of a run event.
type storedRunEvent struct {
	TimestampMillis int64                 `json:"timestampMillis"`
	Status          *DataProcessRunStatus `json:"status"`
	Attempt         *int                  `json:"attempt"`
	Result          *struct {
		Type   *DataProcessInstanceRunResultType `json:"type"`
		Native *string                           `json:"nativeResultType"`
	} `json:"result"`
}

// State are the events of the run, the newest first.
func (i *DataProcessInstance) State(ctx context.Context, startTimeMillis, endTimeMillis *int64, limit *int) ([]*DataProcessRunEvent, error) {
	stored, err := timeSeries[storedRunEvent](ctx, i.Node, model.AspectDataProcessInstanceRunEvent, window{startTimeMillis, endTimeMillis, nil, limit})
	if err != nil {
		return nil, err
	}
	events := make([]*DataProcessRunEvent, len(stored))
	for at, e := range stored {
		events[at] = &DataProcessRunEvent{TimestampMillis: e.TimestampMillis, Status: e.Status, Attempt: e.Attempt}
		if e.Result != nil {
			events[at].Result = &DataProcessInstanceRunResult{ResultType: e.Result.Type, NativeResultType: e.Result.Native}
		}
	}
	return events, nil
}
