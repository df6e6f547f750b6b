package main

import (
	"context"
	"maps"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/model"
)

// completeAspects offers the aspects that are stored of the entity that the first argument
// names or, without one, those of the model.
func completeAspects(e *environment) completer {
	return func(ctx context.Context, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			urn, err := e.urnOf(ctx, args[0], entityPart)
			if err != nil {
				return nil, cobra.ShellCompDirectiveDefault
			}
			entity, err := e.client().Entity(ctx, urn, nil)
			if err != nil {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return beginningWith(typed, maps.Keys(entity.Aspects)), cobra.ShellCompDirectiveDefault
		}
		return beginningWith(typed, aspectsOf(func(*model.Aspect) bool { return true })), cobra.ShellCompDirectiveDefault
	}
}
