package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/client"
)

// completeColumns offers the columns of the entity that the first argument names.
func completeColumns(e *environment) completer {
	return func(ctx context.Context, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		before := args[0] + "."
		found, directive := e.names(client.NameQuery{Part: columnPart})(ctx, nil, before+typed)
		for i := range found {
			found[i] = strings.TrimPrefix(found[i], before)
		}
		return found, directive
	}
}

// completeFilters offers the values of the flags that select among what a walk reached.
func (e *environment) completeFilters(c *cobra.Command) {
	for flag, types := range filterTypes {
		e.completeFlag(c, flag, e.names(client.NameQuery{Part: entityPart, Types: types}))
	}
	completeWith(c, "removed", "pass", "show", "stop")
}
