package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/screen"
)

func newReindex(e *environment) *cobra.Command {
	var detach bool
	c := &cobra.Command{
		Use:   "reindex",
		Short: "Rebuild the search index from the graph store",
		Long: `Rebuild the search index from the graph store. The server answers from the present
index until the new one replaces it. The command shows the progress and ends when
the rebuild is done. Interrupting the command does not stop the rebuild.

` + exitHelp,
		Example: `  headwater reindex
  headwater reindex --detach --server https://catalog.example`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return e.reindex(c.Context(), detach) },
	}
	c.Flags().BoolVar(&detach, "detach", false, "start the rebuild, and do not wait for its end")
	e.clientFlags(c)
	e.outputFlag(c)
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

// reindexPoll is how often the server is asked.
const reindexPoll = 300 * time.Millisecond

func (e *environment) reindex(ctx context.Context, detach bool) error {
	server := e.client()
	var state indexState
	if err := server.Post(ctx, "/index?action=rebuild", []byte("{}"), &state); err != nil {
		return err
	}
	began := time.Now()
	bar := e.countBar("indexing", 0)
	defer bar.finish()
	for state.Building && !detach {
		select {
		case <-time.After(reindexPoll):
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := server.Get(ctx, "/index", &state); err != nil {
			return err
		}
		bar.setOf(int(state.Done), int(state.Total))
	}
	bar.finish()
	if state.BuildError != "" {
		return errors.New(screen.Line(state.BuildError))
	}
	if e.output == "json" {
		return e.writeJSON(state)
	}
	if detach {
		fmt.Fprintln(e.stdout, "the search index is being rebuilt")
		return nil
	}
	fmt.Fprintf(e.stdout, "%s indexed in %s\n", catalog.Counted(int(state.Done), "entity", "entities"), time.Since(began).Round(time.Millisecond))
	return nil
}
