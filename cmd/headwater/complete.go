package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/model"
)

// completionTimeout is how long a shell waits for the server. Without an answer,
// nothing is completed, and nothing is said.
const completionTimeout = 2 * time.Second

// completer returns what a word of the command line may be. args are the arguments
// before it.
type completer func(ctx context.Context, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective)

// forShell is a completer in the form of cobra.
func (e *environment) forShell(complete completer) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if e.readAddress() != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, stop := context.WithTimeout(c.Context(), completionTimeout)
		defer stop()
		e.timeout = completionTimeout
		found, directive := complete(ctx, args, typed)
		return found, directive | cobra.ShellCompDirectiveNoFileComp
	}
}

// completeArgs offers values of the arguments of a command, of which there may be most;
// 0 is any number.
func (e *environment) completeArgs(c *cobra.Command, most int, complete completer) {
	shell := e.forShell(complete)
	c.ValidArgsFunction = func(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if most > 0 && len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return shell(c, args, typed)
	}
}

// completeFlag offers values of a flag.
func (e *environment) completeFlag(c *cobra.Command, flag string, complete completer) {
	// It fails only for a flag that does not exist.
	cobra.CheckErr(c.RegisterFlagCompletionFunc(flag, e.forShell(complete)))
}

// listed completes the last item of a list that is separated by commas.
func listed(complete completer) completer {
	return func(ctx context.Context, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		at := strings.LastIndexByte(typed, ',') + 1
		found, directive := complete(ctx, args, typed[at:])
		for i := range found {
			found[i] = typed[:at] + found[i]
		}
		return found, directive
	}
}

// fixed offers values that do not depend on the server.
func fixed(values ...string) completer {
	return func(_ context.Context, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return beginningWith(typed, slices.Values(values)), cobra.ShellCompDirectiveDefault
	}
}

// names offers the names that the server's catalog has.
func (e *environment) names(q client.NameQuery) completer {
	return func(ctx context.Context, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		answer, err := e.client().Complete(ctx, typed, q)
		if err != nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		directive := cobra.ShellCompDirectiveDefault
		found := make([]cobra.Completion, 0, len(answer))
		for i := range answer {
			if answer[i].Open {
				directive = cobra.ShellCompDirectiveNoSpace
			}
			found = append(found, cobra.CompletionWithDesc(answer[i].Text, describe(&answer[i])))
		}
		return found, directive
	}
}

// describe says beside a completion what it is.
func describe(c *client.Completion) string {
	switch {
	case c.Things > 1 || c.Type == "" && c.Column == "":
		return catalog.Counted(c.Things, "thing", "things")
	case c.Column != "":
		return c.Column
	case c.Platform != "":
		return c.Type + " in " + c.Platform
	}
	return c.Type
}

// completeWith offers the shell fixed values of a flag.
func completeWith(c *cobra.Command, flag string, values ...string) {
	// It fails only for a flag that does not exist.
	cobra.CheckErr(c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
}

// completeTypes offers the entity types of the model.
func (e *environment) completeTypes(c *cobra.Command) {
	var types []string
	for _, entity := range model.Default().Entities() {
		types = append(types, entity.Name)
	}
	e.completeFlag(c, "type", listed(fixed(types...)))
}

// completeFilters offers the values of the flags that select among what a walk reached.
func (e *environment) completeFilters(c *cobra.Command) {
	for flag, types := range filterTypes {
		e.completeFlag(c, flag, e.names(client.NameQuery{Part: entityPart, Types: types}))
	}
	completeWith(c, "removed", "pass", "show", "stop")
}

// criteria offers the values of --filter: a field, or a name after it.
func (e *environment) criteria(ctx context.Context, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	field, value, ok := strings.Cut(typed, "=")
	if !ok {
		fields := func(yield func(string) bool) {
			for _, name := range slices.Sorted(maps.Keys(fieldTypes)) {
				if !yield(name + "=") {
					return
				}
			}
		}
		return beginningWith(typed, fields), cobra.ShellCompDirectiveNoSpace
	}
	types, known := fieldTypes[field]
	if !known {
		return nil, cobra.ShellCompDirectiveDefault
	}
	found, directive := e.names(client.NameQuery{Part: entityPart, Types: types})(ctx, args, value)
	for i := range found {
		found[i] = field + "=" + found[i]
	}
	return found, directive
}

// following offers values of the first argument, and others of those after it.
func following(first, others completer) completer {
	return func(ctx context.Context, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return first(ctx, args, typed)
		}
		return others(ctx, args, typed)
	}
}

