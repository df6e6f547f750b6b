package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/webhooks"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

func newWebhooks(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "webhooks",
		Short: "List, make, change and delete webhooks, and replay what receivers did not take",
		Long: `A webhook sends what happens in the catalog to a URL, signed. A batch that the
receiver does not take becomes a dead letter, which can be replayed.

` + cli.ExitHelp,
		Args: cli.OnlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newWebhooksList(e), newWebhooksCreate(e), newWebhooksUpdate(e), newWebhooksTurn(e, true), newWebhooksTurn(e, false),
		newWebhooksTest(e), newWebhooksDelete(e), newWebhooksDead(e), newWebhooksReplay(e), newWebhooksDiscard(e))
	return c
}

// webhookPath is the path of a webhook, or of a path below it.
func webhookPath(id string, below ...string) string {
	path := "/webhooks/" + url.PathEscape(id)
	for _, part := range below {
		path += "/" + url.PathEscape(part)
	}
	return path
}

func newWebhooksList(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "list",
		Short: "List webhooks with how their delivery stands",
		Long:  "List webhooks, ordered by id, with how their delivery stands.\n\n" + cli.ExitHelp,
		Args:  cli.ExactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			var answer struct {
				Webhooks []webhooks.Webhook `json:"webhooks"`
			}
			raw, err := e.Ask(c.Context(), "/webhooks", &answer)
			if err != nil {
				return err
			}
			if e.Output == "json" {
				return e.WriteJSON(raw)
			}
			return writeWebhooks(e, answer.Webhooks)
		},
	}
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

func writeWebhooks(e *cli.Environment, list []webhooks.Webhook) error {
	if len(list) == 0 {
		fmt.Fprintln(e.Stdout, "there are no webhooks")
		return nil
	}
	table := &screen.Table{Columns: []screen.Column{
		{Head: "WEBHOOK", Least: 8}, {Head: "STATE"}, {Head: "LAG", Right: true}, {Head: "DEAD", Right: true}, {Head: "URL", Least: 16}, {Head: "NOTE", Least: 12},
	}}
	for i := range list {
		w := &list[i]
		note := w.Error
		if w.DisabledReason != "" {
			note = w.DisabledReason
		}
		table.Add(w.ID, w.State, strconv.FormatInt(w.Lag, 10), strconv.Itoa(w.DeadLetters), w.URL, note)
	}
	return table.Write(e.Stdout, screen.WidthOf(e.Stdout))
}

func newWebhooksCreate(e *cli.Environment) *cobra.Command {
	var (
		o  webhookOptions
		id string
	)
	c := &cobra.Command{
		Use:   "create URL",
		Short: "Make a webhook, which sends what happens from now on",
		Long: `Make a webhook, which sends what happens from now on to a URL. The secret, with which
receivers check signatures, is shown now and never again.

` + cli.ExitHelp,
		Example: `  headwater webhooks create https://hooks.example.com/catalog
  headwater webhooks create https://hooks.example.com/catalog --id team-data --type dataset --aspect schemaMetadata
  headwater webhooks create https://hooks.example.com/catalog --urn 'urn:li:dataset:(urn:li:dataPlatform:hive,*'
  headwater webhooks create https://hooks.example.com/catalog --format feed --actor ada`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			spec, err := o.spec(c, e)
			if err != nil {
				return err
			}
			spec.URL, spec.Filter = &args[0], &o.filter
			if c.Flags().Changed("id") {
				spec.ID = &id
			}
			return sendAndPrint(c.Context(), e, (*client.Client).Post, "/webhooks", spec, func(made *webhooks.Webhook) (string, error) {
				return fmt.Sprintf("webhook %s sends to %s\nits secret is %s", made.ID, screen.Line(made.URL), made.Secret), nil
			})
		},
	}
	c.Flags().StringVar(&id, "id", "", "id: letters, digits, - and _ (default: drawn)")
	o.flags(c, e, " (default: drawn)")
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

// send posts a request whose answer is not wrapped.
func send(ctx context.Context, e *cli.Environment, path string, request, into any) (json.RawMessage, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	var raw json.RawMessage
	if err := e.Client().Post(ctx, path, body, &raw); err != nil {
		return nil, err
	}
	return raw, cli.DecodeAnswer(raw, into)
}

// sender is a method of the client that sends a body to a path.
type sender func(c *client.Client, ctx context.Context, path string, body []byte, into any) error

func deleteAt(c *client.Client, ctx context.Context, path string, _ []byte, into any) error {
	return c.Delete(ctx, path, into)
}

