package connectors

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Counters are the numbers that a source had counted when it was read. Sources count without end, so the difference of
// two readings is the number of events between them.
type Counters struct {
	// At is when the source was read, epoch milliseconds.
	At int64 `json:"at"`
	// Statements has the runs of statements, Changes the changed rows of tables, by their names.
	Statements map[string]Runs  `json:"statements,omitempty"`
	Changes    map[string]int64 `json:"changes,omitempty"`
}

// Runs counts the runs of a statement: all runs that the source has counted, and the runs on the day of the
// last reading.
type Runs struct {
	All   int64 `json:"all"`
	Today int64 `json:"today,omitempty"`
}

// Memory keeps the counters of a source from one run to the next: in a checkpoint, as [Stale] does.
type Memory struct {
	Platform, Pipeline string
	Checkpoints        Checkpoints
	// Now are the counters of this run.
	Now Counters

	last *Counters
	read bool
}

func (m *Memory) job() string {
	return "urn:li:dataJob:(urn:li:dataFlow:(datahub," + m.Pipeline + ",prod)," + m.Platform + "_counters)"
}

// Last returns the counters of the last run, nil if there are none or m is nil.
func (m *Memory) Last(ctx context.Context) (*Counters, error) {
	if m == nil || m.read {
		return m.counters(), nil
	}
	value, err := m.Checkpoints.Last(ctx, m.job(), m.Pipeline)
	if err != nil {
		return nil, fmt.Errorf("the counters of the last run: %w", err)
	}
	m.read = true
	if value == nil {
		return nil, nil
	}
	payload, err := payloadOf(value)
	if err != nil {
		return nil, err
	}
	last := &Counters{}
	if err := json.Unmarshal(payload, last); err != nil {
		return nil, fmt.Errorf("the counters of the last run: %w", err)
	}
	m.last = last
	return last, nil
}

func (m *Memory) counters() *Counters {
	if m == nil {
		return nil
	}
	return m.last
}

// Ran notes how often the source has counted a statement, and returns how often it ran on the day of this run: the
// executions since the last run count for this day. A statement that the last run did not know has run since then as
// often as the source has counted. In the first run, counts are used only if the source has counted since a moment of
// this day; since is zero if the source does not say since when it counts.
func (m *Memory) Ran(name string, all int64, since time.Time) int64 {
	if m == nil {
		return 0
	}
	today, now := int64(0), time.UnixMilli(m.Now.At).UTC()
	if m.last == nil {
		if day := now.Truncate(24 * time.Hour); !since.IsZero() && !since.Before(day) {
			today = all
		}
	} else {
		before := m.last.Statements[name]
		if today = all - before.All; today < 0 { // the source has begun to count anew
			today = all
		}
		if time.UnixMilli(m.last.At).UTC().Truncate(24 * time.Hour).Equal(now.Truncate(24 * time.Hour)) {
			today += before.Today
		}
	}
	if m.Now.Statements == nil {
		m.Now.Statements = map[string]Runs{}
	}
	m.Now.Statements[name] = Runs{All: all, Today: today}
	return today
}

// Changed notes how many changed rows of a table the source has counted, and reports whether there were changes since the
// last run, whose time is after. Both are zero if that is not known.
func (m *Memory) Changed(table string, counter int64) (changed bool, after time.Time) {
	if m == nil {
		return false, time.Time{}
	}
	if m.Now.Changes == nil {
		m.Now.Changes = map[string]int64{}
	}
	m.Now.Changes[table] = counter
	if m.last == nil {
		return false, time.Time{}
	}
	before, known := m.last.Changes[table]
	if !known {
		return false, time.Time{}
	}
	// A smaller counter was reset meanwhile: all that it has counted happened since the last run.
	return counter > before || counter < before && counter > 0, time.UnixMilli(m.last.At)
}

// State returns the proposals that write the counters, to be sent when everything else is written.
func (m *Memory) State(run string, now time.Time, report *Report) []*model.FileProposal {
	if m == nil || !m.read || len(m.Now.Statements)+len(m.Now.Changes) == 0 {
		return nil
	}
	payload, err := jsontree.Encode(m.Now)
	if err != nil || len(payload) > limits.MaxStateBytes {
		report.Warn("the counters of the source are larger than %d bytes and are not written: the next run has nothing to compare with", limits.MaxStateBytes)
		return nil
	}
	return checkpoint(m.job(), m.Pipeline, run, now, payload, report)
}
