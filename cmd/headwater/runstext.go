package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/internal/screen"
)

func (e *environment) writeRuns(runs []removal.RunSummary, start, limit int) error {
	if len(runs) == 0 {
		fmt.Fprintln(e.stdout, "there are no runs here of which something is current")
		return nil
	}
	table := &screen.Table{Columns: []screen.Column{
		{Head: "RUN", Least: 20}, {Head: "ASPECTS", Right: true}, {Head: "TIME-SERIES VALUES", Right: true}, {Head: "LAST WRITTEN"},
	}}
	for _, r := range runs {
		table.Add(r.RunID, strconv.FormatInt(r.Rows, 10), strconv.FormatInt(r.TimeSeriesRows, 10), timeOf(r.Timestamp))
	}
	if err := table.Write(e.stdout, screen.WidthOf(e.stdout)); err != nil {
		return err
	}
	if len(runs) == limit {
		fmt.Fprintf(e.stdout, "\nthere may be more; --start %d shows them\n", start+limit)
	}
	return nil
}

// How many rows runs show lists unless it is told, how many it counts, and how many it
// asks for at a time.
const (
	runRowsShown   = 20
	runRowsCounted = 200_000
	runRowsAtOnce  = removal.MaxRunPage
)

// writeRun writes how much a run wrote, and the first rows.
func (e *environment) writeRun(ctx context.Context, runID string, rows []removal.RunRow, q *removal.RunQuery, shown int) error {
	count := newRunCount()
	for start := 0; start < runRowsCounted; start += runRowsAtOnce {
		var page []removal.RunRow
		if _, err := e.post(ctx, "/runs?action=describe", map[string]any{
			"runId": runID, "start": start, "count": runRowsAtOnce, "includeSoft": q.IncludeSoft,
		}, &page); err != nil {
			return err
		}
		count.add(page)
		if len(page) < runRowsAtOnce {
			break
		}
	}
	if err := count.write(e, runID); err != nil {
		return err
	}
	rows = rows[:min(len(rows), shown)]
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintln(e.stdout)
	if err := e.writeRunRows(rows); err != nil {
		return err
	}
	if through := q.Start + len(rows); through < count.rows {
		fmt.Fprintf(e.stdout, "\nrows %d to %d of %d; --start %d shows the next, --limit shows more\n", q.Start+1, through, count.rows, through)
	}
	return nil
}

// runCount counts what a run wrote.
type runCount struct {
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
		kind := runKind{placeOf(r.URN).Type, r.AspectName}
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

func (c *runCount) write(e *environment, runID string) error {
	text := fmt.Sprintf("%s wrote %s", screen.Line(runID), plural(c.aspects, "aspect", "aspects"))
	if c.values > 0 {
		text += " and " + plural(int(c.values), "time-series value", "time-series values")
	}
	text += " of " + plural(len(c.entities), "entity", "entities") + " that are current"
	if c.created > 0 {
		text += fmt.Sprintf(", and created %s", plural(c.created, "entity", "entities"))
	}
	fmt.Fprintf(e.stdout, "%s; the last at %s\n", text, timeOf(c.latest))
	if c.rows >= runRowsCounted {
		fmt.Fprintf(e.stdout, "only the first %d rows are counted\n", c.rows)
	}
	kinds := slices.SortedFunc(maps.Keys(c.kinds), func(a, b runKind) int {
		return slices.Compare([]string{a.entityType, a.aspect}, []string{b.entityType, b.aspect})
	})
	fmt.Fprintln(e.stdout)
	table := &screen.Table{Columns: []screen.Column{{Head: "TYPE"}, {Head: "ASPECT", Least: 20}, {Head: "ENTITIES", Right: true}, {Head: "VALUES", Right: true}}}
	for i, kind := range kinds {
		entityType, values := typeWord(kind.entityType), ""
		if i > 0 && kinds[i-1].entityType == kind.entityType {
			entityType = "" // once for all of its aspects
		}
		if n := c.kinds[kind].values; n > 0 {
			values = strconv.FormatInt(n, 10)
		}
		table.Add(entityType, kind.aspect, strconv.Itoa(c.kinds[kind].entities), values)
	}
	return table.Write(e.stdout, screen.WidthOf(e.stdout))
}

// writeRunRows writes what a run wrote, or what a rollback would take back.
func (e *environment) writeRunRows(rows []removal.RunRow) error {
	table := &screen.Table{Columns: []screen.Column{
		{Head: "TYPE"}, {Head: "PLATFORM"}, {Head: "ENTITY", Least: 16, Front: true}, {Head: "ASPECT", Least: 12}, {Head: "NOTE"},
	}}
	for i := range rows {
		note := ""
		switch r := &rows[i]; {
		case r.KeyAspect:
			note = "created"
		case r.TimeSeriesRows > 0:
			note = plural(int(r.TimeSeriesRows), "value", "values")
		}
		at := placeOf(rows[i].URN)
		table.Add(typeWord(at.Type), at.Platform, leafOf(rows[i].URN), rows[i].AspectName, note)
	}
	return table.Write(e.stdout, screen.WidthOf(e.stdout))
}
