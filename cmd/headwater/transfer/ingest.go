// Package transfer has the commands that load many entities into a catalog or read them
// from it: ingest, export, import, copy and backup.
package transfer

import (
	"crypto/rand"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/client/ingest"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/wording"
	"github.com/headwater-io/headwater/model"
)

// Commands returns the commands of the family.
func Commands(e *cli.Environment) []*cobra.Command {
	return []*cobra.Command{newIngest(e), newExport(e), newImport(e), newCopy(e), newBackup(e)}
}

// The number of requests that ingest and import send at a time.
const (
	defaultInFlight = 4
	maxInFlight     = 64
)

func newIngest(e *cli.Environment) *cobra.Command {
	var o ingest.Options
	var failures string
	c := &cobra.Command{
		Use:   "ingest FILE...",
		Short: "Write files of proposals and snapshots to a server",
		Long: `Write files of proposals and snapshots to a server. A file is a JSON array, JSON
lines or one object, plain or gzipped; - is standard input. Records have the
form of the REST interface, or the form that the file sink of the Python client
writes. Files are read as a stream, so they may have any size. The artifacts of a dbt
project are read by "headwater ingest dbt"; a file of the name dbt is ./dbt.

Proposals and snapshots are sent in separate requests, each full if possible, and
several requests at a time. Records of the same entity are written in the order of
the file; others may be written in another order.

A record that is refused does not stop a file, unless --stop-on-error is given. The
first ones are listed with file and line at the end, and --failures writes all of them
to a file. The rest of a JSON array cannot be read after a syntax error.

What the server has acknowledged is recorded in the user's cache directory. An
interrupted run therefore continues where it stopped when it is started again;
--restart starts over.

` + cli.ExitHelp,
		Example: `  headwater ingest metadata.json
  headwater ingest --run-id nightly-42 exports/*.json.gz
  generate | headwater ingest -
  headwater ingest dbt target/`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.BadUsage(fmt.Errorf("name at least one file, or - for standard input"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			finish, err := prepare(e, &o, failures)
			if err != nil {
				return err
			}
			defer finish()
			return ingestFiles(e, c, &o, args)
		},
	}
	// Without it, a shell would offer the command below, but no files.
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	sendingFlags(e, c, &o, &failures)
	f := c.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, "check the records against the model, but send nothing")
	f.BoolVar(&o.Restart, "restart", false, "start over instead of continuing an interrupted run")
	f.StringVar(&o.StateDir, "state-dir", "", "directory to record progress in (default: the user's cache directory)")
	c.AddCommand(newIngestDBT(e))
	return c
}

// sendingFlags are the flags of every command that sends records.
func sendingFlags(e *cli.Environment, c *cobra.Command, o *ingest.Options, failures *string) {
	f := c.Flags()
	f.StringVar(&o.RunID, "run-id", "", "run id for records without one (default: generated)")
	f.IntVar(&o.BatchSize, "batch-size", limits.DefaultBatch, "number of records to send together")
	f.IntVar(&o.InFlight, "in-flight", defaultInFlight, "number of requests to send at a time")
	f.BoolVar(&o.StopOnError, "stop-on-error", false, "stop at the first record that is refused")
	f.StringVar(failures, "failures", "", "file to write every failed record to, as JSON lines")
	e.ClientFlags(c)
	e.OutputFlag(c)
}

// prepare checks the flags of a command that sends records, and completes its options. finish closes the file of
// failures.
func prepare(e *cli.Environment, o *ingest.Options, failures string) (finish func(), err error) {
	if o.BatchSize < 1 {
		return nil, cli.BadUsage(fmt.Errorf("--batch-size must be at least 1"))
	}
	if o.InFlight < 1 || o.InFlight > maxInFlight {
		return nil, cli.BadUsage(fmt.Errorf("--in-flight must be from 1 to %d", maxInFlight))
	}
	if o.RunID == "" {
		o.RunID = "headwater-" + time.Now().UTC().Format("20060102T150405") + "-" + rand.Text()[:6]
	}
	o.Client, o.Registry, o.Stdin = e.Client(), model.Default(), e.Stdin
	if failures == "" {
		return func() {}, nil
	}
	f, err := os.Create(failures)
	if err != nil {
		return nil, err
	}
	o.Failures = f
	return func() { f.Close() }, nil
}

func ingestFiles(e *cli.Environment, c *cobra.Command, o *ingest.Options, files []string) error {
	began, stopped := time.Now(), false
	var total ingest.Summary
	for _, name := range files {
		progress := e.BytesBar(name)
		o.Progress = progress.Report
		summary, err := ingest.File(c.Context(), name, *o)
		progress.Finish()
		total.Add(summary)
		if stopped = isStopped(err); stopped {
			break
		}
		if err != nil {
			if total.Succeeded == 0 {
				return fmt.Errorf("%s: %w", fileName(name), err)
			}
			return fmt.Errorf("%s: %w (%s; the same command continues)", fileName(name), err, wording.Counted(total.Succeeded, "record is written", "records are written"))
		}
	}
	if err := showIngestion(e, o, &total, time.Since(began), stopped); err != nil {
		return err
	}
	return ingestError(&total, stopped)
}
