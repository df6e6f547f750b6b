// Package edit has the commands with which people change entities: tag, term, own, domain, describe
// and delete.
package edit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

// Commands returns the commands of the family.
func Commands(e *cli.Environment) []*cobra.Command {
	return []*cobra.Command{newTag(e), newTerm(e), newOwn(e), newDomain(e), newDescribe(e), newDelete(e)}
}

// editHelp is the part of the help that all editing verbs share.
const editHelp = `What the source states stays. The answer shows the values before and after; if they
are equal, nothing was changed. --dry-run shows the same and writes nothing.

` + cli.ColumnHelp + `

` + cli.ExitHelp

// editOptions are the flags of the editing verbs.
type editOptions struct {
	remove, dryRun bool
	as, file       string
}

// revision is the request for a change.
type revision map[string]any

// editVerb makes an editing verb. Its arguments are the name of an entity and then values,
// from which revise makes the request.
func editVerb(e *cli.Environment, c *cobra.Command, o *editOptions, revise func(ctx context.Context, values []string) (revision, error)) *cobra.Command {
	c.Long += "\n\n" + editHelp
	c.RunE = func(c *cobra.Command, args []string) error {
		request, err := revise(c.Context(), args[1:])
		if err != nil {
			return err
		}
		return makeRevision(c.Context(), e, args[0], request, o.dryRun)
	}
	c.Flags().BoolVar(&o.remove, "remove", false, "remove instead")
	c.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "show what would change, and write nothing")
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

// makeRevision changes the entity or column that a name means, and shows the change.
func makeRevision(ctx context.Context, e *cli.Environment, name string, request revision, dryRun bool) error {
	named, err := e.Resolve(ctx, name, client.NameQuery{Part: cli.EitherPart})
	if err != nil {
		return err
	}
	request["urn"], request["dryRun"] = named.URN, dryRun
	var done edits.Revised
	raw, err := e.Post(ctx, "/entities?action=edit", request, &done)
	if err != nil {
		return err
	}
	if e.Output == "json" {
		return e.WriteJSON(raw)
	}
	return writeRevised(ctx, e, &done)
}

// atLeastArgs requires a name and at least one value after it.
func atLeastArgs(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < 2 {
			return cli.BadUsage(fmt.Errorf("name %s: %s; see %s --help", what, c.UseLine(), c.CommandPath()))
		}
		return nil
	}
}

// marks returns a request that adds values or, with --remove, removes them.
func (o *editOptions) marks(list string, values any) revision {
	side := "add"
	if o.remove {
		side = "remove"
	}
	return revision{side: map[string]any{list: values}}
}

// urnsOf resolves names, such as those of tags. With removed, a name may also mean a
// soft-deleted entity.
func urnsOf(ctx context.Context, e *cli.Environment, names, types []string, removed bool) ([]string, error) {
	urns := make([]string, len(names))
	for i, name := range names {
		named, err := e.Resolve(ctx, name, client.NameQuery{Part: cli.EntityPart, Types: types, Removed: removed})
		if err != nil {
			return nil, err
		}
		urns[i] = named.URN
	}
	return urns, nil
}

// completeNames completes the first argument with any name, and later arguments with names
// of entities of some types.
func completeNames(e *cli.Environment, c *cobra.Command, types []string) {
	things, values := e.Names(client.NameQuery{}), e.Names(client.NameQuery{Part: cli.EntityPart, Types: types})
	e.CompleteArgs(c, 0, cli.Following(things, values))
}

// newLabel makes the verb that adds and removes one kind of labels.
func newLabel(e *cli.Environment, verb, list, what, example string) *cobra.Command {
	var o editOptions
	c := &cobra.Command{
		Use:     verb + " NAME " + strings.ToUpper(verb) + "...",
		Short:   "Add " + what + " to an entity or column, or remove them",
		Long:    "Add " + what + " to an entity or column, or with --remove remove them. They are given by name\nor URN, and must exist to be added.",
		Example: example,
		Args:    atLeastArgs("an entity or column, and " + what),
	}
	completeNames(e, c, cli.FilterTypes[verb])
	return editVerb(e, c, &o, func(ctx context.Context, names []string) (revision, error) {
		urns, err := urnsOf(ctx, e, names, cli.FilterTypes[verb], o.remove)
		return o.marks(list, urns), err
	})
}

func newTag(e *cli.Environment) *cobra.Command {
	return newLabel(e, "tag", "tags", "tags", `  headwater tag marts.orders Certified
  headwater tag orders.net_revenue PII Finance --dry-run
  headwater tag marts.orders Certified --remove`)
}

func newTerm(e *cli.Environment) *cobra.Command {
	return newLabel(e, "term", "terms", "glossary terms", `  headwater term orders.net_revenue NetRevenue
  headwater term marts.orders Revenue --remove`)
}

func newOwn(e *cli.Environment) *cobra.Command {
	var o editOptions
	c := &cobra.Command{
		Use:   "own NAME OWNER...",
		Short: "Add owners to an entity, or remove them",
		Long: `Make users and groups owners of an entity, or with --remove remove them. --as is the
kind of ownership: technical, business, data steward, or the name of a kind of your own.
With --remove, owners of this kind are removed and, without --as, owners of every kind.`,
		Example: `  headwater own marts.orders ada.wren --as technical
  headwater own marts.orders 'Data Platform' --dry-run
  headwater own marts.orders ada.wren --remove`,
		Args: atLeastArgs("an entity, and owners"),
	}
	c.Flags().StringVar(&o.as, "as", "", "kind of ownership (default: of no kind)")
	completeNames(e, c, cli.FilterTypes["owner"])
	e.CompleteFlag(c, "as", cli.Fixed("technical", "business", "data steward"))
	return editVerb(e, c, &o, func(ctx context.Context, names []string) (revision, error) {
		kind, err := ownershipKind(ctx, e, o.as)
		if err != nil {
			return nil, err
		}
		urns, err := urnsOf(ctx, e, names, cli.FilterTypes["owner"], o.remove)
		if err != nil {
			return nil, err
		}
		owners := make([]edits.StatedOwner, len(urns))
		for i, urn := range urns {
			owners[i] = kind
			owners[i].Owner = urn
		}
		return o.marks("owners", owners), nil
	})
}

