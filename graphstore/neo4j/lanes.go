package neo4j

import (
	"context"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// lanes divide the connections of the pool among kinds of work, so that long reads do not take
// the connections of short reads.
type lanes struct {
	// reads are for short reads, lists and walks for reads that may take long.
	reads, lists, walks *graphstore.Lane
	// log is for the change log, health for Ping.
	log, health *graphstore.Lane
	writes      *graphstore.Lane
}

func newLanes(connections int) lanes {
	share := func(part int) int { return max(connections/part, 1) }
	others := 1 + share(16) + 2*share(8) + share(4)
	return lanes{
		health: graphstore.NewLane(1), log: graphstore.NewLane(share(16)),
		lists: graphstore.NewLane(share(8)), walks: graphstore.NewLane(share(8)),
		writes: graphstore.NewLane(share(4)), reads: graphstore.NewLane(connections - others),
	}
}

// of returns the lane of a read statement.
func (l *lanes) of(statement string) *graphstore.Lane {
	switch statement {
	case "read/ping":
		return l.health
	case "read/changes", "read/changes_without_values", "read/positions", "read/cursor", "read/record", "read/records", "read/oldest_changes", "read/oldest_positions", "read/trimmed":
		return l.log
	case "read/count_aspects", "read/aspect_urns", "read/count_entities", "read/list_entities", "read/scan_entities", "read/with_prefix",
		"read/runs", "read/rows_by_run", "read/rows_by_registry", "read/run_time_series", "read/count_time_series", "read/newest_changes",
		"read/history_versions", "read/history_statements", "read/history_bytes":
		return l.lists
	}
	return l.reads
}

const (
	// timeoutGrace is the time after the deadline of the caller at which the server ends a
	// transaction. When the caller's context ends, the driver closes the connection, and the
	// server then ends the transactions on it. The grace is for a connection whose end the server
	// does not notice.
	timeoutGrace = time.Second
	// longestTransaction bounds work without a deadline.
	longestTransaction = time.Hour
)

// bounds tell the server to whom a transaction belongs and when to end it: after patience if
// that is not 0, otherwise shortly after the deadline of the caller.
func bounds(ctx context.Context, patience time.Duration) []func(*driver.TransactionConfig) {
	most := longestTransaction
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, max(time.Until(deadline), 0)+timeoutGrace)
	}
	if patience > 0 {
		most = min(most, patience)
	}
	return []func(*driver.TransactionConfig){
		driver.WithTxTimeout(most), driver.WithTxMetadata(map[string]any{"app": "headwater"}),
	}
}

// connections returns the size of the pool.
func connections(asked int) int {
	if asked == 0 {
		return 100
	}
	return max(asked, limits.MinGraphPool)
}
