package object

import (
	"context"
	"fmt"

	"github.com/headwater-io/headwater/model"
)

// Health is whether the newest evaluations of the entity's assertions succeeded,
// and whether it has incidents that are not resolved; empty if it has neither.
func (n *Node) Health(ctx context.Context) ([]*Health, error) {
	health := []*Health{}
	for _, of := range []func(context.Context) (*Health, error){n.assertionHealth, n.incidentHealth} {
		one, err := of(ctx)
		if err != nil {
			return nil, err
		}
		if one != nil {
			health = append(health, one)
		}
	}
	return health, nil
}

// assertionHealth is nil if no assertion was evaluated.
func (n *Node) assertionHealth(ctx context.Context) (*Health, error) {
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
		return nil, nil
	}
	health := &Health{Type: HealthStatusTypeAssertions, Status: HealthStatusPass}
	message := "All assertions are passing"
	if len(failing) > 0 {
		health.Status, health.Causes = HealthStatusFail, failing
		message = fmt.Sprintf("%d of %d assertions are failing", len(failing), evaluated)
	}
	health.Message = &message
	return health, nil
}

// incidentHealth is nil if the entity has no incident.
func (n *Node) incidentHealth(ctx context.Context) (*Health, error) {
	count := maxHealthAssertions
	found, err := n.Relationships(ctx, RelationshipsInput{Types: []string{model.RelationshipIncidentOn}, Direction: RelationshipDirectionIncoming, Count: &count})
	if err != nil {
		return nil, err
	}
	incidents, active := 0, []string{}
	for _, r := range found.Relationships {
		incident, ok := r.Entity.(*Incident)
		if !ok {
			continue
		}
		status, err := incident.Status(ctx)
		if err != nil {
			return nil, err
		}
		if status == nil {
			continue
		}
		incidents++
		if status.State == IncidentStateActive {
			active = append(active, incident.URN)
		}
	}
	if incidents == 0 {
		return nil, nil
	}
	health, message := &Health{Type: HealthStatusTypeIncidents, Status: HealthStatusPass}, "No active incidents"
	if len(active) > 0 {
		health.Status, health.Causes = HealthStatusFail, active
		message = fmt.Sprintf("%d active incidents", len(active))
	}
	health.Message = &message
	return health, nil
}

// maxHealthAssertions is how many assertions, and how many incidents, count for
// an entity's health.
const maxHealthAssertions = 500
