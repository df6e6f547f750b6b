package object

import (
	"context"
	"slices"
	"strconv"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Incident is something that is wrong with entities.
type Incident struct{ *Node }

// incidentInfo is the stored form of an incident.
type incidentInfo struct {
	Type        *IncidentType   `json:"type"`
	CustomType  *string         `json:"customType"`
	Title       *string         `json:"title"`
	Description *string         `json:"description"`
	Status      *IncidentStatus `json:"status"`
	Priority    *int            `json:"priority"`
	Source      *IncidentSource `json:"source"`
	EntityURNs  []string        `json:"entities"`
	StartedAt   *int64          `json:"startedAt"`
	Created     *AuditStamp     `json:"created"`
	StoredTo    []struct {
		URN string `json:"actor"`
	} `json:"assignees"`
	entity    Entity
	assignees []OwnerType
}

// IncidentSource says how an incident came about.
type IncidentSource struct {
	Type      IncidentSourceType `json:"type"`
	SourceURN string             `json:"sourceUrn"`
	Source    Entity             `json:"-"`
}

func (i *incidentInfo) complete(_ *Node, below *Batch) {
	if len(i.EntityURNs) > 0 {
		i.entity = below.Entity(i.EntityURNs[0])
	}
	if i.Source != nil && i.Source.SourceURN != "" {
		i.Source.Source = below.Entity(i.Source.SourceURN)
	}
	for _, to := range i.StoredTo {
		if owner, ok := below.Entity(to.URN).(OwnerType); ok {
			i.assignees = append(i.assignees, owner)
		}
	}
}

func (i *Incident) info(ctx context.Context) (*incidentInfo, error) {
	return stated[incidentInfo](ctx, i.Node, model.AspectIncidentInfo)
}

// IncidentType is the kind of problem.
func (i *Incident) IncidentType(ctx context.Context) (*IncidentType, error) {
	info, err := i.info(ctx)
	return info.Type, err
}

// CustomType is the kind of problem if IncidentType has no value for the kind.
func (i *Incident) CustomType(ctx context.Context) (*string, error) {
	info, err := i.info(ctx)
	return info.CustomType, err
}

// Title is a short description.
func (i *Incident) Title(ctx context.Context) (*string, error) {
	info, err := i.info(ctx)
	return info.Title, err
}

// Description describes the incident in full.
func (i *Incident) Description(ctx context.Context) (*string, error) {
	info, err := i.info(ctx)
	return info.Description, err
}

// Status says whether the incident is resolved.
func (i *Incident) Status(ctx context.Context) (*IncidentStatus, error) {
	info, err := i.info(ctx)
	return info.Status, err
}

// IncidentStatus is another name of Status.
func (i *Incident) IncidentStatus(ctx context.Context) (*IncidentStatus, error) { return i.Status(ctx) }

// priorities are the stored numbers of priorities.
var priorities = []IncidentPriority{IncidentPriorityCritical, IncidentPriorityHigh, IncidentPriorityMedium, IncidentPriorityLow}

// Priority is the urgency of the incident, nil if the stored number has no name.
func (i *Incident) Priority(ctx context.Context) (*IncidentPriority, error) {
	info, err := i.info(ctx)
	if info.Priority == nil || *info.Priority < 0 || *info.Priority >= len(priorities) {
		return nil, err
	}
	return &priorities[*info.Priority], err
}

// Source says how the incident came about.
func (i *Incident) Source(ctx context.Context) (*IncidentSource, error) {
	info, err := i.info(ctx)
	return info.Source, err
}

// Entity is the first entity that the incident is about.
func (i *Incident) Entity(ctx context.Context) (Entity, error) {
	info, err := i.info(ctx)
	return info.entity, err
}

// Assignees are the users and groups who are to resolve the incident.
func (i *Incident) Assignees(ctx context.Context) ([]OwnerType, error) {
	info, err := i.info(ctx)
	return info.assignees, err
}

// StartedAt is the time at which the problem began.
func (i *Incident) StartedAt(ctx context.Context) (*int64, error) {
	info, err := i.info(ctx)
	return info.StartedAt, err
}

// Created is the time at which the incident was raised, and the actor who raised it.
func (i *Incident) Created(ctx context.Context) (*AuditStamp, error) {
	info, err := i.info(ctx)
	return info.Created, err
}

// NumberOf is the stored number of a priority, nil if there is none.
func NumberOf(p *IncidentPriority) *int {
	if p == nil {
		return nil
	}
	return new(slices.Index(priorities, *p))
}

// Incidents searches the incidents about the entity, the newest first.
func (n *Node) Incidents(ctx context.Context, state *IncidentState, stage *IncidentStage, priority *IncidentPriority, assigneeUrns []string, start, count *int) (*EntityIncidentsResult, error) {
	asked := SearchAcrossEntitiesInput{
		Types: []EntityType{EntityTypeIncident}, Query: "*", Start: start, Count: pageSize(count, limits.DefaultIncidents),
		SortInput: &SearchSortInput{SortCriterion: &SortCriterion{Field: "created", SortOrder: SortOrderDescending}},
	}
	having := func(field string, values ...string) {
		asked.Filters = append(asked.Filters, &FacetFilterInput{Field: field, Values: values})
	}
	if state != nil {
		having("state", string(*state))
	}
	if stage != nil {
		having("stage", string(*stage))
	}
	if priority != nil {
		having("priority", strconv.Itoa(*NumberOf(priority)))
	}
	if len(assigneeUrns) > 0 {
		having("assignees", assigneeUrns...)
	}
	found, err := n.searched(ctx, "incidents", asked, func(node *Node) (*catalog.Criterion, error) { return oneOf("entities", node.URN), nil })
	if err != nil {
		return nil, err
	}
	result := &EntityIncidentsResult{Start: found.Start, Count: found.Count, Total: found.Total, Incidents: entitiesIn[*Incident](found.SearchResults)}
	return result, nil
}
