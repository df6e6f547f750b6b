package history

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/wording"
)

// completeRuns completes with the runs on the server that have current values.
func completeRuns(e *cli.Environment) cli.Completer {
	return func(ctx context.Context, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var found []cobra.Completion
		for _, r := range latestRuns(ctx, e) {
			if strings.HasPrefix(r.RunID, typed) && !r.RolledBack {
				found = append(found, cobra.CompletionWithDesc(r.RunID, fmt.Sprintf("%s, last written %s", wording.Counted(int(r.Rows), "aspect", "aspects"), show.TimeOf(r.Timestamp))))
			}
		}
		return found, cobra.ShellCompDirectiveKeepOrder
	}
}

// completePipelines completes with the pipelines of the newest runs.
func completePipelines(e *cli.Environment) cli.Completer {
	return func(ctx context.Context, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var found []cobra.Completion
		for _, name := range latestPipelines(ctx, e) {
			if strings.HasPrefix(name, typed) {
				found = append(found, name)
			}
		}
		return found, cobra.ShellCompDirectiveKeepOrder
	}
}
