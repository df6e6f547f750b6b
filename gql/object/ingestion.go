package object

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// IngestionSource is a recipe with a name. IngestionSource is not an Entity of the schema,
// because the type of an IngestionSource is its kind of source.
type IngestionSource struct{ *Node }

type ingestionSourceInfo struct {
	Name     string                 `json:"name"`
	Type     string                 `json:"type"`
	Platform string                 `json:"platform"`
	Schedule *IngestionSchedule     `json:"schedule"`
	Config   *IngestionConfig       `json:"config"`
	Source   *IngestionSourceSource `json:"source"`
	platform *DataPlatform
}

func (i *ingestionSourceInfo) complete(_ *Node, below *Batch) {
	i.platform = entityAs[*DataPlatform](below, i.Platform)
}

// IngestionConfig is a recipe and the settings of its runs.
type IngestionConfig struct {
	Recipe     string            `json:"recipe"`
	Version    *string           `json:"version"`
	ExecutorID *string           `json:"executorId"`
	DebugMode  *bool             `json:"debugMode"`
	Extra      map[string]string `json:"extraArgs"`
}

// ExtraArgs are further arguments for executors.
func (c *IngestionConfig) ExtraArgs() []*StringMapEntry { return Pairs(c.Extra) }

// IngestionSourceOf returns an entity as an ingestion source, or nil if the entity has another
// type.
func IngestionSourceOf(e Entity) *IngestionSource {
	other, ok := e.(*OtherEntity)
	if !ok || other.entityType() != model.EntityDataHubIngestionSource {
		return nil
	}
	return &IngestionSource{other.Node}
}

func (i *IngestionSource) info(ctx context.Context) (*ingestionSourceInfo, error) {
	return stated[ingestionSourceInfo](ctx, i.Node, model.AspectDataHubIngestionSourceInfo)
}

// Type is the kind of source.
func (i *IngestionSource) Type(ctx context.Context) (string, error) {
	info, err := i.info(ctx)
	return info.Type, err
}

// Name is the name of the source.
func (i *IngestionSource) Name(ctx context.Context) (string, error) {
	info, err := i.info(ctx)
	return info.Name, err
}

// Platform is the platform that the source reads, nil if none is stated.
func (i *IngestionSource) Platform(ctx context.Context) (*DataPlatform, error) {
	info, err := i.info(ctx)
	return info.platform, err
}

// Schedule says when an executor is to run the source, nil if no schedule is stated.
func (i *IngestionSource) Schedule(ctx context.Context) (*IngestionSchedule, error) {
	info, err := i.info(ctx)
	return info.Schedule, err
}

// Config is the recipe, nil if no recipe is stored.
func (i *IngestionSource) Config(ctx context.Context) (*IngestionConfig, error) {
	info, err := i.info(ctx)
	return info.Config, err
}

// Source says that a server made the ingestion source, nil if people made it.
func (i *IngestionSource) Source(ctx context.Context) (*IngestionSourceSource, error) {
	info, err := i.info(ctx)
	return info.Source, err
}

// Executions are the runs of the source, the newest first.
func (i *IngestionSource) Executions(ctx context.Context, start, count *int) (*IngestionSourceExecutionRequests, error) {
	input := SearchAcrossEntitiesInput{
		Types: []EntityType{EntityTypeExecutionRequest}, Query: "*", Start: start, Count: pageSize(count, limits.DefaultListPage),
		SortInput: &SearchSortInput{SortCriterion: &SortCriterion{Field: "requestTimeMs", SortOrder: SortOrderDescending}},
	}
	found, err := i.searched(ctx, "executions", input, func(n *Node) (*catalog.Criterion, error) {
		return oneOf("ingestionSource", n.URN), nil
	})
	if err != nil {
		return nil, err
	}
	runs := &IngestionSourceExecutionRequests{Start: &found.Start, Count: &found.Count, Total: &found.Total, ExecutionRequests: []*ExecutionRequest{}}
	for _, hit := range found.SearchResults {
		if run, ok := hit.Entity.(*ExecutionRequest); ok {
			runs.ExecutionRequests = append(runs.ExecutionRequests, run)
		}
	}
	return runs, nil
}

// ExecutionRequest is a run of a task by an executor.
type ExecutionRequest struct{ *Node }

// ID is the last part of the URN.
func (r *ExecutionRequest) ID() string { return r.part(0) }

// ExecutionRequestInput is the task that an executor was asked to run.
type ExecutionRequestInput struct {
	Task        string                  `json:"task"`
	Source      *ExecutionRequestSource `json:"source"`
	Args        map[string]string       `json:"args"`
	ExecutorID  *string                 `json:"executorId"`
	RequestedAt int64                   `json:"requestedAt"`
	ActorUrn    *string                 `json:"actorUrn"`
}

// Arguments are the arguments of the task.
func (i *ExecutionRequestInput) Arguments() []*StringMapEntry { return Pairs(i.Args) }

// ExecutionRequestSource is the cause of a run, with its ingestion source if it has one.
type ExecutionRequestSource struct {
	Type            *string          `json:"type"`
	SourceURN       string           `json:"ingestionSource"`
	IngestionSource *IngestionSource `json:"-"`
}

func (i *ExecutionRequestInput) complete(_ *Node, below *Batch) {
	if i.Source == nil {
		i.Source = &ExecutionRequestSource{}
	}
	i.Source.IngestionSource = IngestionSourceOf(below.Entity(i.Source.SourceURN))
}

// Input is the task that the executor was asked to run, nil if it is not stored.
func (r *ExecutionRequest) Input(ctx context.Context) (*ExecutionRequestInput, error) {
	return aspect[ExecutionRequestInput](ctx, r.Node, model.AspectDataHubExecutionRequestInput)
}

// Result says how the run ended, nil if no result was reported.
func (r *ExecutionRequest) Result(ctx context.Context) (*ExecutionRequestResult, error) {
	return aspect[ExecutionRequestResult](ctx, r.Node, model.AspectDataHubExecutionRequestResult)
}