// columns offers the columns of the entity that the first argument names.
func (e *environment) columns(ctx context.Context, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	before := args[0] + "."
	found, directive := e.names(client.NameQuery{Part: columnPart})(ctx, nil, before+typed)
	for i := range found {
		found[i] = strings.TrimPrefix(found[i], before)
	}
	return found, directive
}

// aspects offers the aspects that are stored of the entity that the first argument
// names or, without one, those of the model.
func (e *environment) aspects(ctx context.Context, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		urn, err := e.urnOf(ctx, args[0], entityPart)
		if err != nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		entity, err := e.client().Entity(ctx, urn, nil)
		if err != nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return beginningWith(typed, maps.Keys(entity.Aspects)), cobra.ShellCompDirectiveDefault
	}
	return beginningWith(typed, aspectsOf(func(*model.Aspect) bool { return true })), cobra.ShellCompDirectiveDefault
}

// aspectsOf returns the names of aspects of the model.
func aspectsOf(is func(*model.Aspect) bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, entity := range model.Default().Entities() {
			for _, name := range entity.Aspects {
				if a, ok := model.Default().Aspect(name); ok && is(a) && !yield(name) {
					return
				}
			}
		}
	}
}

// beginningWith returns the different texts that begin with what was typed, in their
// order.
func beginningWith(typed string, texts func(func(string) bool)) []cobra.Completion {
	found := []cobra.Completion{}
	for text := range texts {
		if strings.HasPrefix(text, typed) {
			found = append(found, text)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// runs offers the runs of the server of which something is current.
func (e *environment) runs(ctx context.Context, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var found []cobra.Completion
	for _, r := range e.latestRuns(ctx) {
		if strings.HasPrefix(r.RunID, typed) && !r.RolledBack {
			found = append(found, cobra.CompletionWithDesc(r.RunID, fmt.Sprintf("%s, last written %s", catalog.Counted(int(r.Rows), "aspect", "aspects"), timeOf(r.Timestamp))))
		}
	}
	return found, cobra.ShellCompDirectiveKeepOrder
}

// pipelines offers the pipelines of the newest runs.
func (e *environment) pipelines(ctx context.Context, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var found []cobra.Completion
	for _, name := range e.latestPipelines(ctx) {
		if strings.HasPrefix(name, typed) {
			found = append(found, name)
		}
	}
	return found, cobra.ShellCompDirectiveKeepOrder
}

// addCompletions says for every verb what its arguments and flags may be.
func (e *environment) addCompletions(root *cobra.Command) {
	entities, things := e.names(client.NameQuery{Part: entityPart}), e.names(client.NameQuery{})
	verb := func(path ...string) *cobra.Command {
		c, _, err := root.Find(path)
		cobra.CheckErr(err)
		return c
	}
	e.completeArgs(verb("get"), 1, things)
	e.completeFlag(verb("get"), "aspect", listed(e.aspects))
	for _, name := range []string{"lineage", "impact"} {
		e.completeArgs(verb(name), 1, things)
		e.completeFilters(verb(name))
		e.completeTypes(verb(name))
	}
	e.completeFlag(verb("impact"), "column", e.columns)
	for _, name := range []string{"tag", "term", "own", "domain"} {
		types := filterTypes[cmp.Or(map[string]string{"own": "owner"}[name], name)]
		e.completeArgs(verb(name), 0, following(things, e.names(client.NameQuery{Part: entityPart, Types: types})))
	}
	e.completeFlag(verb("own"), "as", fixed("technical", "business", "data steward"))
	e.completeArgs(verb("describe"), 1, things)
	e.completeArgs(verb("timeline"), 1, entities)
	e.completeFlag(verb("timeline"), "category", listed(fixed(strings.Fields(strings.ToLower(strings.Join(history.TimelineCategories(), " ")))...)))
	e.completeArgs(verb("delete"), 0, entities)
	e.completeFlag(verb("delete"), "platform", e.names(client.NameQuery{Part: entityPart, Types: filterTypes["platform"]}))
	e.completeFlag(verb("delete"), "aspect", fixed(slices.Collect(aspectsOf(func(a *model.Aspect) bool { return a.TimeSeries }))...))
	for _, name := range []string{"search", "delete"} {
		e.completeFlag(verb(name), "filter", e.criteria)
		e.completeTypes(verb(name))
	}
	e.completeArgs(verb("search"), 0, fixed())
	e.completeArgs(verb("runs", "show"), 1, e.runs)
	e.completeArgs(verb("runs", "rollback"), 1, e.runs)
	for _, name := range []string{"list", "rollback"} {
		e.completeFlag(verb("runs", name), "pipeline", e.pipelines)
	}
}