// sendAndPrint sends a request and prints the answer: unchanged in JSON, otherwise in words. The words come
// from inWords, which fails if the answer describes a failure.
func sendAndPrint[T any](ctx context.Context, e *cli.Environment, send sender, path string, request any, inWords func(answer *T) (string, error)) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := send(e.Client(), ctx, path, body, &raw); err != nil {
		return err
	}
	var answer T
	if err := cli.DecodeAnswer(raw, &answer); err != nil {
		return err
	}
	words, failed := inWords(&answer)
	if e.Output == "json" {
		return errors.Join(e.WriteJSON(raw), failed)
	}
	if failed == nil {
		fmt.Fprintln(e.Stdout, words)
	}
	return failed
}

func newWebhooksDelete(e *cli.Environment) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "delete WEBHOOK",
		Short: "Delete a webhook with its dead letters",
		Long:  "Delete a webhook with its dead letters.\n\n" + cli.ExitHelp,
		Args:  cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := e.Confirm(yes, "This deletes the webhook "+args[0]+" and its dead letters."); err != nil {
				return err
			}
			return sendAndPrint(c.Context(), e, deleteAt, webhookPath(args[0]), nil, func(*struct{}) (string, error) {
				return fmt.Sprintf("webhook %s is deleted", screen.Line(args[0])), nil
			})
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

func newWebhooksDead(e *cli.Environment) *cobra.Command {
	var after string
	var limit int
	c := &cobra.Command{
		Use:   "dead WEBHOOK",
		Short: "List the dead letters of a webhook, the oldest first",
		Long:  "List the dead letters of a webhook, the oldest first: batches that the receiver did not take.\n\n" + cli.ExitHelp,
		Args:  cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var answer struct {
				Letters []webhooks.Letter `json:"letters"`
				Next    string            `json:"next"`
			}
			query := url.Values{"after": {after}, "limit": {strconv.Itoa(limit)}}
			raw, err := e.Ask(c.Context(), webhookPath(args[0], "dead")+"?"+query.Encode(), &answer)
			if err != nil {
				return err
			}
			if e.Output == "json" {
				return e.WriteJSON(raw)
			}
			return writeLetters(e, answer.Letters, answer.Next)
		},
	}
	f := c.Flags()
	f.StringVar(&after, "after", "", "the letter after which to begin")
	f.IntVar(&limit, "limit", limits.DefaultLetters, fmt.Sprintf("number of letters to show, at most %d", limits.MaxDeadLetters))
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

func writeLetters(e *cli.Environment, letters []webhooks.Letter, next string) error {
	if len(letters) == 0 {
		fmt.Fprintln(e.Stdout, "there are no dead letters here")
		return nil
	}
	table := &screen.Table{Columns: []screen.Column{
		{Head: "LETTER", Least: 22}, {Head: "SINCE"}, {Head: "EVENTS", Right: true}, {Head: "ATTEMPTS", Right: true}, {Head: "ERROR", Least: 16}, {Head: "ENTITIES", Least: 12},
	}}
	for i := range letters {
		l := &letters[i]
		table.Add(l.ID, show.TimeOf(l.Since), strconv.Itoa(l.Events), strconv.Itoa(l.Attempts), l.Error, strings.Join(l.URNs, " "))
	}
	if err := table.Write(e.Stdout, screen.WidthOf(e.Stdout)); err != nil {
		return err
	}
	if next != "" {
		fmt.Fprintf(e.Stdout, "\nthere may be more; --after %s shows them\n", next)
	}
	return nil
}

func newWebhooksReplay(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "replay WEBHOOK [LETTER]",
		Short: "Send dead letters again",
		Long: `Send a dead letter again or, without one, all of them, the oldest first, until one is
not taken. Those that are taken are deleted.

` + cli.ExitHelp,
		Example: `  headwater webhooks replay team-data
  headwater webhooks replay team-data 1793588400000-abcdefgh`,
		Args: letterArgs,
		RunE: func(c *cobra.Command, args []string) error {
			letter := webhooks.All
			if len(args) == 2 {
				letter = args[1]
			}
			return replay(c.Context(), e, args[0], letter)
		},
	}
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

// replay sends dead letters again, as many requests as it takes.
func replay(ctx context.Context, e *cli.Environment, id, letter string) error {
	var total webhooks.Replay
	for {
		var part webhooks.Replay
		_, err := send(ctx, e, webhookPath(id, "dead", letter, "replay"), struct{}{}, &part)
		if err != nil {
			return err
		}
		part.Replayed += total.Replayed
		more := letter == webhooks.All && part.Left > 0 && part.Error == "" && part.Replayed > total.Replayed
		if total = part; !more {
			break
		}
	}
	var failed error
	if total.Error != "" {
		failed = fmt.Errorf("letter %s was not taken: %s", total.Letter, total.Error)
	}
	if e.Output == "json" {
		raw, err := json.Marshal(total)
		if err != nil {
			return err
		}
		return errors.Join(e.WriteJSON(json.RawMessage(raw)), failed)
	}
	fmt.Fprintf(e.Stdout, "%s sent again, %d left\n", wording.Counted(total.Replayed, "dead letter", "dead letters"), total.Left)
	return failed
}
