package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog"
)

// completeRuns offers the runs of the server of which something is current.
func completeRuns(e *environment) completer {
	return func(ctx context.Context, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var found []cobra.Completion
		for _, r := range e.latestRuns(ctx) {
			if strings.HasPrefix(r.RunID, typed) && !r.RolledBack {
				found = append(found, cobra.CompletionWithDesc(r.RunID, fmt.Sprintf("%s, last written %s", catalog.Counted(int(r.Rows), "aspect", "aspects"), timeOf(r.Timestamp))))
			}
		}
		return found, cobra.ShellCompDirectiveKeepOrder
	}
}

// completePipelines offers the pipelines of the newest runs.
func completePipelines(e *environment) completer {
	return func(ctx context.Context, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var found []cobra.Completion
		for _, name := range e.latestPipelines(ctx) {
			if strings.HasPrefix(name, typed) {
				found = append(found, name)
			}
		}
		return found, cobra.ShellCompDirectiveKeepOrder
	}
}
