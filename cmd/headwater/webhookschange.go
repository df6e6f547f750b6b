package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/catalog/webhooks"
	"github.com/headwater-io/headwater/client"
)

// webhookOptions are what may be said of a webhook when it is made or changed.
type webhookOptions struct {
	filter              streams.Filter
	format              string
	description, secret string
}

// hookFilterFlags are the flags of the filter.
var hookFilterFlags = []string{"format", "actor", "kind", "type", "aspect", "urn"}

// flags declares the options; drawn says what becomes of a secret that is not given.
func (o *webhookOptions) flags(c *cobra.Command, e *environment, drawn string) {
	f := c.Flags()
	f.StringVar(&o.description, "description", "", "what the webhook is for")
	f.StringVar(&o.secret, "secret", "", "secret: whsec_ and a key in base64"+drawn)
	f.StringVar(&o.format, "format", string(streams.FormatChange), "what is sent of a change: change, entityChangeEvent, or feed")
	f.StringArrayVar(&o.filter.Actors, "actor", nil, "with --format feed: the user or group whose feed is sent, by name or URN; repeatable")
	f.StringSliceVar(&o.filter.Kinds, "kind", nil, "only these kinds of changes: UPSERT, RESTATE, DELETE or, in other formats, categories; repeatable")
	f.StringSliceVar(&o.filter.EntityTypes, "type", nil, "only entities of these types; repeatable")
	f.StringSliceVar(&o.filter.Aspects, "aspect", nil, "only these aspects; repeatable")
	f.StringArrayVar(&o.filter.URNs, "urn", nil, "only this entity or, with * at the end, entities whose URNs begin so; repeatable")
	completeWith(c, "format", string(streams.FormatChange), string(streams.FormatEntityChange), string(streams.FormatFeed))
	e.completeFlag(c, "actor", e.names(client.NameQuery{Part: entityPart, Types: filterTypes["owner"]}))
}

// spec is what the flags that are given say.
func (o *webhookOptions) spec(c *cobra.Command, e *environment) (*webhooks.Spec, error) {
	for i, actor := range o.filter.Actors {
		urn, err := e.valueOf(c.Context(), actor, filterTypes["owner"])
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

func newWebhooksUpdate(e *environment) *cobra.Command {
	var (
		o   webhookOptions
		url string
	)
	c := &cobra.Command{
		Use:   "update WEBHOOK",
		Short: "Change a webhook",
		Long: `Change a webhook. What is left out stays, but the flags that select what is sent replace
all of them together. A batch that failed is sent again at once.

` + exitHelp,
		Example: `  headwater webhooks update team-data --url https://hooks.example.com/other
  headwater webhooks update team-data --type dataset,dashboard`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			spec, err := o.spec(c, e)
			if err != nil {
				return err
			}
			if c.Flags().Changed("url") {
				spec.URL = &url
			}
			if *spec == (webhooks.Spec{}) {
				return badUsage(errors.New("say what to change"))
			}
			return e.changeWebhook(c.Context(), args[0], spec)
		},
	}
	c.Flags().StringVar(&url, "url", "", "where to send")
	o.flags(c, e, "")
	e.clientFlags(c)
	e.outputFlag(c)
	return c
}

// newWebhooksTurn makes the verbs enable and disable.
func newWebhooksTurn(e *environment, on bool) *cobra.Command {
	use, short, long := "enable", "Let a webhook send again, from where it stopped", "Let a webhook send again. It goes on where it stopped."
	if !on {
		use, short, long = "disable", "Stop a webhook, which keeps its place", "Stop a webhook. It keeps its place in the change log, and the log keeps what it has not sent."
	}
	c := &cobra.Command{
		Use: use + " WEBHOOK", Short: short, Long: long + "\n\n" + exitHelp,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return e.changeWebhook(c.Context(), args[0], &webhooks.Spec{Enabled: &on})
		},
	}
	e.clientFlags(c)
	e.outputFlag(c)
	return c
}

func (e *environment) changeWebhook(ctx context.Context, id string, spec *webhooks.Spec) error {
	body, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := e.client().Patch(ctx, webhookPath(id), body, &raw); err != nil {
		return err
	}
	if e.output == "json" {
		return e.writeJSON(raw)
	}
	var changed webhooks.Webhook
	if err := decodeAnswer(raw, &changed); err != nil {
		return err
	}
	if !changed.Enabled {
		e.say("webhook %s is disabled", changed.ID)
		return nil
	}
	e.say("webhook %s sends to %s", changed.ID, changed.URL)
	return nil
}

func newWebhooksTest(e *environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "test WEBHOOK",
		Short: "Send a test, and show what the receiver says",
		Long: `Send a body of type ping once, also if the webhook is disabled, and show what the receiver
says. The command fails if the receiver does not take it.

` + exitHelp,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var ping webhooks.Ping
			raw, err := e.send(c.Context(), webhookPath(args[0], "test"), struct{}{}, &ping)
			if err != nil {
				return err
			}
			var failed error
			if !ping.Delivered {
				failed = fmt.Errorf("the test was not taken: %s", ping.Error)
			}
			if e.output == "json" {
				return errors.Join(e.writeJSON(raw), failed)
			}
			if failed == nil {
				e.say("the receiver took the test (status %d)", ping.Status)
			}
			return failed
		},
	}
	e.clientFlags(c)
	e.outputFlag(c)
	return c
}

func newWebhooksDiscard(e *environment) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "discard WEBHOOK [LETTER]",
		Short: "Delete dead letters without sending them",
		Long:  "Delete a dead letter or, without one, all of them, without sending them.\n\n" + exitHelp,
		Args:  letterArgs,
		RunE: func(c *cobra.Command, args []string) error {
			what, letter := "all dead letters of the webhook "+args[0], webhooks.All
			if len(args) == 2 {
				what, letter = "the dead letter "+args[1]+" of the webhook "+args[0], args[1]
			}
			if err := e.confirm(yes, "This deletes "+what+"."); err != nil {
				return err
			}
			return e.discard(c.Context(), args[0], letter)
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	e.clientFlags(c)
	e.outputFlag(c)
	return c
}

// discard deletes dead letters, with as many requests as it takes.
func (e *environment) discard(ctx context.Context, id, letter string) error {
	var total struct {
		Deleted int `json:"deleted"`
		Left    int `json:"left"`
	}
	for {
		before := total.Deleted
		if err := e.client().Delete(ctx, webhookPath(id, "dead", letter), &total); err != nil {
			return err
		}
		more := letter == webhooks.All && total.Left > 0 && total.Deleted > 0
		if total.Deleted += before; !more {
			break
		}
	}
	if e.output == "json" {
		return e.writeJSON(total)
	}
	e.say("%s deleted, %d left", catalog.Counted(total.Deleted, "dead letter", "dead letters"), total.Left)
	return nil
}

// letterArgs are a webhook and perhaps one of its dead letters.
func letterArgs(_ *cobra.Command, args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return badUsage(errors.New("name a webhook and, if it is only one, a dead letter"))
	}
	return nil
}
