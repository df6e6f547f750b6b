package sending

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/headwater-io/headwater/client/ingest"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

// Summary is the JSON output of a command that sends records.
type Summary struct {
	RunID     string `json:"runId"`
	DryRun    bool   `json:"dryRun"`
	Succeeded int    `json:"succeeded"`
	Created   int    `json:"created"`
	Updated   int    `json:"updated"`
	Unchanged int    `json:"unchanged"`
	Values    int    `json:"timeseriesValues"`
	Failed    int    `json:"failed"`
	Skipped   int    `json:"skipped"`
	// ElapsedMillis is the duration of the load in milliseconds.
	ElapsedMillis int64 `json:"elapsedMillis"`
	// Stopped: the load ended at the first refused record.
	Stopped bool `json:"stopped"`
	// Failures are the first refused records.
	Failures []Failure `json:"failures"`
}

// Failure is a refused record, without its value.
type Failure struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Record  int    `json:"record"`
	Message string `json:"message"`
}

// Show shows the counts of a load, and why records were refused.
func Show(e *cli.Environment, o *ingest.Options, total *ingest.Summary, took time.Duration, stopped bool) error {
	if e.Output == "json" {
		return e.WriteJSON(SummaryOf(o, total, took, stopped))
	}
	ShowRefused(e, total)
	_, err := fmt.Fprintln(e.Stdout, Text(o, total, took))
	return err
}

// Text returns the counts of a load as a line for people.
func Text(o *ingest.Options, total *ingest.Summary, took time.Duration) string {
	text := wording.Counted(total.Succeeded, "record", "records")
	if o.DryRun {
		text += " valid"
	} else {
		text += fmt.Sprintf(" written (%d created, %d updated, %d unchanged", total.Created, updated(o, total), total.Unchanged)
		if total.Values > 0 {
			text += ", " + wording.Counted(total.Values, "time-series value", "time-series values")
		}
		text += ")"
	}
	text += fmt.Sprintf(", %d failed", total.Failed)
	if total.Skipped > 0 {
		text += fmt.Sprintf(", %d skipped as acknowledged before", total.Skipped)
	}
	text += fmt.Sprintf(", in %s", took.Round(time.Millisecond))
	if took >= time.Second {
		text += fmt.Sprintf(" (%.0f a second)", float64(total.Succeeded+total.Failed)/took.Seconds())
	}
	if !o.DryRun {
		text += "; run " + screen.Line(o.RunID)
	}
	return text
}

// ShowRefused lists the first refused records, each with its line.
func ShowRefused(e *cli.Environment, total *ingest.Summary) {
	for i := range total.Failures[:min(len(total.Failures), cli.ShownFailures)] {
		f := &total.Failures[i]
		fmt.Fprintf(e.Stderr, "%s:%d: %s\n", FileName(f.File), f.Line, screen.Line(f.Message))
	}
	if more := total.Failed - cli.ShownFailures; more > 0 {
		fmt.Fprintf(e.Stderr, "… and %d more; --failures FILE writes all of them to a file\n", more)
	}
}

// updated returns the number of records that replaced or removed a value.
func updated(o *ingest.Options, total *ingest.Summary) int {
	if o.DryRun {
		return 0
	}
	return total.Succeeded - total.Created - total.Unchanged - total.Values
}

// SummaryOf returns the counts of a load that took some time, and whether it was stopped.
func SummaryOf(o *ingest.Options, total *ingest.Summary, took time.Duration, stopped bool) *Summary {
	shown := &Summary{
		RunID: o.RunID, DryRun: o.DryRun, Succeeded: total.Succeeded, Created: total.Created, Updated: updated(o, total), Unchanged: total.Unchanged, Values: total.Values,
		Failed: total.Failed, Skipped: total.Skipped, ElapsedMillis: took.Milliseconds(), Stopped: stopped, Failures: []Failure{},
	}
	for i := range total.Failures {
		f := &total.Failures[i]
		shown.Failures = append(shown.Failures, Failure{f.File, f.Line, f.Record, f.Message})
	}
	return shown
}

// FileName returns the name of a file for messages.
func FileName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return screen.Line(name)
}

// Error returns the error of a load with failed records, nil if none failed.
func Error(total *ingest.Summary, stopped bool) error {
	if total.Failed == 0 {
		return nil
	}
	text := fmt.Sprintf("%d of %d", total.Failed, total.Failed+total.Succeeded)
	if stopped {
		text = strings.Join([]string{text, ingest.ErrStopped.Error()}, "; ")
	}
	return fmt.Errorf("%w: %s", cli.ErrPartial, text)
}

// IsStopped reports whether --stop-on-error ended the load.
func IsStopped(err error) bool { return errors.Is(err, ingest.ErrStopped) }
