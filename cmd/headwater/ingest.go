package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/internal/ingest"
	"github.com/headwater-io/headwater/model"
)

func newIngest(e *environment) *cobra.Command {
	var o ingest.Options
	var failures string
	c := &cobra.Command{
		Use:   "ingest FILE...",
		Short: "Write files of proposals and snapshots to a server",
		Long: `Write files of proposals and snapshots to a server. A file is a JSON array, JSON
lines or one object, plain or gzipped; - is standard input. Records are in the
form of the REST interface, or in the form that the file sink of the Python
client writes. Files are read as they are sent, whatever their size.

What the server has acknowledged is remembered in the user's cache directory, so
that an interrupted run goes on where it was when it is started again; --restart
begins anew.

` + exitHelp,
		Example: `  headwater ingest metadata.json
  headwater ingest --run-id nightly-42 exports/*.json.gz
  generate | headwater ingest -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{fmt.Errorf("name at least one file, or - for standard input")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if o.BatchSize < 1 {
				return usageError{fmt.Errorf("--batch-size must be at least 1")}
			}
			if o.RunID == "" {
				o.RunID = "headwater-" + time.Now().UTC().Format("20060102T150405") + "-" + rand.Text()[:6]
			}
			o.Client, o.Registry, o.Stdin = e.client(), model.Default(), e.stdin
			if failures != "" {
				f, err := os.Create(failures)
				if err != nil {
					return err
				}
				defer f.Close()
				o.Failures = f
			}
			return e.ingestFiles(c, &o, args)
		},
	}
	f := c.Flags()
	f.StringVar(&o.RunID, "run-id", "", "run id of records that name none (made up when left out)")
	f.IntVar(&o.BatchSize, "batch-size", 1000, "records sent together")
	f.BoolVar(&o.DryRun, "dry-run", false, "check the records against the model and send nothing")
	f.BoolVar(&o.Restart, "restart", false, "begin anew although an earlier run left off")
	f.StringVar(&o.StateDir, "state-dir", "", "directory to remember progress in (the user's cache when left out)")
	f.StringVar(&failures, "failures", "", "file to write every failed record to, as JSON lines")
	e.clientFlags(c)
	return c
}

// shownFailures is how many failures the summary spells out.
const shownFailures = 10

func (e *environment) ingestFiles(c *cobra.Command, o *ingest.Options, files []string) error {
	began := time.Now()
	var total ingest.Summary
	for _, name := range files {
		progress := e.progress(name)
		o.Progress = progress.report
		summary, err := ingest.File(c.Context(), name, *o)
		progress.finish()
		total.Add(summary)
		if err != nil {
			return fmt.Errorf("%s: %w (%d records are in; the same command goes on from there)", name, err, total.Succeeded)
		}
	}
	for i, failure := range total.Failures {
		if i == shownFailures {
			fmt.Fprintf(e.stderr, "… and more; --failures writes them all\n")
			break
		}
		fmt.Fprintf(e.stderr, "record %d of %s: %s\n", failure.Record, failure.File, failure.Message)
	}
	verb := "written"
	if o.DryRun {
		verb = "valid"
	}
	fmt.Fprintf(e.stdout, "%d records %s, %d failed, %d skipped as acknowledged before, in %s (run %s)\n",
		total.Succeeded, verb, total.Failed, total.Skipped, time.Since(began).Round(time.Millisecond), o.RunID)
	if total.Failed > 0 {
		return fmt.Errorf("%w: %d of %d", errPartial, total.Failed, total.Failed+total.Succeeded)
	}
	return nil
}

// progress shows how far a file is: a bar on a terminal, else a line now and
// then.
type progress struct {
	name  string
	bar   *progressbar.ProgressBar
	lines io.Writer
	shown time.Time
}

func (e *environment) progress(name string) *progress {
	p := &progress{name: name, lines: e.stderr, shown: time.Now()}
	size := int64(-1)
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	if f, ok := e.stderr.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.bar = progressbar.NewOptions64(size, progressbar.OptionSetDescription(name), progressbar.OptionSetWriter(f),
				progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
		}
	}
	return p
}

// lineEvery is how often progress is written where there is no terminal.
const lineEvery = 10 * time.Second

func (p *progress) report(bytes int64, records int) {
	if p.bar != nil {
		_ = p.bar.Set64(bytes) // a display that fails is no failure
		return
	}
	if time.Since(p.shown) >= lineEvery {
		p.shown = time.Now()
		fmt.Fprintf(p.lines, "%s: %d records acknowledged\n", p.name, records)
	}
}

func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
