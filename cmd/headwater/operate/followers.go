package operate

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/screen"
)

func newFollowers(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "followers",
		Short: "List what follows the change log, remove what no longer does",
		Long: `A follower is something that the server brings every change to, such as Kafka or a
webhook. Each has a position in the change log.

` + cli.ExitHelp,
		Args: cli.OnlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newFollowersList(e), newFollowersRemove(e))
	return c
}

func newFollowersList(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the followers, how far they are behind, and why",
		Long:    "List the followers of the change log, how far they are behind, and why.\n\n" + cli.ExitHelp,
		Example: "  headwater followers list",
		Args:    cli.ExactArgs(0),
		RunE:    func(c *cobra.Command, _ []string) error { return listFollowers(c.Context(), e) },
	}
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

func listFollowers(ctx context.Context, e *cli.Environment) error {
	var answer struct {
		Followers []delivery.Follower `json:"followers"`
	}
	if err := e.Client().Get(ctx, "/followers", &answer); err != nil {
		return err
	}
	if e.Output == "json" {
		return e.WriteJSON(answer.Followers)
	}
	if len(answer.Followers) == 0 {
		fmt.Fprintln(e.Stdout, "nothing follows the change log, except the search index")
		return nil
	}
	table := &screen.Table{Columns: []screen.Column{
		{Head: "FOLLOWER"}, {Head: "STATE"}, {Head: "BEHIND", Right: true}, {Head: "DELIVERED", Right: true}, {Head: "SAVED"}, {Head: "FAILURE", Least: 20},
	}}
	for i := range answer.Followers {
		f := &answer.Followers[i]
		behind := fmt.Sprint(f.Lag)
		if f.Lag < 0 {
			behind = "unknown"
		}
		table.Add(f.Name, f.State, behind, fmt.Sprint(f.Delivered), show.TimeOf(f.Saved), f.Failure)
	}
	return table.Write(e.Stdout, screen.WidthOf(e.Stdout))
}

func newFollowersRemove(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "remove FOLLOWER",
		Short: "Forget a follower and its position",
		Long: `Forget a follower and its position. If the server still delivers to it, it begins anew
when it next starts: with the beginning of the log, or its end.

` + cli.ExitHelp,
		Example: "  headwater followers remove kafka",
		Args:    cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			body, err := json.Marshal(map[string]string{"name": args[0]})
			if err != nil {
				return err
			}
			if err := e.Client().Post(c.Context(), "/followers?action=remove", body, nil); err != nil {
				return err
			}
			if e.Output == "json" {
				return e.WriteJSON(map[string]string{"removed": args[0]})
			}
			fmt.Fprintf(e.Stdout, "%s is forgotten\n", screen.Line(args[0]))
			return nil
		},
	}
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}
