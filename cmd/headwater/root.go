package main

import (
	"context"
	"errors"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// run executes a command line and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := &environment{version: version, commit: buildCommit(), stdin: stdin, stdout: stdout, stderr: stderr, args: args}
	root := newRoot(e)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	code := exitCode(err)
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		err, code = errInterrupted, exitInterrupted
	}
	if err != nil {
		writeError(stderr, err, code, asksForJSON(args))
	}
	return code
}

func newRoot(e *environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "headwater",
		Short: "A graph-native lineage and metadata catalog",
		Long: `Headwater keeps metadata as a graph: datasets, dashboards, jobs, columns, owners
and terms, with what they derive from and what they feed, now and in the past.

"headwater serve" runs the server; the other commands talk to a server.

` + exitHelp,
		SilenceUsage: true, SilenceErrors: true,
		Args: onlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetFlagErrorFunc(e.flagError)
	for _, family := range [][]*cobra.Command{
		serveCommands(e), getCommands(e), searchCommands(e), lineageCommands(e), historyCommands(e), editCommands(e),
		transferCommands(e), notifyCommands(e), operateCommands(e), agentsCommands(e),
	} {
		root.AddCommand(family...)
	}
	root.SetIn(e.stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	addShells(e, root, run)
	return root
}

// buildCommit is the commit set at release, or the one Go recorded.
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
