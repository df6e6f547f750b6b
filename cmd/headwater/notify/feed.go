// Package notify has the commands feed and webhooks, which tell people and programs of changes.
package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/feed"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/wording"
)

// Commands are the commands of the family.
func Commands(e *cli.Environment) []*cobra.Command {
	return []*cobra.Command{newFeed(e), newWebhooks(e)}
}

func newFeed(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "feed",
		Short: "Show what changed at what somebody owns or follows, and what may break it",
		Long: `A feed tells a user or a group what changed at what they own or are subscribed to, and
what upstream of it may break it.

` + cli.ExitHelp,
		Args: cli.OnlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newFeedList(e), newFeedSubscribe(e), newFeedUnsubscribe(e), newFeedSubscriptions(e))
	return c
}

// actorFlag adds the flag that says whose feed is meant.
func actorFlag(e *cli.Environment, c *cobra.Command, actor *string) {
	c.Flags().StringVar(actor, "actor", "", "user or group, by name or URN ("+cli.ActorVariable+")")
	e.CompleteFlag(c, "actor", e.Names(cli.OwnerNames))
}

// actorURN is the URN of whose feed is meant.
func actorURN(ctx context.Context, e *cli.Environment, actor string) (string, error) {
	if actor == "" {
		actor = os.Getenv(cli.ActorVariable)
	}
	if actor == "" {
		return "", cli.BadUsage(errors.New("say whose feed: --actor, or " + cli.ActorVariable))
	}
	named, err := e.Resolve(ctx, actor, cli.OwnerNames)
	if err != nil {
		return "", err
	}
	return named.URN, nil
}

// feedOptions are the flags of the command feed list.
type feedOptions struct {
	actor, start, end string
	limit             int
	follow            bool
}

func newFeedList(e *cli.Environment) *cobra.Command {
	var o feedOptions
	c := &cobra.Command{
		Use:   "list",
		Short: "Show the newest items of a feed",
		Long: `Show the newest items of a feed, the newest first, with those of the groups of a user.
Each item says what changed and which entities of the actor are affected: certainly, or
possibly if nothing states which columns they use.

With --follow the command does not end: it shows the newest items, the oldest of them
first, and then each that comes. With --output json, each is an object on a line of its own.

` + cli.ExitHelp,
		Example: `  headwater feed list --actor ada
  headwater feed list --actor ada --start 2026-11-01 --limit 100
  headwater feed list --actor ada --follow`,
		Args: cli.ExactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.follow && o.end != "" {
				return cli.BadUsage(errors.New("--follow goes on; it has no --end"))
			}
			query, err := o.query()
			if err != nil {
				return cli.BadUsage(err)
			}
			actor, err := actorURN(c.Context(), e, o.actor)
			if err != nil {
				return err
			}
			query.Set("actor", actor)
			if o.follow {
				return followFeed(c.Context(), e, query, o.limit, feedPoll)
			}
			var found feed.Feed
			raw, err := e.Ask(c.Context(), "/feed?"+query.Encode(), &found)
			if err != nil {
				return err
			}
			if e.Output == "json" {
				return e.WriteJSON(raw)
			}
			return writeFeed(e, found.Items)
		},
	}
	actorFlag(e, c, &o.actor)
	f := c.Flags()
	f.StringVar(&o.start, "start", "", "only changes since then: a day, a time, or epoch milliseconds")
	f.StringVar(&o.end, "end", "", "only changes until then")
	f.IntVar(&o.limit, "limit", limits.DefaultFeedShown, fmt.Sprintf("items to show, at most %d", limits.MaxFeedPage))
	f.BoolVarP(&o.follow, "follow", "f", false, "go on, and show what comes")
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

func (o *feedOptions) query() (url.Values, error) {
	query := url.Values{"count": {strconv.Itoa(o.limit)}}
	for _, bound := range []struct{ flag, parameter, text string }{{"start", "from", o.start}, {"end", "to", o.end}} {
		if bound.text == "" {
			continue
		}
		at, ok := wording.ParseMoment(bound.text)
		if !ok {
			return nil, fmt.Errorf("--%s is a day, a time, or epoch milliseconds, not %q", bound.flag, bound.text)
		}
		query.Set(bound.parameter, strconv.FormatInt(at, 10))
	}
	return query, nil
}

const (
	// feedPoll is how often a feed that is followed is asked for, and feedOverlap how long
	// before the newest item others may still appear.
	feedPoll    = 2 * time.Second
	feedOverlap = time.Minute
)

