// Package execute has the command executor, which runs ingestion sources, and the one that supervises a run.
package execute

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/executor"
	"github.com/headwater-io/headwater/executor/process"
	"github.com/headwater-io/headwater/internal/limits"
)

// Commands returns the commands of the family.
func Commands(e *cli.Environment) []*cobra.Command {
	return []*cobra.Command{newExecutor(e), newSupervise()}
}

// runTokenVariable is the environment variable with the token with which runs write.
const runTokenVariable = "HEADWATER_RUN_TOKEN"

func newExecutor(e *cli.Environment) *cobra.Command {
	var s executor.Settings
	c := &cobra.Command{
		Use:   "executor",
		Short: "Run the ingestion sources of a server",
		Long: `Take the runs of ingestion sources that are due or asked for, run them on this machine,
and write what they find to the server. A server has an executor of its own unless it is
started with --executor off; this command is for further machines, networks and users of
the system. Several executors share the runs, and each run has one of them.

Each run is a process of its own with bounds of time, memory and output. Recipes run with
DataHub's Python client, which needs Python 3.10 or later and is installed when a source
needs it first; what the program reads without Python runs in the program. On SIGTERM,
runs are stopped and end as failed.

` + cli.ExitHelp,
		Example: `  HEADWATER_TOKEN=… headwater executor --server https://catalog.example
  headwater executor --id warehouse-network --runs 4
  headwater executor --environments /opt/datahub --time 2h`,
		Args: cli.ExactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			s.Server, s.Token = e.Server, e.Token
			if s.RunToken == "" {
				s.RunToken = os.Getenv(runTokenVariable)
			}
			if s.Dir == "" {
				cache, err := os.UserCacheDir()
				if err != nil {
					return cli.BadUsage(errors.Join(err, errors.New("--data names the directory of environments and runs")))
				}
				s.Dir = filepath.Join(cache, "headwater", "executor")
			}
			s.Logger = slog.New(slog.NewTextHandler(e.Stderr, nil))
			x, err := executor.Open(s)
			if err != nil {
				return cli.BadUsage(err)
			}
			s.Logger.Info("waiting for runs", "server", s.Server, "ids", s.IDs)
			return x.Run(c.Context())
		},
	}
	f := c.Flags()
	f.StringSliceVar(&s.IDs, "id", nil, "executor ID whose runs are taken; the flag may be repeated (default: default)")
	f.StringVar(&s.RunToken, "run-token", "", "access token with which runs write, if it is not that of --token ("+runTokenVariable+")")
	f.StringVar(&s.Dir, "data", "", "directory of Python environments and of what runs write (default: headwater/executor in the user's cache directory)")
	f.IntVar(&s.Parallel, "runs", limits.DefaultRunsAtOnce, "runs at once")
	f.DurationVar(&s.Time, "time", limits.DefaultRunTime, "longest time of a run")
	f.Int64Var(&s.Memory, "memory", limits.DefaultRunMemory, "bytes that the processes of a run may have in memory")
	f.Int64Var(&s.Disk, "disk", limits.DefaultEnvironmentBytes, "bytes that Python environments may take; those unused for longest are removed beyond it")
	f.StringVar(&s.Environments, "environments", "", "directory of prepared Python environments; none are built then")
	f.StringVar(&s.Wheels, "wheels", "", "directory of wheels from which environments are built without a network")
	f.StringVar(&s.Python, "python", "", "Python of environments (default: python3)")
	f.StringVar(&s.Constraints, "constraints", "", "file with constraints for pip (default: those that the client ships)")
	f.BoolVar(&s.AllowCode, "allow-code", false, "run recipes that name classes or functions, packages or variables of the environment, and so any code")
	e.ServerFlags(c)
	return c
}

// newSupervise is the command with which this program supervises a run. Package process calls it.
func newSupervise() *cobra.Command {
	return &cobra.Command{
		Use: executor.Supervise, Hidden: true, Args: cli.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			if code := process.Supervise(); code != 0 {
				return errors.New("this command is for headwater executor, which starts it for each run")
			}
			return nil
		},
	}
}
