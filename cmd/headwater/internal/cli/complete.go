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

// completionTimeout is how long a shell waits for the server. After that, the shell gets no
// completions and no error.
const completionTimeout = 2 * time.Second

// Completer returns completions of a word of the command line. args are the arguments
// before it.
type Completer func(ctx context.Context, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective)

// forShell converts a completer to the form that cobra takes.
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

// CompleteArgs sets the completer for the arguments of a command with at most most
// arguments; 0 means any number.
func (e *Environment) CompleteArgs(c *cobra.Command, most int, complete Completer) {
	shell := e.forShell(complete)
	c.ValidArgsFunction = func(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if most > 0 && len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return shell(c, args, typed)
	}
}

// CompleteFlag sets the completer for the values of a flag.
func (e *Environment) CompleteFlag(c *cobra.Command, flag string, complete Completer) {
	// An error would mean that the flag does not exist.
	cobra.CheckErr(c.RegisterFlagCompletionFunc(flag, e.forShell(complete)))
}

// Listed completes the last item of a comma-separated list.
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

// Fixed completes with the given values.
func Fixed(values ...string) Completer {
	return func(_ context.Context, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return BeginningWith(typed, slices.Values(values)), cobra.ShellCompDirectiveDefault
	}
}

// Names completes with names from the server's catalog.
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

// describe returns the text beside a completion: its meaning.
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

// CompleteWith completes a flag with fixed values.
func CompleteWith(c *cobra.Command, flag string, values ...string) {
	// An error would mean that the flag does not exist.
	cobra.CheckErr(c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
}

// CompleteTypes completes the flag --type with the entity types of the model.
func (e *Environment) CompleteTypes(c *cobra.Command) {
	var types []string
	for _, entity := range model.Default().Entities() {
		types = append(types, entity.Name)
	}
	e.CompleteFlag(c, "type", Listed(Fixed(types...)))
}

// Following completes the first argument with one completer and the later ones with
// another.
func Following(first, others Completer) Completer {
	return func(ctx context.Context, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return first(ctx, args, typed)
		}
		return others(ctx, args, typed)
	}
}

// AspectsOf yields the names of the model's aspects for which is returns true.
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

// BeginningWith returns the distinct texts that begin with typed, in their order.
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
