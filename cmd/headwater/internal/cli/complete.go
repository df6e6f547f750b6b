package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/internal/wording"
	"github.com/headwater-io/headwater/model"
)

// completionTimeout is how long a shell waits for the server. Without an answer,
// nothing is completed, and nothing is said.
const completionTimeout = 2 * time.Second

// Completer returns what a word of the command line may be. args are the arguments
// before it.
type Completer func(ctx context.Context, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective)

// forShell is a completer in the form of cobra.
func (e *Environment) forShell(complete Completer) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if e.readAddress() != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, stop := context.WithTimeout(c.Context(), completionTimeout)
		defer stop()
		e.Timeout = completionTimeout
		found, directive := complete(ctx, args, typed)
		return found, directive | cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteArgs offers values of the arguments of a command, of which there may be most;
// 0 is any number.
func (e *Environment) CompleteArgs(c *cobra.Command, most int, complete Completer) {
	shell := e.forShell(complete)
	c.ValidArgsFunction = func(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if most > 0 && len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return shell(c, args, typed)
	}
}

// CompleteFlag offers values of a flag.
func (e *Environment) CompleteFlag(c *cobra.Command, flag string, complete Completer) {
	// It fails only for a flag that does not exist.
	cobra.CheckErr(c.RegisterFlagCompletionFunc(flag, e.forShell(complete)))
}

// Listed completes the last item of a list that is separated by commas.
func Listed(complete Completer) Completer {
	return func(ctx context.Context, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		at := strings.LastIndexByte(typed, ',') + 1
		found, directive := complete(ctx, args, typed[at:])
		for i := range found {
			found[i] = typed[:at] + found[i]
		}
		return found, directive
	}
}

// Fixed offers values that do not depend on the server.
func Fixed(values ...string) Completer {
	return func(_ context.Context, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return BeginningWith(typed, slices.Values(values)), cobra.ShellCompDirectiveDefault
	}
}

// Names offers the names that the server's catalog has.
func (e *Environment) Names(q client.NameQuery) Completer {
	return func(ctx context.Context, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		answer, err := e.Client().Complete(ctx, typed, q)
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
		return wording.Counted(c.Things, "thing", "things")
	case c.Column != "":
		return c.Column
	case c.Platform != "":
		return c.Type + " in " + c.Platform
	}
	return c.Type
}

// CompleteWith offers the shell fixed values of a flag.
func CompleteWith(c *cobra.Command, flag string, values ...string) {
	// It fails only for a flag that does not exist.
	cobra.CheckErr(c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
}

// CompleteTypes offers the entity types of the model.
func (e *Environment) CompleteTypes(c *cobra.Command) {
	var types []string
	for _, entity := range model.Default().Entities() {
		types = append(types, entity.Name)
	}
	e.CompleteFlag(c, "type", Listed(Fixed(types...)))
}

// Following offers values of the first argument, and others of those after it.
func Following(first, others Completer) Completer {
	return func(ctx context.Context, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return first(ctx, args, typed)
		}
		return others(ctx, args, typed)
	}
}

// AspectsOf returns the names of aspects of the model.
func AspectsOf(is func(*model.Aspect) bool) func(func(string) bool) {
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

// BeginningWith returns the different texts that begin with what was typed, in their
// order.
func BeginningWith(typed string, texts func(func(string) bool)) []cobra.Completion {
	found := []cobra.Completion{}
	for text := range texts {
		if strings.HasPrefix(text, typed) {
			found = append(found, text)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