// followFeed shows the newest items of a feed, at most limit, and each that comes, until the
// context ends.
func followFeed(ctx context.Context, e *cli.Environment, query url.Values, limit int, poll time.Duration) error {
	if limit < 1 || limit > limits.MaxFeedPage {
		return cli.BadUsage(fmt.Errorf("--limit must be 1 to %d", limits.MaxFeedPage))
	}
	query.Set("count", strconv.Itoa(limits.MaxFeedPage))
	known := map[string]int64{}
	for begun := false; ; begun = true {
		items, err := newestItems(ctx, e, query, func(id string) bool { _, is := known[id]; return is || !begun })
		if err != nil {
			return err
		}
		for i, item := range slices.Backward(items) {
			_, shown := known[item.ID]
			if known[item.ID] = item.Time; shown || !begun && i >= limit {
				continue
			}
			if err := writeFollowed(e, &item); err != nil {
				return err
			}
		}
		if len(items) > 0 {
			since := items[0].Time - feedOverlap.Milliseconds()
			if !begun && len(items) == limits.MaxFeedPage { // older items may be missing
				since = max(since, items[limits.MaxFeedPage-1].Time)
			}
			query.Set("from", strconv.FormatInt(since, 10))
			forgetBefore(known, since)
		}
		select {
		case <-time.After(poll):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// newestItems reads the items of a feed, the newest first, page by page down to one that is known.
func newestItems(ctx context.Context, e *cli.Environment, query url.Values, known func(id string) bool) ([]feed.Item, error) {
	var items []feed.Item
	seen := map[string]bool{}
	query = maps.Clone(query)
	for {
		var found feed.Feed
		ask := func() error { return e.Client().Get(ctx, "/feed?"+query.Encode(), &found) }
		if err := client.Patiently(ctx, ask); err != nil {
			return nil, err
		}
		before := len(items)
		for _, item := range found.Items {
			if !seen[item.ID] {
				seen[item.ID] = true
				items = append(items, item)
			}
		}
		if len(items) == before || len(found.Items) < limits.MaxFeedPage || known(items[len(items)-1].ID) {
			return items, nil
		}
		query.Set("to", strconv.FormatInt(items[len(items)-1].Time, 10))
	}
}

func forgetBefore(known map[string]int64, since int64) {
	maps.DeleteFunc(known, func(_ string, at int64) bool { return at < since })
}

func writeFollowed(e *cli.Environment, item *feed.Item) error {
	if e.Output != "json" {
		return writeFeed(e, []feed.Item{*item})
	}
	encoder := json.NewEncoder(e.Stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(item)
}

func newFeedSubscribe(e *cli.Environment) *cobra.Command {
	var (
		actor string
		wish  feed.Subscription
	)
	c := &cobra.Command{
		Use:   "subscribe NAME",
		Short: "Subscribe somebody to an entity, or change the subscription",
		Long: `Subscribe a user or a group to an entity, or change the subscription.

` + cli.NameHelp + "\n\n" + cli.ExitHelp,
		Example: `  headwater feed subscribe analytics.marts.orders --actor ada
  headwater feed subscribe analytics.marts.orders --actor ada --category tag,owner --direct`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if wish.Actor, err = actorURN(c.Context(), e, actor); err != nil {
				return err
			}
			if wish.Entity, err = e.URNOf(c.Context(), args[0], cli.EntityPart); err != nil {
				return err
			}
			for i, name := range wish.Categories {
				wish.Categories[i] = strings.ToUpper(name)
			}
			var made feed.Subscription
			raw, err := send(c.Context(), e, "/subscriptions", wish, &made)
			if err != nil {
				return err
			}
			if e.Output == "json" {
				return e.WriteJSON(raw)
			}
			return writeSubscriptions(e, []feed.Subscription{made})
		},
	}
	actorFlag(e, c, &actor)
	f := c.Flags()
	f.StringSliceVar(&wish.Categories, "category", nil, "only these categories of events; repeatable")
	f.BoolVar(&wish.Direct, "direct", false, "only changes of the entity itself, not what upstream may break it")
	e.CompleteFlag(c, "category", cli.Listed(cli.Fixed(strings.Fields(strings.ToLower(strings.Join(changeevents.Categories(), " ")))...)))
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

func newFeedUnsubscribe(e *cli.Environment) *cobra.Command {
	var actor string
	c := &cobra.Command{
		Use:     "unsubscribe NAME",
		Short:   "End a subscription",
		Long:    "End the subscription of a user or a group to an entity.\n\n" + cli.NameHelp + "\n\n" + cli.ExitHelp,
		Example: "  headwater feed unsubscribe analytics.marts.orders --actor ada",
		Args:    cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			of, err := actorURN(c.Context(), e, actor)
			if err != nil {
				return err
			}
			entity, err := e.URNOf(c.Context(), args[0], cli.EntityPart)
			if err != nil {
				return err
			}
			var raw json.RawMessage
			if err := e.Client().Delete(c.Context(), "/subscriptions?"+url.Values{"actor": {of}, "entity": {entity}}.Encode(), &raw); err != nil {
				return err
			}
			if e.Output == "json" {
				return e.WriteJSON(raw)
			}
			say(e, "%s is not subscribed to %s any more", show.LeafOf(of), show.LeafOf(entity))
			return nil
		},
	}
	actorFlag(e, c, &actor)
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

func newFeedSubscriptions(e *cli.Environment) *cobra.Command {
	var actor string
	c := &cobra.Command{
		Use:     "subscriptions",
		Short:   "List the subscriptions of somebody",
		Long:    "List the subscriptions of a user or a group, the oldest first.\n\n" + cli.ExitHelp,
		Example: "  headwater feed subscriptions --actor ada",
		Args:    cli.ExactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			of, err := actorURN(c.Context(), e, actor)
			if err != nil {
				return err
			}
			var answer struct {
				Subscriptions []feed.Subscription `json:"subscriptions"`
			}
			raw, err := e.Ask(c.Context(), "/subscriptions?"+url.Values{"actor": {of}}.Encode(), &answer)
			if err != nil {
				return err
			}
			if e.Output == "json" {
				return e.WriteJSON(raw)
			}
			return writeSubscriptions(e, answer.Subscriptions)
		},
	}
	actorFlag(e, c, &actor)
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}
