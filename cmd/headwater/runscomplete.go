package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog"
)

// offerRuns offers the runs of the server of which something is current.
func (e *environment) offerRuns(ctx context.Context, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var found []cobra.Completion
	for _, r := range e.latestRuns(ctx) {
		if strings.HasPrefix(r.RunID, typed) && !r.RolledBack {
			found = append(found, cobra.CompletionWithDesc(r.RunID, fmt.Sprintf("%s, last written %s", catalog.Counted(int(r.Rows), "aspect", "aspects"), timeOf(r.Timestamp))))
		}
	}
	return found, cobra.ShellCompDirectiveKeepOrder
}

// offerPipelines offers the pipelines of the newest runs.
func (e *environment) offerPipelines(ctx context.Context, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var found []cobra.Completion
	for _, name := range e.latestPipelines(ctx) {
		if strings.HasPrefix(name, typed) {
			found = append(found, name)
		}
	}
	return found, cobra.ShellCompDirectiveKeepOrder
}
