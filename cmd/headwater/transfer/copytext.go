package transfer

import (
	"fmt"
	"strconv"
	"time"

	"github.com/headwater-io/headwater/client/copying"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

// copied is the JSON output of copy.
type copied struct {
	Source string `json:"source"`
	DryRun bool   `json:"dryRun"`
	*copying.Report
	ElapsedMillis int64 `json:"elapsedMillis"`
}

// showCopy shows the numbers of source and target, and the differences.
func showCopy(e *cli.Environment, source string, report *copying.Report, o *copyFlags, took time.Duration) error {
	if e.Output == "json" {
		return e.WriteJSON(copied{source, o.dryRun, report, took.Milliseconds()})
	}
	for i := range report.Differences[:min(len(report.Differences), cli.ShownFailures)] {
		d := &report.Differences[i]
		about := d.Type
		if d.URN != "" {
			about = d.URN
		}
		if d.Aspect != "" {
			about += " " + d.Aspect
		}
		fmt.Fprintf(e.Stderr, "%s: %s\n", screen.Line(about), screen.Line(d.Message))
	}
	if more := report.DifferenceCount - cli.ShownFailures; more > 0 {
		fmt.Fprintf(e.Stderr, "… and %d more; --differences FILE writes all of them to a file\n", more)
	}
	if len(report.Types) == 0 {
		fmt.Fprintln(e.Stdout, "the source has no entities")
		return nil
	}
	table := &screen.Table{Columns: []screen.Column{
		{Head: "TYPE", Least: 10},
		{Head: "ENTITIES", Right: true},
		{Head: "HERE", Right: true},
		{Head: "ASPECTS", Right: true},
		{Head: "HERE", Right: true},
		{Head: "VALUES", Right: true},
		{Head: "HERE", Right: true},
		{Head: "DIFFERENCES", Right: true},
	}}
	for i := range report.Types {
		addCopied(table, &report.Types[i])
	}
	addCopied(table, &report.Total)
	if err := table.Write(e.Stdout, screen.WidthOf(e.Stdout)); err != nil {
		return err
	}
	if report.Uncounted != "" {
		fmt.Fprintf(e.Stdout, "\nthe source did not count all aspects: %s\n", screen.Line(report.Uncounted))
	}
	text := fmt.Sprintf("%s and %s written", wording.Counted(report.Written.Aspects, "aspect", "aspects"), wording.Counted(report.Written.Values, "time-series value", "time-series values"))
	if report.Deleted > 0 {
		text += ", " + wording.Counted(report.Deleted, "entity", "entities") + " deleted"
	}
	if o.dryRun {
		text = "nothing written"
	}
	fmt.Fprintf(e.Stdout, "\n%s: %s of %s compared, %s, %s, in %s\n", screen.Line(source), wording.Counted(report.Total.Entities.Source, "entity", "entities"),
		wording.Counted(len(report.Types), "type", "types"), text, wording.Counted(report.DifferenceCount, "difference", "differences"), took.Round(time.Millisecond))
	return nil
}

func addCopied(table *screen.Table, t *copying.TypeReport) {
	cells := []string{t.Type}
	for _, both := range []copying.Both{t.Entities, t.Aspects, t.Values} {
		cells = append(cells, strconv.Itoa(both.Source), strconv.Itoa(both.Here))
	}
	table.Add(append(cells, strconv.Itoa(t.Differences))...)
}
