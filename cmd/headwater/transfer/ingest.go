// Package transfer has the commands that load many entities into a catalog or read them
// from it: ingest, export, import, copy and backup.
package transfer

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/client/ingest"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/sending"
	"github.com/headwater-io/headwater/internal/wording"
)

// Commands returns the commands of the family.
func Commands(e *cli.Environment) []*cobra.Command {
	return []*cobra.Command{newIngest(e), newExport(e), newImport(e), newCopy(e), newBackup(e)}
}

func newIngest(e *cli.Environment) *cobra.Command {
	var flags sending.Flags
	o := &flags.Options
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
			finish, err := flags.Prepare(e)
			if err != nil {
				return err
			}
			defer finish()
			return ingestFiles(e, c, o, args)
		},
	}
	// Without it, a shell would offer the command below, but no files.
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	flags.Add(e, c)
	f := c.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, "check the records against the model, but send nothing")
	f.BoolVar(&o.Restart, "restart", false, "start over instead of continuing an interrupted run")
	f.StringVar(&o.StateDir, "state-dir", "", "directory to record progress in (default: the user's cache directory)")
	c.AddCommand(newIngestDBT(e), newIngestOpenLineage(e), newIngestSource(e))
	return c
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
		if stopped = sending.IsStopped(err); stopped {
			break
		}
		if err != nil {
			if total.Succeeded == 0 {
				return fmt.Errorf("%s: %w", sending.FileName(name), err)
			}
			return fmt.Errorf("%s: %w (%s; the same command continues)", sending.FileName(name), err, wording.Counted(total.Succeeded, "record is written", "records are written"))
		}
	}
	if err := sending.Show(e, o, &total, time.Since(began), stopped); err != nil {
		return err
	}
	return sending.Error(&total, stopped)
}
