package history

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/moments"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

// restoreOptions are the flags of restore.
type restoreOptions struct {
	asOf                  string
	version               int64
	aspects               []string
	column, member, label string
	dryRun, yes           bool
}

func newRestore(e *cli.Environment) *cobra.Command {
	o := restoreOptions{}
	c := &cobra.Command{
		Use:   "restore NAME --as-of MOMENT",
		Short: "Make an entity, or a part of it, again what it was",
		Long: `Write again what an entity was at a past moment: all of it, or with --aspect some
aspects, with --column what people wrote about a column, with --member one member such
as description, with --label one tag, term, owner or domain. --version restores a
version of one aspect instead. It is one write: all of it or nothing. Without --yes,
the command shows what would change and asks.

` + cli.NameHelp + `

` + cli.ExitHelp,
		Example: `  headwater restore marts.orders --as-of 2026-10-10 --dry-run
  headwater restore marts.orders --as-of 2026-10-10 --aspect ownership
  headwater restore marts.orders --version 2 --aspect globalTags`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return restore(c.Context(), e, args[0], &o, c.Flags().Changed("version"))
		},
	}
	f := c.Flags()
	f.StringVar(&o.asOf, "as-of", "", "the past moment")
	f.Int64Var(&o.version, "version", 0, "the number of a version of the aspect, instead of a moment")
	f.StringSliceVar(&o.aspects, "aspect", nil, "aspects (default: all)")
	f.StringVar(&o.column, "column", "", "the path of a column")
	f.StringVar(&o.member, "member", "", "a member of the aspect or of the column, such as description")
	f.StringVar(&o.label, "label", "", "the URN of a tag, term, owner or domain")
	f.BoolVar(&o.dryRun, "dry-run", false, "only show what would change")
	f.BoolVar(&o.yes, "yes", false, "do not ask")
	e.ClientFlags(c)
	e.OutputFlag(c)
	e.CompleteArgs(c, 1, e.Names(client.NameQuery{Part: cli.EntityPart}))
	return c
}

func restore(ctx context.Context, e *cli.Environment, name string, o *restoreOptions, byVersion bool) error {
	if byVersion == (o.asOf != "") {
		return cli.BadUsage(fmt.Errorf("either --as-of or --version says what is restored"))
	}
	urn, err := e.URNOf(ctx, name, cli.EntityPart)
	if err != nil {
		return err
	}
	request := map[string]any{"urn": urn, "dryRun": true, "aspects": o.aspects, "column": o.column, "member": o.member, "label": o.label}
	if byVersion {
		request["version"] = o.version
	} else {
		at, ok := wording.ParseMoment(o.asOf)
		if !ok {
			return cli.BadUsage(fmt.Errorf("--as-of: %q is not a moment; it must be %s", o.asOf, wording.MomentForms))
		}
		request["asOf"] = at
	}
	var preview moments.Restored
	raw, err := askRestore(ctx, e, request, &preview)
	if err != nil {
		return err
	}
	if !o.dryRun && preview.Changed {
		if !o.yes && e.Output != "json" {
			if err := writeRestored(e, &preview); err != nil {
				return err
			}
		}
		if err := e.Confirm(o.yes, fmt.Sprintf("This writes %d aspects of %s.", len(preview.Aspects), urn)); err != nil {
			return err
		}
		request["dryRun"] = false
		preview = moments.Restored{}
		if raw, err = askRestore(ctx, e, request, &preview); err != nil {
			return err
		}
	}
	if e.Output == "json" {
		return e.WriteJSON(raw)
	}
	return writeRestored(e, &preview)
}

// askRestore sends the request, and decodes the answer, which it also returns as it is.
func askRestore(ctx context.Context, e *cli.Environment, request map[string]any, into *moments.Restored) (raw json.RawMessage, err error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	if err := e.Client().Post(ctx, "/entities?action=restore", body, &raw); err != nil {
		return nil, err
	}
	return raw, cli.DecodeAnswer(raw, into)
}

func writeRestored(e *cli.Environment, r *moments.Restored) error {
	w := bufio.NewWriter(e.Stdout)
	verb := "restored"
	if r.DryRun {
		verb = "would restore"
	}
	for i := range r.Aspects {
		a := &r.Aspects[i]
		fmt.Fprintf(w, "%s %s\n  now   %s\n  then  %s\n", verb, screen.Line(a.Name), valueText(a.Before), valueText(a.After))
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "left as it is: %s: %s\n", screen.Line(s.Name), screen.Line(s.Why))
	}
	if !r.Changed {
		fmt.Fprintln(w, "it is what it was; nothing was changed")
	}
	return w.Flush()
}

func valueText(value json.RawMessage) string {
	if len(value) == 0 {
		return "none"
	}
	return screen.Line(string(value))
}
