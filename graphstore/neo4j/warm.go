package neo4j

import (
	"context"
	"sync"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// PlanGroups begins to plan, in the background, the statements that groups of updates share, if
// [Options] delayed that. The database takes up to a second for a plan, and many seconds just
// after its start; then it caches the plan by the text of the statement. Until the plans are
// made, each update has a transaction of its own, with small statements, so that no update
// waits for a plan.
func (s *Store) PlanGroups() { s.warm() }

// hasPlans reports whether updates may run in groups.
func (s *Store) hasPlans() bool {
	select {
	case <-s.warmed:
		return true
	default:
		return false
	}
}

// planGroups lets the database plan the statements that groups share, without data to read or
// write.
func (s *Store) planGroups(ctx context.Context) {
	defer close(s.warmed)
	states, err := s.statements.Text("write/group_states")
	if err == nil {
		for _, text := range []string{states, s.groupTexts.edges, s.groupTexts.plain} {
			if err = s.planned(ctx, text); err != nil {
				break
			}
		}
	}
	if err != nil && ctx.Err() == nil {
		s.logger.DebugContext(ctx, "planning the statements of groups", "error", err)
	}
}

// planOnce is the planning of a statement, for which all users of the plan wait: otherwise the
// database would make the plan for each of them.
type planOnce struct {
	sync.Once
	err error
}

// planned lets the database plan a statement for groups, once for this store.
func (s *Store) planned(ctx context.Context, text string) error {
	value, _ := s.plans.LoadOrStore(text, &planOnce{})
	once, _ := value.(*planOnce)
	once.Do(func() { once.err = s.plan(ctx, text) })
	return once.err
}

// plan runs a statement for a group without updates.
func (s *Store) plan(ctx context.Context, text string) error {
	if text == "" {
		return nil
	}
	session := s.session(ctx, driver.AccessModeWrite)
	defer s.end(ctx, session)
	result, err := session.Run(ctx, text, map[string]any{"token": int64(0), "now": int64(0), "group": row{}}, bounds(ctx, 0)...)
	if err != nil {
		return err
	}
	_, err = result.Consume(ctx)
	return err
}
