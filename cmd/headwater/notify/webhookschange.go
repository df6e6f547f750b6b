package notify

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/catalog/webhooks"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

// webhookOptions are the properties of a webhook that a person can set when it is made or changed.
type webhookOptions struct {
	filter              streams.Filter
	format              string
	description, secret string
}

// hookFilterFlags are the flags of the filter.
var hookFilterFlags = []string{"format", "actor", "kind", "type", "aspect", "urn"}

// flags declares the options; drawn is the text about a secret that is left out.
func (o *webhookOptions) flags(c *cobra.Command, e *cli.Environment, drawn string) {
	f := c.Flags()
	f.StringVar(&o.description, "description", "", "what the webhook is for")
	f.StringVar(&o.secret, "secret", "", "secret: whsec_ and a key in base64"+drawn)
	f.StringVar(&o.format, "format", string(streams.FormatChange), "what is sent of a change: change, entityChangeEvent, or feed")
	f.StringArrayVar(&o.filter.Actors, "actor", nil, "with --format feed: the user or group whose feed is sent, by name or URN; repeatable")
	f.StringSliceVar(&o.filter.Kinds, "kind", nil, "only these kinds of changes: UPSERT, RESTATE, DELETE or, in other formats, categories; repeatable")
	f.StringSliceVar(&o.filter.EntityTypes, "type", nil, "only entities of these types; repeatable")
	f.StringSliceVar(&o.filter.Aspects, "aspect", nil, "only these aspects; repeatable")
	f.StringArrayVar(&o.filter.URNs, "urn", nil, "only this entity or, with * at the end, entities whose URNs begin so; repeatable")
	cli.CompleteWith(c, "format", string(streams.FormatChange), string(streams.FormatEntityChange), string(streams.FormatFeed))
	e.CompleteFlag(c, "actor", e.Names(client.NameQuery{Part: cli.EntityPart, Types: cli.FilterTypes["owner"]}))
}

// spec has the properties whose flags are given.
func (o *webhookOptions) spec(c *cobra.Command, e *cli.Environment) (*webhooks.Spec, error) {
	for i, actor := range o.filter.Actors {
		urn, err := e.ValueOf(c.Context(), actor, cli.FilterTypes["owner"])
		if err != nil {
			return nil, err
		}
		o.filter.Actors[i] = urn
	}
	o.filter.Format = streams.Format(o.format)
	spec, given := &webhooks.Spec{}, c.Flags().Changed
	if given("description") {
		spec.Description = &o.description
	}
	if given("secret") {
		spec.Secret = &o.secret
	}
	if slices.ContainsFunc(hookFilterFlags, given) {
		spec.Filter = &o.filter
	}
	return spec, nil
}

func newWebhooksUpdate(e *cli.Environment) *cobra.Command {
	var (
		o   webhookOptions
		url string
	)
	c := &cobra.Command{
		Use:   "update WEBHOOK",
		Short: "Change a webhook",
		Long: `Change a webhook. What is left out stays, but the flags that select what is sent replace
all of them together. A batch that failed is sent again at once.

` + cli.ExitHelp,
		Example: `  headwater webhooks update team-data --url https://hooks.example.com/other
  headwater webhooks update team-data --type dataset,dashboard`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			spec, err := o.spec(c, e)
			if err != nil {
				return err
			}
			if c.Flags().Changed("url") {
				spec.URL = &url
			}
			if *spec == (webhooks.Spec{}) {
				return cli.BadUsage(errors.New("say what to change"))
			}
			return changeWebhook(c.Context(), e, args[0], spec)
		},
	}
	c.Flags().StringVar(&url, "url", "", "where to send")
	o.flags(c, e, "")
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

// newWebhooksTurn makes the verbs enable and disable.
func newWebhooksTurn(e *cli.Environment, on bool) *cobra.Command {
	use, short, long := "enable", "Let a webhook send again, from where it stopped", "Let a webhook send again. It goes on where it stopped."
	if !on {
		use, short, long = "disable", "Stop a webhook, which keeps its place", "Stop a webhook. It keeps its place in the change log, and the log keeps what it has not sent."
	}
	c := &cobra.Command{
		Use: use + " WEBHOOK", Short: short, Long: long + "\n\n" + cli.ExitHelp,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return changeWebhook(c.Context(), e, args[0], &webhooks.Spec{Enabled: &on})
		},
	}
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

func changeWebhook(ctx context.Context, e *cli.Environment, id string, spec *webhooks.Spec) error {
	return sendAndPrint(ctx, e, (*client.Client).Patch, webhookPath(id), spec, func(changed *webhooks.Webhook) (string, error) {
		if !changed.Enabled {
			return screen.Line(fmt.Sprintf("webhook %s is disabled", changed.ID)), nil
		}
		return screen.Line(fmt.Sprintf("webhook %s sends to %s", changed.ID, changed.URL)), nil
	})
}

func newWebhooksTest(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "test WEBHOOK",
		Short: "Send a test, and show what the receiver says",
		Long: `Send a body of type ping once, also if the webhook is disabled, and show what the receiver
says. The command fails if the receiver does not take it.

` + cli.ExitHelp,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return sendAndPrint(c.Context(), e, (*client.Client).Post, webhookPath(args[0], "test"), struct{}{}, func(ping *webhooks.Ping) (string, error) {
				if !ping.Delivered {
					return "", fmt.Errorf("the test was not taken: %s", ping.Error)
				}
				return fmt.Sprintf("the receiver took the test (status %d)", ping.Status), nil
			})
		},
	}
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

func newWebhooksDiscard(e *cli.Environment) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "discard WEBHOOK [LETTER]",
		Short: "Delete dead letters without sending them",
		Long:  "Delete a dead letter or, without one, all of them, without sending them.\n\n" + cli.ExitHelp,
		Args:  letterArgs,
		RunE: func(c *cobra.Command, args []string) error {
			what, letter := "all dead letters of the webhook "+args[0], webhooks.All
			if len(args) == 2 {
				what, letter = "the dead letter "+args[1]+" of the webhook "+args[0], args[1]
			}
			if err := e.Confirm(yes, "This deletes "+what+"."); err != nil {
				return err
			}
			return discard(c.Context(), e, args[0], letter)
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

// discard deletes dead letters, with as many requests as it takes.
func discard(ctx context.Context, e *cli.Environment, id, letter string) error {
	var total struct {
		Deleted int `json:"deleted"`
		Left    int `json:"left"`
	}
	for {
		before := total.Deleted
		if err := e.Client().Delete(ctx, webhookPath(id, "dead", letter), &total); err != nil {
			return err
		}
		more := letter == webhooks.All && total.Left > 0 && total.Deleted > 0
		if total.Deleted += before; !more {
			break
		}
	}
	if e.Output == "json" {
		return e.WriteJSON(total)
	}
	say(e, "%s deleted, %d left", wording.Counted(total.Deleted, "dead letter", "dead letters"), total.Left)
	return nil
}

// letterArgs are a webhook and perhaps one of its dead letters.
func letterArgs(_ *cobra.Command, args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return cli.BadUsage(errors.New("name a webhook and, if it is only one, a dead letter"))
	}
	return nil
}
