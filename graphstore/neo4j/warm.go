package neo4j

import (
	"context"
	"sync"
	"sync/atomic"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

// warm has the database plan the statements that groups share, with nothing to read or
// write, so that the first updates after a start do not wait for it: a plan takes up to a
// second, on a database that has just started many, and is then kept by the text of its
// statement.
func (s *Store) warm(ctx context.Context) {
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

// planOnce is one planning of a statement, which all who need the plan wait for: the
// database would make it for each of them.
type planOnce struct {
	sync.Once
	err  error
	done atomic.Bool
}

// planned has the database plan a statement for groups, once for this store.
func (s *Store) planned(ctx context.Context, text string) error {
	value, _ := s.plans.LoadOrStore(text, &planOnce{})
	once, _ := value.(*planOnce)
	once.Do(func() {
		once.err = s.plan(ctx, text)
		once.done.Store(true)
	})
	return once.err
}

// hasPlan reports whether a statement for groups is planned.
func (s *Store) hasPlan(text string) bool {
	value, _ := s.plans.Load(text)
	once, _ := value.(*planOnce)
	return once != nil && once.done.Load()
}

// groupText is the statement that writes a batch for a group: the plain one is no reason to
// wait for its plan while the other one has one.
func (s *Store) groupText(b *graphstore.Batch) string {
	text := s.groupTexts.of(b)
	if edges := s.groupTexts.edges; edges != "" && text != edges && !s.hasPlan(text) && s.hasPlan(edges) {
		return edges
	}
	return text
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
