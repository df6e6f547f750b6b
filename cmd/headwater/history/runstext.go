package history

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

func writeRuns(e *cli.Environment, runs []removal.RunSummary, start, limit int) error {
	if len(runs) == 0 {
		fmt.Fprintln(e.Stdout, "there are no runs here")
		return nil
	}
	table := &screen.Table{Columns: []screen.Column{
		{Head: "RUN", Least: 20}, {Head: "PIPELINE"}, {Head: "ASPECTS", Right: true}, {Head: "TIME-SERIES VALUES", Right: true}, {Head: "LAST WRITTEN"}, {Head: "NOTE"},
	}}
	for i := range runs {
		r := &runs[i]
		table.Add(r.RunID, r.Pipeline, strconv.FormatInt(r.Rows, 10), strconv.FormatInt(r.TimeSeriesRows, 10), show.TimeOf(r.Timestamp), rolledBackNote(r))
	}
	if err := table.Write(e.Stdout, screen.WidthOf(e.Stdout)); err != nil {
		return err
	}
	if len(runs) == limit {
		fmt.Fprintf(e.Stdout, "\nthere may be more; --start %d shows them\n", start+limit)
	}
	return nil
}

// rolledBackNote returns a note about when a run was rolled back, "" if it was not.
func rolledBackNote(r *removal.RunSummary) string {
	switch {
	case r.RolledBack:
		return "rolled back " + show.TimeOf(r.RolledBackAt)
	case r.RolledBackAt != 0:
		return "not all of it, or written again since the rollback " + show.TimeOf(r.RolledBackAt)
	}
	return ""
}

// runRowsShown is the number of rows that runs show lists by default. runRowsCounted is the
// largest number of rows that it counts: the largest page of one request.
const (
	runRowsShown   = 20
	runRowsCounted = removal.MaxRunPage
)

// writeRun writes how much a run wrote, and one page of its rows.
func writeRun(ctx context.Context, e *cli.Environment, q *removal.RunQuery) error {
	ask := removal.RunQuery{RunID: q.RunID, Count: runRowsCounted, IncludeSoft: q.IncludeSoft}
	counted, _, err := runRows(ctx, e, &ask)
	if err != nil {
		return err
	}
	if len(counted) == 0 {
		return noRun(ctx, e, q.RunID)
	}
	count := newRunCount()
	count.add(counted)
	if len(counted) == runRowsCounted {
		ask.Start, ask.Count = runRowsCounted, 1
		next, _, err := runRows(ctx, e, &ask)
		if err != nil {
			return err
		}
		count.more = len(next) > 0
	}
	var rows []removal.RunRow
	if through := q.Start + q.Count; q.Start >= 0 && q.Count >= 0 && q.Count <= removal.MaxRunPage && (through <= len(counted) || !count.more) {
		rows = counted[min(q.Start, len(counted)):min(through, len(counted))]
	} else if rows, _, err = runRows(ctx, e, q); err != nil {
		return err
	}
	if err := count.write(e, q.RunID); err != nil {
		return err
	}
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintln(e.Stdout)
	if err := writeRunRows(e, rows); err != nil {
		return err
	}
	through := q.Start + len(rows)
	switch {
	case count.more && len(rows) == q.Count:
		fmt.Fprintf(e.Stdout, "\nrows %d to %d of at least %d; --start %d shows the next, --limit shows more\n", q.Start+1, through, max(count.rows+1, through), through)
	case !count.more && through < count.rows:
		fmt.Fprintf(e.Stdout, "\nrows %d to %d of %d; --start %d shows the next, --limit shows more\n", q.Start+1, through, count.rows, through)
	}
	return nil
}

// runCount has totals over the rows of a run. more: the run has further rows, which are not
// counted.
type runCount struct {
	more                   bool
	rows, aspects, created int
	values, latest         int64
	entities               map[string]bool
	kinds                  map[runKind]*runKindCount
}

type runKind struct{ entityType, aspect string }

type runKindCount struct {
	entities int
	values   int64
}

func newRunCount() *runCount {
	return &runCount{entities: map[string]bool{}, kinds: map[runKind]*runKindCount{}}
}

func (c *runCount) add(rows []removal.RunRow) {
	for i := range rows {
		r := &rows[i]
		kind := runKind{show.PlaceOf(r.URN).Type, r.AspectName}
		if c.kinds[kind] == nil {
			c.kinds[kind] = &runKindCount{}
		}
		c.kinds[kind].entities++
		c.kinds[kind].values += r.TimeSeriesRows
		c.entities[r.URN] = true
		c.latest = max(c.latest, r.Timestamp)
		c.rows++
		c.values += r.TimeSeriesRows
		if r.TimeSeriesRows == 0 {
			c.aspects++
		}
		if r.KeyAspect {
			c.created++
		}
	}
}

func (c *runCount) write(e *cli.Environment, runID string) error {
	least, last := "", "the last at"
	if c.more {
		least, last = "at least ", "the last of these at"
	}
	text := fmt.Sprintf("%s wrote %s%s", screen.Line(runID), least, wording.Counted(c.aspects, "aspect", "aspects"))
	if c.values > 0 {
		text += " and " + wording.Counted(int(c.values), "time-series value", "time-series values")
	}
	text += " of " + wording.Counted(len(c.entities), "entity", "entities") + " that are current"
	if c.created > 0 {
		text += fmt.Sprintf(", and created %s%s", least, wording.Counted(c.created, "entity", "entities"))
	}
	fmt.Fprintf(e.Stdout, "%s; %s %s\n", text, last, show.TimeOf(c.latest))
	if c.more {
		fmt.Fprintf(e.Stdout, "only the first %d rows are counted\n", c.rows)
	}
	kinds := slices.SortedFunc(maps.Keys(c.kinds), func(a, b runKind) int {
		return slices.Compare([]string{a.entityType, a.aspect}, []string{b.entityType, b.aspect})
	})
	fmt.Fprintln(e.Stdout)
	table := &screen.Table{Columns: []screen.Column{{Head: "TYPE"}, {Head: "ASPECT", Least: 20}, {Head: "ENTITIES", Right: true}, {Head: "VALUES", Right: true}}}
	for i, kind := range kinds {
		entityType, values := show.TypeWord(kind.entityType), ""
		if i > 0 && kinds[i-1].entityType == kind.entityType {
			entityType = "" // the type is written only with its first aspect
		}
		if n := c.kinds[kind].values; n > 0 {
			values = strconv.FormatInt(n, 10)
		}
		table.Add(entityType, kind.aspect, strconv.Itoa(c.kinds[kind].entities), values)
	}
	return table.Write(e.Stdout, screen.WidthOf(e.Stdout))
}

// writeRunRows writes a table of rows that a run wrote or that a rollback would revert.
func writeRunRows(e *cli.Environment, rows []removal.RunRow) error {
	table := &screen.Table{Columns: []screen.Column{
		{Head: "TYPE"}, {Head: "PLATFORM"}, {Head: "ENTITY", Least: 16, Front: true}, {Head: "ASPECT", Least: 12}, {Head: "NOTE"},
	}}
	for i := range rows {
		note := ""
		switch r := &rows[i]; {
		case r.KeyAspect:
			note = "created"
		case r.TimeSeriesRows > 0:
			note = wording.Counted(int(r.TimeSeriesRows), "value", "values")
		}
		at := show.PlaceOf(rows[i].URN)
		table.Add(show.TypeWord(at.Type), at.Platform, show.LeafOf(rows[i].URN), rows[i].AspectName, note)
	}
	return table.Write(e.Stdout, screen.WidthOf(e.Stdout))
}
