package check

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/announced"
	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/catalog/change/report"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
	"github.com/headwater-io/headwater/model"
)

const announcedPath = "/announced-changes"

func newAnnounced(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "announced",
		Short: "List, show and withdraw changes that were announced before they were merged",
		Long: `"headwater check --announce" keeps in the catalog what a pull request will change. When
the change arrives by ingestion, those downstream who subscribed are told, and so they
are of what nobody announced.

` + cli.ExitHelp,
		Args: cli.OnlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newAnnouncedList(e), newAnnouncedShow(e), newAnnouncedWithdraw(e))
	return c
}

func newAnnouncedList(e *cli.Environment) *cobra.Command {
	var (
		states               []string
		dataset, pullRequest string
		limit                int
	)
	c := &cobra.Command{
		Use:   "list",
		Short: "List announced changes, and those that nobody announced",
		Long: `List announced changes, and those that nobody announced, the newest first, with how many
of their changes have arrived.

` + cli.ExitHelp,
		Example: `  headwater announced list --state announced --state partly_arrived
  headwater announced list --dataset shop.orders`,
		Args: cli.ExactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			query := url.Values{"count": {strconv.Itoa(limit)}}
			if len(states) > 0 {
				query["states"] = states
			}
			if dataset != "" {
				named, err := e.Resolve(c.Context(), dataset, client.NameQuery{Types: []string{model.EntityDataset}})
				if err != nil {
					return err
				}
				query.Set("dataset", named.URN)
			}
			if pullRequest != "" {
				query.Set("pullRequest", pullRequest)
			}
			var found announced.List
			raw, err := e.Ask(c.Context(), announcedPath+"?"+query.Encode(), &found)
			if err != nil {
				return err
			}
			if e.Output == "json" {
				return e.WriteJSON(raw)
			}
			return writeAnnounced(e, &found)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&states, "state", nil, "only changes in this state: "+strings.ToLower(strings.Join(announced.States(), ", "))+" (may be repeated)")
	f.StringVar(&dataset, "dataset", "", "only changes about this dataset, by name or URN")
	f.StringVar(&pullRequest, "pull-request", "", "only changes of the pull request with this address")
	f.IntVar(&limit, "limit", limits.DefaultAnnouncedPage, fmt.Sprintf("changes to show, at most %d", limits.AnnouncedPage))
	e.CompleteFlag(c, "state", cli.Listed(cli.Fixed(strings.Fields(strings.ToLower(strings.Join(announced.States(), " ")))...)))
	e.CompleteFlag(c, "dataset", e.Names(client.NameQuery{Types: []string{model.EntityDataset}}))
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

// words returns a state for people.
func words(state string) string { return strings.ToLower(strings.ReplaceAll(state, "_", " ")) }

func writeAnnounced(e *cli.Environment, list *announced.List) error {
	if len(list.Changes) == 0 {
		fmt.Fprintln(e.Stdout, "there are no such changes")
		return nil
	}
	table := &screen.Table{Columns: []screen.Column{
		{Head: "CHANGE", Least: 16}, {Head: "STATE"}, {Head: "ARRIVED", Right: true}, {Head: "BY", Least: 6}, {Head: "SINCE"}, {Head: "URN", Least: 43},
	}}
	for i := range list.Changes {
		c := &list.Changes[i]
		table.Add(screen.Line(c.Title), words(c.State), fmt.Sprintf("%d of %d", arrivedOf(c), len(c.Changes)), screen.Line(by(c)), day(c.Created.Time), c.URN)
	}
	if err := table.Write(e.Stdout, screen.WidthOf(e.Stdout)); err != nil {
		return err
	}
	if more := list.Total - len(list.Changes); more > 0 {
		fmt.Fprintf(e.Stdout, "and %s; --limit shows more\n", wording.Counted(more, "other change", "other changes"))
	}
	return nil
}

// by returns who made a change: the author, or else who announced it.
func by(c *announced.Change) string {
	if c.Author != "" {
		return c.Author
	}
	return c.Created.Actor[strings.LastIndexByte(c.Created.Actor, ':')+1:]
}

func arrivedOf(c *announced.Change) int {
	n := 0
	for i := range c.Changes {
		if len(c.Changes[i].Arrivals) > 0 {
			n++
		}
	}
	return n
}

func day(at int64) string { return time.UnixMilli(at).UTC().Format(time.DateOnly) }

func newAnnouncedShow(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:     "show CHANGE",
		Short:   "Show an announced change: what was promised, who agreed, and what has arrived",
		Long:    "Show an announced change, by its URN or the address of its pull request: what was promised, who agreed, and what of it has arrived.\n\n" + cli.ExitHelp,
		Example: "  headwater announced show https://github.com/larkspur/orders/pull/12",
		Args:    cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			urn, err := changeNamed(c.Context(), e, args[0])
			if err != nil {
				return err
			}
			var found announced.Change
			raw, err := e.Ask(c.Context(), announcedPath+"/"+url.PathEscape(urn), &found)
			if err != nil {
				return err
			}
			if e.Output == "json" {
				return e.WriteJSON(raw)
			}
			writeChange(e, &found)
			return nil
		},
	}
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

