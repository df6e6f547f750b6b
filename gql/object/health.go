package object

import (
	"context"
	"fmt"

	"github.com/headwater-io/headwater/model"
)

// maxHealth is the number of assertions and incidents from which the health of an entity is
// taken.
const maxHealth = 1000

// Health says whether the newest evaluations of the entity's assertions succeeded, and whether
// the entity has incidents that are not resolved. Without assertions and incidents, Health is
// empty.
func (n *Node) Health(ctx context.Context) ([]*Health, error) {
	count := maxHealth
	found, err := n.Relationships(ctx, RelationshipsInput{
		Types: []string{model.RelationshipAsserts, model.RelationshipIncidentOn}, Direction: RelationshipDirectionIncoming, Count: &count,
	})
	if err != nil {
		return nil, err
	}
	var asserted, raised tally
	for _, r := range found.Relationships {
		switch e := r.Entity.(type) {
		case *Assertion:
			err = asserted.assertion(ctx, e)
		case *Incident:
			err = raised.incident(ctx, e)
		}
		if err != nil {
			return nil, err
		}
	}
	health := []*Health{}
	if asserted.all > 0 {
		health = append(health, asserted.health(HealthStatusTypeAssertions, "All assertions are passing", "%d of %d assertions are failing"))
	}
	if raised.all > 0 {
		health = append(health, raised.health(HealthStatusTypeIncidents, "No incident is active", "%d of %d incidents are active"))
	}
	return health, nil
}

// tally counts evaluated assertions, or incidents. It lists the assertions that fail, or the
// incidents that are active.
type tally struct {
	all int
	bad []string
}

func (t *tally) assertion(ctx context.Context, a *Assertion) error {
	one := 1
	events, err := timeSeries[AssertionRunEvent](ctx, a.Node, model.AspectAssertionRunEvent, window{limit: &one})
	if err != nil || len(events) == 0 || events[0].Result == nil {
		return err
	}
	t.count(a.URN, events[0].Result.Type == AssertionResultTypeFailure)
	return nil
}

func (t *tally) incident(ctx context.Context, i *Incident) error {
	status, err := i.Status(ctx)
	if status != nil {
		t.count(i.URN, status.State == IncidentStateActive)
	}
	return err
}

func (t *tally) count(urn string, bad bool) {
	t.all++
	if bad {
		t.bad = append(t.bad, urn)
	}
}

// health makes the answer. If there are bad assertions or incidents, the message has their
// number and the number of all.
func (t *tally) health(of HealthStatusType, good, bad string) *Health {
	health := &Health{Type: of, Status: HealthStatusPass, Message: &good}
	if len(t.bad) > 0 {
		message := fmt.Sprintf(bad, len(t.bad), t.all)
		health.Status, health.Causes, health.Message = HealthStatusFail, t.bad, &message
	}
	return health
}
