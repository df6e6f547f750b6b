package changeevents

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// Service derives events. Service is safe for concurrent use.
type Service struct{ registry *model.Registry }

// New makes a Service.
func New(registry *model.Registry) *Service { return &Service{registry: registry} }

// Possible reports whether changes of an aspect can have events.
func (s *Service) Possible(entityType, aspect string) bool {
	switch aspect {
	case model.AspectStatus, model.AspectDataProcessInstanceRunEvent, model.AspectAssertionRunEvent, model.AspectIncidentInfo, model.AspectAnnouncedChangeInfo:
		return true
	}
	if entity, known := s.registry.Entity(entityType); known && aspect == entity.KeyAspect {
		return true
	}
	a, known := s.registry.Aspect(aspect)
	return known && !a.TimeSeries && history.TellsOf(a)
}

// Of returns the events of a change of the log, in the order of their categories. If retention
// has deleted the values of the change, or the model cannot parse them any more, Of returns
// only the events that do not need values. Of returns an error only if the context has ended.
func (s *Service) Of(ctx context.Context, c *catalog.Change) ([]Event, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entity, known := s.registry.Entity(c.EntityType)
	if !known || c.Kind == catalog.ChangeRestate {
		return nil, nil
	}
	u := model.StoredURN(c.URN)
	if u.IsZero() {
		return nil, nil
	}
	var events []Event
	switch c.Aspect {
	case entity.KeyAspect:
		events = lifecycle(c)
	case model.AspectStatus:
		events = softDeletion(c)
	case model.AspectDataProcessInstanceRunEvent:
		events = processRun(c)
	case model.AspectAssertionRunEvent:
		events = assertionRun(c)
	case model.AspectIncidentInfo:
		events = incident(c)
	case model.AspectAnnouncedChangeInfo:
		events = arrivals(c)
	}
	if !c.ValuesPruned && (c.Value != nil || c.Previous != nil) {
		events = append(events, s.compared(u, c)...)
	}
	for i := range events {
		e := &events[i]
		e.EntityURN = cmp.Or(e.EntityURN, c.URN)
		e.EntityType = c.EntityType
		if e.EntityURN != c.URN {
			e.EntityType = typeOf(e.EntityURN)
		}
		e.AuditStamp = catalog.AuditStamp{Time: c.Time, Actor: c.Actor}
	}
	return events, nil
}

// compared returns the events of an aspect that timelines cover.
func (s *Service) compared(u model.URN, c *catalog.Change) []Event {
	changes, err := history.Compare(s.registry, u, c.Aspect, c.Previous, c.Value)
	if err != nil {
		return nil // a value that cannot be parsed has no events
	}
	events := make([]Event, len(changes))
	for i := range changes {
		h := &changes[i]
		e := Event{EntityURN: h.EntityURN, Category: h.Category, Operation: h.Operation, Modifier: h.Modifier, Parameters: h.Parameters, Description: h.Description}
		if h.Modification != "" {
			e.Parameters[parameterModification] = h.Modification
		}
		if h.RenamedTo != "" {
			e.Parameters[parameterRenamedTo] = h.RenamedTo
		}
		switch e.Category {
		case CategoryDeprecation:
			e.Modifier = e.Text(parameterStatus)
		case CategoryLineage:
			e.Parameters[parameterDirection] = s.directionOf(&e)
		}
		events[i] = e
	}
	return events
}

// directionOf returns the direction in which the other end of a lineage edge is.
func (s *Service) directionOf(e *Event) string {
	_, upstream := s.registry.IsLineage(e.Text("relationship"), typeOf(e.EntityURN), typeOf(e.Modifier))
	if upstream {
		return upstreamDirection
	}
	return "DOWNSTREAM"
}

func typeOf(urn string) string { return model.StoredURN(urn).EntityType() }

// lifecycle returns the event of the beginning or the end of an entity.
func lifecycle(c *catalog.Change) []Event {
	switch {
	case c.Kind == catalog.ChangeDelete:
		return []Event{{Category: CategoryLifecycle, Operation: OperationHardDelete, Description: "The entity was deleted"}}
	case c.Previous == nil && c.PreviousSystem == nil:
		return []Event{{Category: CategoryLifecycle, Operation: OperationCreate, Description: "The entity was created"}}
	}
	return nil
}

// softDeletion returns the event of a change of the soft-delete mark. If the previous value is
// missing, an entity that has the mark now counts as newly marked.
func softDeletion(c *catalog.Change) []Event {
	was, now := tree(c.Previous)["removed"] == true, tree(c.Value)["removed"] == true
	switch {
	case now && !was:
		return []Event{{Category: CategoryLifecycle, Operation: OperationSoftDelete, Description: "The entity was soft-deleted"}}
	case was && !now && (c.Value != nil || !c.ValuesPruned):
		return []Event{{Category: CategoryLifecycle, Operation: OperationReinstate, Description: "The entity was reinstated"}}
	}
	return nil
}

// processRun returns the event of the start or the end of a run of a process.
func processRun(c *catalog.Change) []Event {
	value := tree(c.Value)
	status := jsontree.Text(value, "status")
	if status == "" {
		return nil
	}
	e := Event{Category: CategoryRun, Operation: OperationStarted, Parameters: map[string]any{}, Description: "A run started"}
	if status == completeStatus {
		e.Operation, e.Description = OperationCompleted, "A run completed"
	}
	if attempt, ok := value["attempt"]; ok {
		e.Parameters[parameterAttempt] = attempt
	}
	if result := jsontree.Text(jsontree.Member(value, "result"), "type"); result != "" {
		e.Parameters[parameterRunResult] = result
		e.Description += ": " + result
	}
	return []Event{e}
}

// assertionRun returns the event of the end of a run of an assertion.
func assertionRun(c *catalog.Change) []Event {
	value := tree(c.Value)
	status := jsontree.Text(value, "status")
	if status != completeStatus {
		return nil
	}
	e := Event{Category: CategoryRun, Operation: OperationCompleted, Description: "An assertion was run", Parameters: map[string]any{
		parameterRunResult: status, parameterRunID: jsontree.Text(value, "runId"), parameterAssertee: jsontree.Text(value, "asserteeUrn"),
	}}
	if result := jsontree.Text(jsontree.Member(value, "result"), "type"); result != "" {
		e.Parameters[parameterAssertion] = result
		if result == failureResult {
			e.Description = "An assertion failed"
		}
	}
	return []Event{e}
}

// incident returns the event of a change of an incident's state. The state is the operation.
func incident(c *catalog.Change) []Event {
	if c.ValuesPruned {
		return nil
	}
	value := tree(c.Value)
	state := stateOf(value)
	if state == "" || state == stateOf(tree(c.Previous)) {
		return nil
	}
	return []Event{{
		Category: CategoryIncident, Operation: state, Description: "An incident is " + strings.ToLower(state),
		Parameters: map[string]any{parameterEntities: strings.Join(jsontree.Texts(value, "entities"), ",")},
	}}
}

func stateOf(incident map[string]any) string {
	return jsontree.Text(jsontree.Member(incident, "status"), "state")
}

// tree decodes a JSON object. tree returns nil if there is no valid object.
func tree(value json.RawMessage) map[string]any {
	var decoded map[string]any
	if json.Unmarshal(value, &decoded) != nil {
		return nil
	}
	return decoded
}
