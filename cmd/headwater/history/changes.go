package history

import (
	"bufio"
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/model"
)

// changesOptions are the flags of changes.
type changesOptions struct {
	since, until string
	categories   []string
	start, count int
}

func newChanges(e *cli.Environment) *cobra.Command {
	o := changesOptions{}
	c := &cobra.Command{
		Use:   "changes NAME --since MOMENT",
		Short: "Show what changed on an entity since a moment",
		Long: `Show which aspects of an entity differ from a past moment, and each change since in
words, newest first, with its actor and run. --until compares with a second moment
instead of now. Moments are epoch milliseconds, a day or a time.

` + cli.NameHelp + `

` + cli.ExitHelp,
		Example: `  headwater changes marts.orders --since 2026-10-10`,
		Args:    cli.ExactArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return showChanges(c.Context(), e, args[0], &o) },
	}
	f := c.Flags()
	f.StringVar(&o.since, "since", "", "the moment after which changes are shown (required)")
	f.StringVar(&o.until, "until", "", "the second moment (default: now)")
	f.StringSliceVar(&o.categories, "category", nil, "categories (default: all)")
	f.IntVar(&o.start, "start", 0, "changes to skip")
	f.IntVar(&o.count, "count", limits.DefaultLineageChanges, "changes to show")
	e.ClientFlags(c)
	e.OutputFlag(c)
	e.CompleteArgs(c, 1, e.Names(client.NameQuery{Part: cli.EntityPart}))
	e.CompleteFlag(c, "category", cli.Listed(cli.Fixed(strings.Fields(strings.ToLower(strings.Join(history.TimelineCategories(), " ")))...)))
	return c
}

// changesAnswer is the answer of the server.
type changesAnswer struct {
	From    int64 `json:"from"`
	Aspects []struct {
		Name      string `json:"name"`
		Operation string `json:"operation"`
		Unsure    bool   `json:"unsure"`
	} `json:"aspects"`
	Start   int `json:"start"`
	Total   int `json:"total"`
	Changes []struct {
		Time        int64  `json:"time"`
		Actor       string `json:"actor"`
		Run         string `json:"run"`
		Category    string `json:"category"`
		Description string `json:"description"`
	} `json:"changes"`
	Partial bool   `json:"partial"`
	Reason  string `json:"reason"`
}

// differs has the words for how an aspect differs.
var differs = map[string]string{"ADD": "added", "CREATE": "added", "REMOVE": "removed", "MODIFY": "changed"}

func showChanges(ctx context.Context, e *cli.Environment, name string, o *changesOptions) error {
	if o.since == "" {
		return cli.BadUsage(fmt.Errorf("--since is required: the moment after which changes are shown"))
	}
	urn, err := e.URNOf(ctx, name, cli.EntityPart)
	if err != nil {
		return err
	}
	query := url.Values{
		"from": {o.since}, "to": {o.until}, "categories": o.categories, "start": {strconv.Itoa(o.start)}, "count": {strconv.Itoa(o.count)},
	}
	var answer changesAnswer
	raw, err := e.Ask(ctx, "/changes-since/"+model.EncodeURN(urn)+"?"+query.Encode(), &answer)
	if err != nil {
		return err
	}
	if e.Output == "json" {
		return e.WriteJSON(raw)
	}
	return answer.write(e)
}

func (a *changesAnswer) write(e *cli.Environment) error {
	w := bufio.NewWriter(e.Stdout)
	if len(a.Aspects) > 0 {
		fmt.Fprintln(w, "differs:")
	}
	for _, aspect := range a.Aspects {
		note := ""
		if aspect.Unsure {
			note = "  (one of the two values is not known for sure)"
		}
		fmt.Fprintf(w, "  %s  %s%s\n", screen.Line(aspect.Name), differs[aspect.Operation], note)
	}
	for i := range a.Changes {
		c := &a.Changes[i]
		if i == 0 || a.Changes[i-1].Time != c.Time || a.Changes[i-1].Run != c.Run || a.Changes[i-1].Actor != c.Actor {
			fmt.Fprintf(w, "\n%s  by %s", show.TimeOf(c.Time), screen.Line(show.LeafOf(c.Actor)))
			if c.Run != "" && c.Run != catalog.NoRunID {
				fmt.Fprintf(w, "  run %s", screen.Line(c.Run))
			}
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "  %s  %s\n", strings.ToLower(c.Category), show.ShortURNs(screen.Line(c.Description)))
	}
	switch shown := a.Start + len(a.Changes); {
	case len(a.Aspects) == 0 && a.Total == 0:
		fmt.Fprintln(w, "nothing changed since then")
	case len(a.Changes) > 0 && shown < a.Total:
		fmt.Fprintf(w, "\nthese are %d of %d changes; --start %d shows more\n", len(a.Changes), a.Total, shown)
	}
	if a.Partial {
		fmt.Fprintf(w, "not all: %s\n", screen.Line(a.Reason))
	}
	return w.Flush()
}
