package neo4j

import (
	"context"
	"errors"
	"fmt"
	"testing"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

// TestDeadlockIsBusy: a deadlock is reported as too much work, not as an unavailable database,
// and the driver leaves the retry to the store.
func TestDeadlockIsBusy(t *testing.T) {
	err := fmt.Errorf("wrapped: %w", &driver.Neo4jError{Code: "Neo.TransientError.Transaction.DeadlockDetected"})
	if !isDeadlock(err) || driver.IsRetryable(&deadlock{err}) {
		t.Errorf("a deadlock is not seen, or left to the driver")
	}
	s := &Store{}
	if got := s.failure(context.Background(), err); !errors.Is(got, graphstore.ErrBusy) || errors.Is(got, graphstore.ErrUnavailable) {
		t.Errorf("a deadlock is %v", got)
	}
	leader := &driver.Neo4jError{Code: "Neo.ClientError.Cluster.NotALeader"}
	if got := s.failure(context.Background(), leader); isDeadlock(leader) || !errors.Is(got, graphstore.ErrUnavailable) {
		t.Errorf("a lost leader is %v", got)
	}
}
