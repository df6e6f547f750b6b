package transfer

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/client/ingest"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/sending"
	"github.com/headwater-io/headwater/internal/filelist"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

func newIngestOpenLineage(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "openlineage FILE...",
		Short: "Send events of OpenLineage in files to a server",
		Long: `Send events of OpenLineage in files to a server, as the file transport of its clients
writes them. A file is a JSON array, JSON lines or one event, plain or gzipped; - is
standard input. Of a directory, all files below it that end with .json, .jsonl or
.ndjson are sent, also if .gz follows, in the order of their names.

An event that is refused does not stop the others. The same events may be sent again,
and in any order: the second time, nothing changes.

` + cli.ExitHelp,
		Example: `  headwater ingest openlineage events.ndjson
  headwater ingest openlineage /var/log/openlineage --server catalog:8080`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.BadUsage(errors.New("name at least one file or directory, or - for standard input"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return sendEvents(e, c, args) },
	}
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

// sentEvents are the counts of events as JSON.
type sentEvents struct {
	Files     int               `json:"files"`
	Succeeded int               `json:"succeeded"`
	Failed    int               `json:"failed"`
	Elapsed   int64             `json:"elapsedMillis"`
	Failures  []sending.Failure `json:"failures"`
}

func sendEvents(e *cli.Environment, c *cobra.Command, names []string) error {
	files, err := eventFiles(names)
	if err != nil {
		return err
	}
	began := time.Now()
	var total ingest.Summary
	for _, name := range files {
		bar := e.BytesBar(name)
		events := ingest.Events{Client: e.Client(), Stdin: e.Stdin, Progress: bar.Report}
		summary, err := events.File(c.Context(), name)
		bar.Finish()
		total.Add(summary)
		if err != nil {
			return fmt.Errorf("%s: %w (%s; the same command sends all of them again)", sending.FileName(name), err, wording.Counted(total.Succeeded, "event was taken", "events were taken"))
		}
	}
	took := time.Since(began)
	if e.Output == "json" {
		shown := sentEvents{Files: len(files), Succeeded: total.Succeeded, Failed: total.Failed, Elapsed: took.Milliseconds(), Failures: []sending.Failure{}}
		for _, f := range total.Failures {
			shown.Failures = append(shown.Failures, sending.Failure{File: f.File, Line: f.Line, Record: f.Record, Message: f.Message})
		}
		err = e.WriteJSON(shown)
	} else {
		err = tellEvents(e, len(files), &total, took)
	}
	if err != nil {
		return err
	}
	return sending.Error(&total, false)
}

func tellEvents(e *cli.Environment, files int, total *ingest.Summary, took time.Duration) error {
	shown := total.Failures[:min(len(total.Failures), cli.ShownFailures)]
	for _, f := range shown {
		fmt.Fprintf(e.Stderr, "%s:%d: %s\n", sending.FileName(f.File), f.Line, screen.Line(f.Message))
	}
	if more := total.Failed - len(shown); more > 0 {
		fmt.Fprintf(e.Stderr, "… and %d more\n", more)
	}
	_, err := fmt.Fprintf(e.Stdout, "%s taken, %d failed, from %s, in %s\n", wording.Counted(total.Succeeded, "event", "events"), total.Failed, wording.Counted(files, "file", "files"), took.Round(time.Millisecond))
	return err
}

// eventFiles returns the files to send: the named files, and the files below named directories.
func eventFiles(names []string) ([]string, error) {
	var files []string
	for _, name := range names {
		info, err := os.Stat(name)
		switch {
		case name == "-":
			files = append(files, name)
		case err != nil:
			return nil, err
		case !info.IsDir():
			files = append(files, name)
		default:
			below, err := filelist.Below(name, limits.SourceFiles, ".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
			if err != nil {
				return nil, err
			}
			files = append(files, below...)
		}
	}
	return files, nil
}
