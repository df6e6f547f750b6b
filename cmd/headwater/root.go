package main

import (
	"context"
	"errors"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/cmd/headwater/access"
	"github.com/headwater-io/headwater/cmd/headwater/agents"
	"github.com/headwater-io/headwater/cmd/headwater/check"
	"github.com/headwater-io/headwater/cmd/headwater/edit"
	"github.com/headwater-io/headwater/cmd/headwater/execute"
	"github.com/headwater-io/headwater/cmd/headwater/get"
	"github.com/headwater-io/headwater/cmd/headwater/history"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/lineage"
	"github.com/headwater-io/headwater/cmd/headwater/notify"
	"github.com/headwater-io/headwater/cmd/headwater/operate"
	"github.com/headwater-io/headwater/cmd/headwater/search"
	"github.com/headwater-io/headwater/cmd/headwater/serve"
	"github.com/headwater-io/headwater/cmd/headwater/shell"
	"github.com/headwater-io/headwater/cmd/headwater/sql"
	"github.com/headwater-io/headwater/cmd/headwater/transfer"
)

// run executes a command line and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := &cli.Environment{Version: version, Commit: buildCommit(), Stdin: stdin, Stdout: stdout, Stderr: stderr, Args: args}
	root := newRoot(e)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	code := cli.ExitCode(err)
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		err, code = cli.ErrInterrupted, cli.ExitInterrupted
	}
	if err != nil {
		cli.WriteError(stderr, err, code, cli.AsksForJSON(args))
	}
	return code
}

func newRoot(e *cli.Environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "headwater",
		Short: "A graph-native lineage and metadata catalog",
		Long: `Headwater keeps metadata as a graph: datasets, dashboards, jobs, columns, owners
and terms, with what they derive from and what they feed, now and in the past.

"headwater serve" runs the server; the other commands talk to a server.

` + cli.ExitHelp,
		SilenceUsage: true, SilenceErrors: true,
		Args: cli.OnlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetFlagErrorFunc(e.FlagError)
	for _, family := range [][]*cobra.Command{
		serve.Commands(e), get.Commands(e), search.Commands(e), lineage.Commands(e), history.Commands(e), edit.Commands(e),
		transfer.Commands(e), notify.Commands(e), operate.Commands(e), access.Commands(e), agents.Commands(e), sql.Commands(e), check.Commands(e), execute.Commands(e),
	} {
		root.AddCommand(family...)
	}
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	shell.Add(e, root, run)
	return root
}

// buildCommit returns the commit that the build of a release has set, or the one that Go
// has recorded.
func buildCommit() string {
	if commit != "" {
		return commit
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}
