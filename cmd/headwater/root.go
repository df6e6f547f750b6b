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
	root.AddCommand(newServe(e), newFollow(e), newIngest(e), newGet(e), newSearch(e), newLineage(e), newImpact(e), newTimeline(e),
		newTag(e), newTerm(e), newOwn(e), newDomain(e), newDescribe(e),
		newDelete(e), newRuns(e), newExport(e), newImport(e), newCopy(e), newReindex(e), newFollowers(e), newFeed(e), newProposals(e), newBrowser(e), newMCP(e),
		newBackup(e), newWebhooks(e), newHealth(e), newVersion(e), newBash(e, run))
	root.SetIn(e.stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	root.InitDefaultCompletionCmd() // it writes to the output that is set now
	e.amendScripts(root)
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
