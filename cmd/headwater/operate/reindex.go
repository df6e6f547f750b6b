package operate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

func newReindex(e *cli.Environment) *cobra.Command {
	var detach bool
	c := &cobra.Command{
		Use:   "reindex",
		Short: "Rebuild the search index from the graph store",
		Long: `Rebuild the search index from the graph store. The server answers from the present
index until the new one replaces it. The command shows the progress and ends when
the rebuild is done. Interrupting the command does not stop the rebuild.

` + cli.ExitHelp,
		Example: `  headwater reindex
  headwater reindex --detach --server https://catalog.example`,
		Args: cli.ExactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return reindex(c.Context(), e, detach) },
	}
	c.Flags().BoolVar(&detach, "detach", false, "start the rebuild, and do not wait for its end")
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

// indexState is the server's answer about its search index.
type indexState struct {
	Building   bool   `json:"building"`
	Builds     int64  `json:"builds"`
	Done       int64  `json:"done"`
	Total      int64  `json:"total"`
	Lag        int64  `json:"lag"`
	BuildError string `json:"buildError,omitempty"`
}

// reindexPoll is the time between two requests for the progress.
const reindexPoll = 300 * time.Millisecond

func reindex(ctx context.Context, e *cli.Environment, detach bool) error {
	server := e.Client()
	var state indexState
	if err := server.Post(ctx, "/index?action=rebuild", []byte("{}"), &state); err != nil {
		return err
	}
	began := time.Now()
	bar := e.CountBar("indexing", 0)
	defer bar.Finish()
	for state.Building && !detach {
		select {
		case <-time.After(reindexPoll):
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := server.Get(ctx, "/index", &state); err != nil {
			return err
		}
		bar.SetOf(int(state.Done), int(state.Total))
	}
	bar.Finish()
	if state.BuildError != "" {
		return errors.New(screen.Line(state.BuildError))
	}
	if e.Output == "json" {
		return e.WriteJSON(state)
	}
	if detach {
		fmt.Fprintln(e.Stdout, "the search index is being rebuilt")
		return nil
	}
	fmt.Fprintf(e.Stdout, "%s indexed in %s\n", wording.Counted(int(state.Done), "entity", "entities"), time.Since(began).Round(time.Millisecond))
	return nil
}