// ownershipKind reads a kind of ownership: the everyday words for a built-in kind, or the
// name of another kind.
func ownershipKind(ctx context.Context, e *cli.Environment, text string) (edits.StatedOwner, error) {
	if text == "" {
		return edits.StatedOwner{}, nil
	}
	builtIn := model.Default().OwnershipTypes()
	name := strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(strings.TrimSpace(text)))
	for _, kind := range []string{name, name + "_OWNER"} {
		if slices.Contains(builtIn, kind) {
			return edits.StatedOwner{Type: kind}, nil
		}
	}
	named, err := e.Resolve(ctx, text, client.NameQuery{Part: cli.EntityPart, Types: []string{model.EntityOwnershipType}})
	var missing *client.Error
	if errors.As(err, &missing) && missing.Status == 404 && len(missing.Candidates) == 0 {
		words := make([]string, len(builtIn))
		for i, kind := range builtIn {
			words[i] = strings.ToLower(strings.ReplaceAll(strings.TrimSuffix(kind, "_OWNER"), "_", " "))
		}
		missing.Message = fmt.Sprintf("%q is no kind of ownership%s", text, nearest.Among(text, words, "built-in kinds"))
		return edits.StatedOwner{}, missing
	}
	if err != nil {
		return edits.StatedOwner{}, err
	}
	return edits.StatedOwner{TypeURN: named.URN}, nil
}

func newDomain(e *cli.Environment) *cobra.Command {
	var o editOptions
	c := &cobra.Command{
		Use:   "domain NAME DOMAIN",
		Short: "Put an entity into a domain, or remove it from its domain",
		Long:  "Put an entity into a domain, by name or URN, instead of the domain in which it is; or with\n--remove remove it from its domain.",
		Example: `  headwater domain marts.orders Finance
  headwater domain marts.orders --remove`,
	}
	c.Args = func(c *cobra.Command, args []string) error {
		switch {
		case o.remove && len(args) > 1:
			return cli.BadUsage(fmt.Errorf("an entity is in one domain: with --remove, give the entity only; see %s --help", c.CommandPath()))
		case o.remove:
			return cli.ExactArgs(1)(c, args)
		}
		return cli.ExactArgs(2)(c, args)
	}
	completeNames(e, c, cli.FilterTypes["domain"])
	return editVerb(e, c, &o, func(ctx context.Context, names []string) (revision, error) {
		if o.remove {
			return revision{"domain": nil}, nil
		}
		urns, err := urnsOf(ctx, e, names, cli.FilterTypes["domain"], false)
		if err != nil {
			return nil, err
		}
		return revision{"domain": urns[0]}, nil
	})
}

func newDescribe(e *cli.Environment) *cobra.Command {
	var o editOptions
	c := &cobra.Command{
		Use:   "describe NAME [TEXT]",
		Short: "Describe an entity or column, or remove the description",
		Long: `Set the description that people wrote of an entity or column: TEXT, or with --file the
text of a file, - for standard input. It may be Markdown. With --remove, remove it.
The description that the source states is another one; it is shown when nobody wrote
one.`,
		Example: `  headwater describe orders.net_revenue 'What customers paid, without refunds.'
  headwater describe marts.orders --file orders.md --dry-run
  headwater describe marts.orders --remove`,
	}
	c.Args = func(c *cobra.Command, args []string) error {
		ways := len(args) - 1
		for _, given := range []bool{o.file != "", o.remove} {
			if given {
				ways++
			}
		}
		switch {
		case len(args) == 0 || ways == 0:
			return cli.BadUsage(fmt.Errorf("an argument is missing: %s takes the description, --file or --remove; headwater get shows a description", c.UseLine()))
		case ways > 1:
			return cli.BadUsage(fmt.Errorf("%s takes one description: in quotes, or with --file; or --remove; see %s --help", c.Name(), c.CommandPath()))
		}
		return nil
	}
	c.Flags().StringVar(&o.file, "file", "", "file with the description, - for standard input")
	e.CompleteArgs(c, 1, e.Names(client.NameQuery{}))
	return editVerb(e, c, &o, func(_ context.Context, texts []string) (revision, error) {
		if o.remove {
			return revision{"description": nil}, nil
		}
		text, err := o.description(e.Stdin, texts)
		if err == nil && strings.TrimSpace(text) == "" {
			err = cli.BadUsage(errors.New("the description is empty; --remove removes a description"))
		}
		return revision{"description": text}, err
	})
}

// description returns the text on the command line, or the text of a file without its last
// line break.
func (o *editOptions) description(stdin io.Reader, texts []string) (string, error) {
	if len(texts) > 0 {
		return texts[0], nil
	}
	in := stdin
	if o.file != "-" {
		file, err := os.Open(o.file)
		if err != nil {
			return "", err
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, limits.MaxAspectBytes+1))
	if err == nil && len(text) > limits.MaxAspectBytes {
		err = fmt.Errorf("%s is longer than %d bytes", cmp.Or(strings.TrimPrefix(o.file, "-"), "the description"), limits.MaxAspectBytes)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r"), err
}
