package object

import (
	"cmp"
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
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
func (i *IngestionSource) Executions(ctx context.Context, start, count *int, filters []*FacetFilterInput) (*IngestionSourceExecutionRequests, error) {
	input := SearchAcrossEntitiesInput{
		Types: []EntityType{EntityTypeExecutionRequest}, Query: "*", Start: start, Count: pageSize(count, limits.DefaultListPage), Filters: filters,
		SortInput: &SearchSortInput{SortCriterion: &SortCriterion{Field: "requestTimeMs", SortOrder: SortOrderDescending}},
	}
	found, err := i.searched(ctx, "executions", input, func(n *Node) (*catalog.Criterion, error) {
		return oneOf("ingestionSource", n.URN), nil
	})
	if err != nil {
		return nil, err
	}
	runs := &IngestionSourceExecutionRequests{Start: &found.Start, Count: &found.Count, Total: &found.Total, ExecutionRequests: entitiesIn[*ExecutionRequest](found.SearchResults)}
	return runs, nil
}

// LatestSuccessfulExecution is the newest run that has ended well, nil if there is none.
func (i *IngestionSource) LatestSuccessfulExecution(ctx context.Context) (*ExecutionRequest, error) {
	one := 1
	found, err := i.Executions(ctx, nil, &one, []*FacetFilterInput{{Field: "executionResultStatus", Values: []string{ingestion.StatusSuccess}}})
	if err != nil || len(found.ExecutionRequests) == 0 {
		return nil, err
	}
	return found.ExecutionRequests[0], nil
}

// nextRuns is the key of the moments of all sources of a batch.
type nextRuns struct{}

// NextRun is when the schedule lets the source run next, nil without a schedule.
func (i *IngestionSource) NextRun(ctx context.Context) (*int64, error) {
	return batched(i.Node, nextRuns{}, func(nodes []*Node) (map[*Node]*int64, error) {
		urns := make([]string, len(nodes))
		for k, node := range nodes {
			urns[k] = node.URN
		}
		found, err := i.batch.session.Catalog.Ingestion.NextRuns(ctx, urns)
		if err != nil {
			return nil, err
		}
		moments := map[*Node]*int64{}
		for _, node := range nodes {
			if at, ok := found[node.URN]; ok {
				moments[node] = &at
			}
		}
		return moments, nil
	})
}

// failingSince is the key of the failing runs of all sources of a batch.
type failingSince struct{}

// FailingSince is the first run that failed after the last good one, nil if the last run is a good one.
func (i *IngestionSource) FailingSince(ctx context.Context) (*FailedRun, error) {
	return batched(i.Node, failingSince{}, func(nodes []*Node) (map[*Node]*FailedRun, error) {
		urns := make([]string, len(nodes))
		for k, node := range nodes {
			urns[k] = node.URN
		}
		found, err := i.batch.session.Catalog.Lineage.Failing(ctx, urns)
		if err != nil {
			return nil, err
		}
		failing := map[*Node]*FailedRun{}
		for _, node := range nodes {
			if f := found[node.URN]; f != nil {
				failing[node] = failedRun(f)
			}
		}
		return failing, nil
	})
}

// Problem is why the source cannot run, nil if it can.
func (i *IngestionSource) Problem(ctx context.Context) (*string, error) {
	info, err := i.info(ctx)
	if err != nil || info == nil || info.Config == nil {
		return nil, err
	}
	var schedule *ingestion.Schedule
	if info.Schedule != nil {
		schedule = &ingestion.Schedule{Interval: info.Schedule.Interval, Zone: optional.Or(info.Schedule.Timezone, "")}
	}
	return given(ingestion.ProblemOf(info.Config.Recipe, schedule)), nil
}

// Unseen is the entities that the last good run of the source did not see, nil before a good run.
func (i *IngestionSource) Unseen(ctx context.Context, start, count *int) (*IngestionSourceUnseen, error) {
	session := i.batch.session
	urn, err := session.URN(i.URN)
	if err != nil {
		return nil, err
	}
	page := pageSize(count, limits.DefaultListPage)
	found, err := session.Catalog.Ingestion.Unseen(ctx, urn, optional.Or(start, 0), *page)
	if err != nil || found == nil {
		return nil, err
	}
	if err := session.take(len(found.Entities)); err != nil {
		return nil, err
	}
	urns := make([]string, len(found.Entities))
	for k := range found.Entities {
		urns[k] = found.Entities[k].URN
	}
	named, err := session.Catalog.Name(ctx, urns)
	if err != nil {
		return nil, err
	}
	unseen := &IngestionSourceUnseen{Start: optional.Or(start, 0), Count: len(urns), Total: found.Total, Partial: found.Partial, Run: found.Good.Run, At: found.Good.Started, Entities: []*UnseenEntity{}}
	for k := range found.Entities {
		e := &found.Entities[k]
		unseen.Entities = append(unseen.Entities, &UnseenEntity{
			Urn: e.URN, Type: session.typeOf(model.StoredURN(e.URN).EntityType()), Name: optional.Or(given(named[e.URN].Name), e.URN), LastSeen: e.Seen, LastSeenRun: runOf(e.Run),
		})
	}
	return unseen, nil
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
	Actor       *CorpUser               `json:"-"`
	source      *IngestionSource
}

// firstArguments are the arguments that the reference lists first, in its order.
var firstArguments = []string{"recipe", "version", "debug_mode"}

// Arguments are the arguments of the task: first the arguments of the reference in its order, which its own tests
// expect, then the others by their names.
func (i *ExecutionRequestInput) Arguments() []*StringMapEntry {
	pairs := Pairs(i.Args)
	rank := func(p *StringMapEntry) int {
		if at := slices.Index(firstArguments, p.Key); at >= 0 {
			return at
		}
		return len(firstArguments)
	}
	slices.SortStableFunc(pairs, func(a, b *StringMapEntry) int { return cmp.Compare(rank(a), rank(b)) })
	return pairs
}

// ExecutionRequestSource is the cause of a run, with the URN of its ingestion source if it has one.
type ExecutionRequestSource struct {
	Type            *string `json:"type"`
	IngestionSource *string `json:"ingestionSource"`
}

func (i *ExecutionRequestInput) complete(_ *Node, below *Batch) {
	if i.Source == nil {
		i.Source = &ExecutionRequestSource{}
	}
	i.source = IngestionSourceOf(below.Entity(optional.Or(i.Source.IngestionSource, "")))
	i.Actor = entityAs[*CorpUser](below, optional.Or(i.ActorUrn, ""))
}

// Input is the task that the executor was asked to run, nil if it is not stored.
func (r *ExecutionRequest) Input(ctx context.Context) (*ExecutionRequestInput, error) {
	return aspect[ExecutionRequestInput](ctx, r.Node, model.AspectDataHubExecutionRequestInput)
}

// Source is the ingestion source that runs, nil if there is none.
func (r *ExecutionRequest) Source(ctx context.Context) (*IngestionSource, error) {
	input, err := r.Input(ctx)
	if err != nil || input == nil {
		return nil, err
	}
	return input.source, nil
}

// Result says how the run ended, nil if no result was reported.
func (r *ExecutionRequest) Result(ctx context.Context) (*ExecutionRequestResult, error) {
	return aspect[ExecutionRequestResult](ctx, r.Node, model.AspectDataHubExecutionRequestResult)
}
