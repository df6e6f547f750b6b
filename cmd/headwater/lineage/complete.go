package lineage

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// completeColumns completes with the columns of the entity in the first argument.
func completeColumns(e *cli.Environment) cli.Completer {
	return func(ctx context.Context, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		before := args[0] + "."
		found, directive := e.Names(client.NameQuery{Part: cli.ColumnPart})(ctx, nil, before+typed)
		for i := range found {
			found[i] = strings.TrimPrefix(found[i], before)
		}
		return found, directive
	}
}

// completeFilters completes the flags that filter the entities of a walk.
func completeFilters(e *cli.Environment, c *cobra.Command) {
	for flag, types := range cli.FilterTypes {
		e.CompleteFlag(c, flag, e.Names(client.NameQuery{Part: cli.EntityPart, Types: types}))
	}
	cli.CompleteWith(c, "removed", "pass", "show", "stop")
}