// changeNamed returns the URN of an announced change by its URN or by the address of its pull request.
func changeNamed(ctx context.Context, e *cli.Environment, name string) (string, error) {
	if !strings.Contains(name, "://") {
		return name, nil
	}
	var found announced.List
	if _, err := e.Ask(ctx, announcedPath+"?"+url.Values{"pullRequest": {name}}.Encode(), &found); err != nil {
		return "", err
	}
	switch len(found.Changes) {
	case 0:
		return "", &client.Error{Status: http.StatusNotFound, Message: "no change of " + name + " was announced"}
	case 1:
		return found.Changes[0].URN, nil
	}
	var urns []string
	for i := range found.Changes {
		urns = append(urns, found.Changes[i].URN+" ("+found.Changes[i].Project+")")
	}
	return "", fmt.Errorf("%s has announced several projects; name one by its URN: %s", name, strings.Join(urns, ", "))
}

func writeChange(e *cli.Environment, c *announced.Change) {
	w := e.Stdout
	fmt.Fprintf(w, "%s: %s\n", screen.Line(c.Title), words(c.State))
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "  %-13s %s\n", name, screen.Line(text))
		}
	}
	line("pull request", c.PullRequest)
	line("project", c.Project)
	line("author", c.Author)
	if c.State == announced.StateUnannounced {
		line("arrived", day(c.Created.Time))
	} else {
		line("announced", day(c.Created.Time)+" by "+c.Created.Actor)
	}
	if c.ExpiresAt > 0 {
		line("expected", "until "+day(c.ExpiresAt))
	}
	line("because", c.Reason)
	if c.Certain+c.Possible > 0 {
		line("breaks", fmt.Sprintf("%d for certain, %d possibly", c.Certain, c.Possible))
	}
	if c.Refused {
		line("policy", "refused the change")
	}
	line("urn", c.URN)
	fmt.Fprintln(w)
	for i := range c.Changes {
		m := &c.Changes[i]
		fmt.Fprintln(w, screen.Line(report.Sentence(&change.Change{Kind: m.Kind, Table: m.Table, Column: m.Column, NewName: m.NewName, OldType: m.OldType, NewType: m.NewType})))
		for _, a := range m.Arrivals {
			by := a.RunID
			if by == "" {
				by = a.Actor
			}
			fmt.Fprintf(w, "  arrived %s with %s: %s\n", time.UnixMilli(a.Time).UTC().Format(time.RFC3339), screen.Line(by), a.Dataset)
		}
	}
	for _, x := range c.Exceptions {
		fmt.Fprintf(w, "%s agreed to %s (%s) until %s: %s\n", screen.Line(x.Who), screen.Line(x.Name), x.Rule, x.Until, screen.Line(x.Reason))
	}
}

func newAnnouncedWithdraw(e *cli.Environment) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use:     "withdraw CHANGE",
		Short:   "Say that an announced change will not come",
		Long:    "Say that an announced change will not come, such as when its pull request is closed. CHANGE is its URN or the address of the pull request.\n\n" + cli.ExitHelp,
		Example: "  headwater announced withdraw https://github.com/larkspur/orders/pull/12 --reason closed",
		Args:    cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			urn, err := changeNamed(c.Context(), e, args[0])
			if err != nil {
				return err
			}
			body, err := json.Marshal(map[string]string{"reason": reason})
			if err != nil {
				return err
			}
			var raw json.RawMessage
			if err := e.Client().Post(c.Context(), announcedPath+"/"+url.PathEscape(urn)+"/withdraw", body, &raw); err != nil {
				return err
			}
			if e.Output == "json" {
				return e.WriteJSON(raw)
			}
			fmt.Fprintf(e.Stdout, "%s is withdrawn\n", urn)
			return nil
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why it will not come")
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}
