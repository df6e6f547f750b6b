// Package operate has the commands for people who run a server: health, version, reindex,
// followers, proposals, audit and browser.
package operate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// Commands returns the commands of the family.
func Commands(e *cli.Environment) []*cobra.Command {
	return []*cobra.Command{newHealth(e), newVersion(e), newReindex(e), newFollowers(e), newProposals(e), newAudit(e), newBrowser(e)}
}

func newHealth(e *cli.Environment) *cobra.Command {
	var live bool
	c := &cobra.Command{
		Use:   "health",
		Short: "Check whether a server is ready",
		Long: `Check whether a server and its backends can answer. The exit code is 0 only if they
can, so containers and scripts can use this command where there is no curl.

` + cli.ExitHelp,
		Example: `  headwater health
  headwater health --live --server http://127.0.0.1:8080`,
		Args: cli.ExactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return showHealth(c.Context(), e, live) },
	}
	c.Flags().BoolVar(&live, "live", false, "only check that the server runs, not its backends")
	e.ServerFlags(c)
	e.OutputFlag(c)
	return c
}

// backendState is the server's answer about one backend.
type backendState struct {
	Status string `json:"status"`
}

func showHealth(ctx context.Context, e *cli.Environment, live bool) error {
	if live {
		if err := e.Client().Get(ctx, "/health", nil); err != nil {
			return err
		}
		if e.Output == "json" {
			return e.WriteJSON(map[string]bool{"live": true})
		}
		fmt.Fprintln(e.Stdout, "the server runs")
		return nil
	}
	var answer struct {
		Backends map[string]backendState `json:"backends"`
		ReadOnly bool                    `json:"readOnly"`
	}
	raw, err := e.Ask(ctx, "/health/ready", &answer)
	if err != nil {
		return fmt.Errorf("the server is not ready: %w", err)
	}
	if e.Output == "json" {
		return e.WriteJSON(raw)
	}
	for _, name := range slices.Sorted(maps.Keys(answer.Backends)) {
		fmt.Fprintf(e.Stdout, "%-8s %s\n", name, answer.Backends[name].Status)
	}
	if answer.ReadOnly {
		fmt.Fprintln(e.Stdout, "the server is read-only")
	}
	return nil
}
