package operate

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

// auditOptions are the flags of the command audit.
type auditOptions struct {
	actor, entity, since, until, cursor string
	kinds                               []string
	refused, follow                     bool
	limit                               int
}

func newAudit(e *cli.Environment) *cobra.Command {
	var o auditOptions
	c := &cobra.Command{
		Use:   "audit",
		Short: "Show who did something, from where, and whether it was allowed",
		Long: `Show the newest entries of the audit trail, the newest first: sign-ins, refusals, tokens,
changes of people and policies, writes, deletes, rollbacks, exports. Only administrators may
read it while authentication is on. docs/audit.md has the kinds.

With --follow the command does not end: it shows the entries since --since, the oldest of them
first, and then each that comes. With -o json each entry is one line.

` + cli.ExitHelp,
		Example: `  headwater audit --since 2026-11-01
  headwater audit --actor ada --kind tokenMade,tokenRevoked
  headwater audit --refused --limit 20
  headwater audit --follow`,
		Args: cli.ExactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if !o.follow {
				return showAudit(c.Context(), e, &o)
			}
			if o.until != "" || o.cursor != "" || c.Flags().Changed("limit") {
				return cli.BadUsage(errors.New("--follow goes on; it has no --until, --limit or --cursor"))
			}
			return followAudit(c.Context(), e, &o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.actor, "actor", "", "only what this user or group did, by name or URN")
	f.StringVar(&o.entity, "entity", "", "only what was done to this entity, by name or URN")
	f.StringSliceVar(&o.kinds, "kind", nil, "only entries of these kinds")
	f.StringVar(&o.since, "since", "", "only entries since then: a day, a time, or epoch milliseconds")
	f.StringVar(&o.until, "until", "", "only entries until then")
	f.BoolVar(&o.refused, "refused", false, "only what was refused")
	f.IntVar(&o.limit, "limit", limits.DefaultAuditPage, fmt.Sprintf("entries to show, at most %d", limits.MaxAuditPage))
	f.BoolVarP(&o.follow, "follow", "f", false, "go on, and show what comes")
	f.StringVar(&o.cursor, "cursor", "", "go on after an earlier page, which named this cursor")
	e.CompleteFlag(c, "actor", e.Names(cli.OwnerNames))
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

// trailAnswer is the server's answer.
type trailAnswer struct {
	Entries  []audit.Entry `json:"entries"`
	Cursor   string        `json:"cursor"`
	LookedTo int64         `json:"lookedTo"`
}

func showAudit(ctx context.Context, e *cli.Environment, o *auditOptions) error {
	query, err := o.query(ctx, e)
	if err != nil {
		return err
	}
	var answer trailAnswer
	raw, err := e.Ask(ctx, "/audit?"+query.Encode(), &answer)
	if err != nil {
		return err
	}
	if e.Output == "json" {
		return e.WriteJSON(raw)
	}
	if len(answer.Entries) == 0 {
		fmt.Fprintln(e.Stdout, "no entry fits")
	} else if err := writeTrail(e, answer.Entries); err != nil {
		return err
	}
	if answer.Cursor != "" {
		fmt.Fprintf(e.Stdout, "looked back to %s; for earlier entries add --cursor %s\n", show.TimeOf(answer.LookedTo), answer.Cursor)
	}
	return nil
}

// query returns the parameters of the request.
func (o *auditOptions) query(ctx context.Context, e *cli.Environment) (url.Values, error) {
	query := url.Values{"limit": {strconv.Itoa(o.limit)}}
	for _, bound := range []struct{ name, text string }{{"since", o.since}, {"until", o.until}} {
		if bound.text == "" {
			continue
		}
		at, ok := wording.ParseMoment(bound.text)
		if !ok {
			return nil, cli.BadUsage(fmt.Errorf("--%s is a day, a time, or epoch milliseconds, not %q", bound.name, bound.text))
		}
		query.Set(bound.name, strconv.FormatInt(at, 10))
	}
	if o.limit < 1 || o.limit > limits.MaxAuditPage {
		return nil, cli.BadUsage(errors.New("--limit is between 1 and " + strconv.Itoa(limits.MaxAuditPage)))
	}
	for _, kind := range o.kinds {
		query.Add("kind", kind)
	}
	if o.refused {
		query.Set("allowed", "false")
	}
	if o.cursor != "" {
		query.Set("cursor", o.cursor)
	}
	for _, filter := range []struct {
		parameter, name string
		of              client.NameQuery
	}{{"actor", o.actor, cli.OwnerNames}, {"entity", o.entity, client.NameQuery{Part: cli.EntityPart, Removed: true}}} {
		urn, err := urnOf(ctx, e, filter.name, filter.of)
		if err != nil {
			return nil, err
		}
		if urn != "" {
			query.Set(filter.parameter, urn)
		}
	}
	return query, nil
}

// urnOf returns the URN that a name stands for. A URN stands for itself, because the trail also tells
// of deleted entities.
func urnOf(ctx context.Context, e *cli.Environment, name string, of client.NameQuery) (string, error) {
	if name == "" || strings.HasPrefix(name, "urn:") {
		return name, nil
	}
	named, err := e.Resolve(ctx, name, of)
	if err != nil {
		return "", err
	}
	return named.URN, nil
}

func writeTrail(e *cli.Environment, entries []audit.Entry) error {
	table := &screen.Table{Columns: []screen.Column{
		{Head: "TIME"}, {Head: "KIND"}, {Head: "ACTOR"}, {Head: "FROM"}, {Head: "DOOR"}, {Head: "ALLOWED"}, {Head: "ABOUT", Least: 20},
	}}
	for i := range entries {
		table.Add(cells(&entries[i])...)
	}
	return table.Write(e.Stdout, screen.WidthOf(e.Stdout))
}

// cells returns the columns of an entry.
func cells(e *audit.Entry) []string {
	allowed := "yes"
	if !e.Allowed {
		allowed = "no"
	}
	return []string{show.TimeOf(e.Time), string(e.Kind), show.OrDash(e.Actor), show.OrDash(e.Remote), show.OrDash(e.Door), allowed, about(e)}
}

// about returns the first entity of an entry with the number of the others, or the reason of a
// refusal.
func about(e *audit.Entry) string {
	text := e.Reason
	if len(e.Entities) > 0 && text == "" {
		text = e.Entities[0]
		if e.EntityCount > 1 {
			text += fmt.Sprintf(" and %d more", e.EntityCount-1)
		}
	}
	if e.Count > 0 {
		text += fmt.Sprintf(" (%d times)", e.Count)
	}
	return show.OrDash(text)
}
