package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"
)

// operateCommands are the verbs for those who run a server.
func operateCommands(e *environment) []*cobra.Command {
	return []*cobra.Command{newHealth(e), newVersion(e), newReindex(e), newFollowers(e), newProposals(e), newBrowser(e)}
}

func newHealth(e *environment) *cobra.Command {
	var live bool
	c := &cobra.Command{
		Use:   "health",
		Short: "Check whether a server is ready",
		Long: `Check whether a server and its backends can answer. The exit code is 0 only if they
can, so containers and scripts can use this command where there is no curl.

` + exitHelp,
		Example: `  headwater health
  headwater health --live --server http://127.0.0.1:8080`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return e.showHealth(c.Context(), live) },
	}
	c.Flags().BoolVar(&live, "live", false, "only check that the server runs, not its backends")
	e.serverFlags(c)
	e.outputFlag(c)
	return c
}

// backendState is the server's answer about one backend.
type backendState struct {
	Status string `json:"status"`
}

func (e *environment) showHealth(ctx context.Context, live bool) error {
	if live {
		if err := e.client().Get(ctx, "/health", nil); err != nil {
			return err
		}
		if e.output == "json" {
			return e.writeJSON(map[string]bool{"live": true})
		}
		fmt.Fprintln(e.stdout, "the server runs")
		return nil
	}
	var answer struct {
		Backends map[string]backendState `json:"backends"`
		ReadOnly bool                    `json:"readOnly"`
	}
	raw, err := e.ask(ctx, "/health/ready", &answer)
	if err != nil {
		return fmt.Errorf("the server is not ready: %w", err)
	}
	if e.output == "json" {
		return e.writeJSON(raw)
	}
	for _, name := range slices.Sorted(maps.Keys(answer.Backends)) {
		fmt.Fprintf(e.stdout, "%-8s %s\n", name, answer.Backends[name].Status)
	}
	if answer.ReadOnly {
		fmt.Fprintln(e.stdout, "the server is read-only")
	}
	return nil
}
