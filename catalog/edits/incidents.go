package edits

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// customIncident is the type of incidents that name their own type.
const customIncident = "CUSTOM"

// NewIncident is an incident to raise. An incident is a problem of entities.
type NewIncident struct {
	// Type is the kind of incident. CUSTOM needs a CustomType.
	Type       string
	CustomType *string
	Title      *string
	// Description may be nil, and Title may be nil.
	Description *string
	// Entities are the entities of the incident, at least one.
	Entities []model.URN
	// Assignees are the users and groups who are to resolve the incident.
	Assignees []model.URN
	// Priority counts from 0, the most urgent priority; nil stands for no priority.
	Priority *int
	// StartedAt is epoch milliseconds, nil if the time is not known.
	StartedAt *int64
	// Status is ACTIVE if it is nil.
	Status *IncidentStatus
	// Source says how the incident was raised: MANUAL or ASSERTION_FAILURE.
	Source string
}

// IncidentStatus says how far an incident is resolved. If the stage is not known, Stage is "".
// If there is no message, Message is nil.
type IncidentStatus struct {
	State, Stage string
	Message      *string
}

func (i *IncidentStatus) tree(by catalog.AuditStamp) catalog.Tree {
	status := catalog.Tree{"state": i.State, "lastUpdated": by.Tree()}
	if i.Stage != "" {
		status["stage"] = i.Stage
	}
	setTexts(status, map[string]*string{"message": i.Message})
	return status
}

// RaiseIncident stores an incident and returns its URN.
func (s *Service) RaiseIncident(ctx context.Context, n *NewIncident, o catalog.WriteOptions) (model.URN, error) {
	if n.Type == customIncident && requireName(new(optional.Or(n.CustomType, ""))) != nil {
		return model.URN{}, catalog.Errorf(catalog.Invalid, "an incident of the type %s needs a customType", customIncident)
	}
	entities, err := s.affected(ctx, n.Entities)
	if err != nil {
		return model.URN{}, err
	}
	assignees, err := s.assignees(ctx, n.Assignees)
	if err != nil {
		return model.URN{}, err
	}
	u, by, err := s.newURN(model.EntityIncident, "", o)
	if err != nil {
		return model.URN{}, err
	}
	status := n.Status
	if status == nil {
		status = &IncidentStatus{State: "ACTIVE"}
	}
	info := catalog.Tree{
		"type": n.Type, "entities": textItems(entities), "status": status.tree(by), "created": by.Tree(),
		"source": catalog.Tree{"type": n.Source},
	}
	setTexts(info, map[string]*string{"title": n.Title, "description": n.Description, "customType": n.CustomType})
	setOrDrop(info, "assignees", assigned(assignees, by))
	if n.Priority != nil {
		info["priority"] = *n.Priority
	}
	if n.StartedAt != nil {
		info["startedAt"] = *n.StartedAt
	}
	return u, s.writer.Create(ctx, u, map[string]catalog.Tree{model.AspectIncidentInfo: info}, o)
}

// IncidentUpdate contains the parts of an incident to change. An update does not change a part
// that is nil.
type IncidentUpdate struct {
	Title, Description *string
	StartedAt          *int64
	Status             *IncidentStatus
	Entities           []model.URN
	// ReplacePriority: the priority is replaced; a nil Priority removes it.
	ReplacePriority bool
	Priority        *int
	// ReplaceAssignees: the assignees are replaced.
	ReplaceAssignees bool
	Assignees        []model.URN
}

// UpdateIncident changes the given parts of an incident.
func (s *Service) UpdateIncident(ctx context.Context, urn model.URN, u *IncidentUpdate, o catalog.WriteOptions) error {
	entities := u.Entities
	if entities != nil {
		var err error
		if entities, err = s.affected(ctx, entities); err != nil {
			return err
		}
		if err := permission.RequireFor(ctx, "change the incidents", questionsAbout(entities, editIncidents, editEntity)...); err != nil {
			return err
		}
	}
	assignees, err := s.assignees(ctx, u.Assignees)
	if err != nil {
		return err
	}
	return s.editLive(ctx, urn, model.EntityIncident, []write.Edit{editStated(urn, model.AspectIncidentInfo, func(info catalog.Tree, by catalog.AuditStamp) {
		setTexts(info, map[string]*string{"title": u.Title, "description": u.Description})
		if u.StartedAt != nil {
			info["startedAt"] = *u.StartedAt
		}
		if u.Status != nil {
			info["status"] = u.Status.tree(by)
		}
		if entities != nil {
			info["entities"] = textItems(entities)
		}
		if u.ReplacePriority {
			delete(info, "priority")
			if u.Priority != nil {
				info["priority"] = *u.Priority
			}
		}
		if u.ReplaceAssignees {
			setOrDrop(info, "assignees", assigned(assignees, by))
		}
	})}, o)
}

// affected checks the entities of an incident, and returns each entity once.
func (s *Service) affected(ctx context.Context, entities []model.URN) ([]model.URN, error) {
	if len(entities) == 0 {
		return nil, catalog.Errorf(catalog.Invalid, "an incident is about at least one entity")
	}
	return s.requireLiveOrColumns(ctx, "entities of an incident", entities)
}

// assignees checks the assignees of an incident, and returns each assignee once.
func (s *Service) assignees(ctx context.Context, urns []model.URN) ([]model.URN, error) {
	return s.requireLiveOf(ctx, "assignees", urns, model.EntityCorpuser, model.EntityCorpGroup)
}

func assigned(urns []model.URN, by catalog.AuditStamp) []any {
	items := make([]any, len(urns))
	for i, urn := range urns {
		items[i] = catalog.Tree{"actor": urn.String(), "assignedAt": by.Tree()}
	}
	return items
}

// textItems returns URNs as the items of a list.
func textItems(urns []model.URN) []any {
	items := make([]any, len(urns))
	for i, urn := range urns {
		items[i] = urn.String()
	}
	return items
}
