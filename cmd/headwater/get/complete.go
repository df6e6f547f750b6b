package get

import (
	"context"
	"maps"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/model"
)

// completeAspects completes with the aspects that the server stores of the entity in the
// first argument or, without a first argument, with all aspects of the model.
func completeAspects(e *cli.Environment) cli.Completer {
	return func(ctx context.Context, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			urn, err := e.URNOf(ctx, args[0], cli.EntityPart)
			if err != nil {
				return nil, cobra.ShellCompDirectiveDefault
			}
			entity, err := e.Client().Entity(ctx, urn, nil)
			if err != nil {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return cli.BeginningWith(typed, maps.Keys(entity.Aspects)), cobra.ShellCompDirectiveDefault
		}
		return cli.BeginningWith(typed, cli.AspectsOf(func(*model.Aspect) bool { return true })), cobra.ShellCompDirectiveDefault
	}
}
