package operate

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/failed"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/screen"
)

func newProposals(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "proposals",
		Short: "List the proposals that could not be written, of senders who did not wait",
		Long:  "List the proposals that could not be written, of senders who did not wait for an answer.\n\n" + cli.ExitHelp,
		Args:  cli.OnlyCommands,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newProposalsFailed(e))
	return c
}

func newProposalsFailed(e *cli.Environment) *cobra.Command {
	limit := 0
	c := &cobra.Command{
		Use:   "failed",
		Short: "List the newest proposals that could not be written, and why",
		Long: `List the newest proposals that could not be written, the newest first, and why: those that came
from Kafka, with their place there, and those of requests that did not wait, with the trace of
the request. The server also writes those from Kafka to the topic FailedMetadataChangeProposal_v1.

` + cli.ExitHelp,
		Example: "  headwater proposals failed --limit 20",
		Args:    cli.ExactArgs(0),
		RunE:    func(c *cobra.Command, _ []string) error { return listFailed(c.Context(), e, limit) },
	}
	c.Flags().IntVar(&limit, "limit", limits.DefaultFailedPage, fmt.Sprintf("proposals to list, at most %d", limits.MaxFailedPage))
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

func listFailed(ctx context.Context, e *cli.Environment, limit int) error {
	var answer struct {
		Proposals []failed.Proposal `json:"proposals"`
	}
	if err := e.Client().Get(ctx, fmt.Sprintf("/proposals/failed?limit=%d", limit), &answer); err != nil {
		return err
	}
	if e.Output == "json" {
		return e.WriteJSON(answer.Proposals)
	}
	if len(answer.Proposals) == 0 {
		fmt.Fprintln(e.Stdout, "no proposal has failed")
		return nil
	}
	table := &screen.Table{Columns: []screen.Column{
		{Head: "TIME"}, {Head: "TOPIC"}, {Head: "PARTITION", Right: true}, {Head: "OFFSET", Right: true}, {Head: "URN"}, {Head: "ASPECT"}, {Head: "ERROR", Least: 20},
	}}
	for i := range answer.Proposals {
		p := &answer.Proposals[i]
		topic, partition, offset := p.Topic, fmt.Sprint(p.Partition), fmt.Sprint(p.Offset)
		if p.Trace != "" {
			topic, partition, offset = "trace "+p.Trace, "", ""
		}
		table.Add(show.TimeOf(p.Time), topic, partition, offset, p.URN, p.Aspect, p.Error)
	}
	return table.Write(e.Stdout, screen.WidthOf(e.Stdout))
}
