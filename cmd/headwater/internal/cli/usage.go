package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/internal/wording"
)

// otherWords has the words of other programs for our verbs.
var otherWords = map[string][]string{
	"get":      {"show", "cat"},
	"tag":      {"label"},
	"own":      {"owner", "owners"},
	"describe": {"document", "comment"},
	"search":   {"find", "list", "ls"},
	"lineage":  {"upstream", "upstreams", "downstream", "downstreams"},
	"impact":   {"affected", "dependents"},
	"timeline": {"history", "log", "changes"},
	"delete":   {"rm", "remove"},
	"ingest":   {"load", "put", "write"},
	"serve":    {"start", "run", "server"},
	"runs":     {"run-list"},
	"show":     {"get", "describe"},
	"rollback": {"revert", "undo"},
}

// unknownVerb returns the error for a word that is not a subcommand of c.
func unknownVerb(c *cobra.Command, word string) error {
	names := func(yield func(string) bool) {
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && !yield(sub.Name()) {
				return
			}
		}
	}
	var near []string
	for name := range names {
		if slices.Contains(otherWords[name], strings.ToLower(word)) || len(word) > 2 && strings.HasPrefix(name, word) {
			near = append(near, name)
		}
	}
	if len(near) == 0 {
		near = nearest.Names(word, names)
	}
	return BadUsage(fmt.Errorf("there is no command %q%s; see %s --help", strings.TrimPrefix(c.CommandPath()+" "+word, c.Root().Name()+" "), nearest.Question(near), c.CommandPath()))
}

// OnlyCommands returns an error if there are arguments. It is for commands that only have
// subcommands.
func OnlyCommands(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownVerb(c, args[0])
	}
	return nil
}

// FlagError rewords an error about a flag. It also handles an unknown verb with flags,
// because cobra looks for these flags in the parent command.
func (e *Environment) FlagError(c *cobra.Command, err error) error {
	if c.HasSubCommands() {
		words := e.Args
		if c.HasParent() {
			words = words[min(len(words), 1+slices.Index(words, c.Name())):]
		}
		if len(words) > 0 && !strings.HasPrefix(words[0], "-") {
			return unknownVerb(c, words[0])
		}
	}
	var (
		unknown *pflag.NotExistError
		value   *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &unknown):
		names := func(yield func(string) bool) {
			stopped := false
			c.Flags().VisitAll(func(f *pflag.Flag) { stopped = stopped || !yield("--"+f.Name) })
		}
		given := "--" + unknown.GetSpecifiedName()
		if unknown.GetSpecifiedShortnames() != "" {
			return BadUsage(fmt.Errorf("unknown flag -%s; see %s --help", unknown.GetSpecifiedName(), c.CommandPath()))
		}
		return BadUsage(fmt.Errorf("unknown flag %s%s; see %s --help", given, nearest.Question(nearest.Names(given, names)), c.CommandPath()))
	case errors.As(err, &value):
		return BadUsage(fmt.Errorf("--%s must be %s, not %q", value.GetFlag().Name, kindOf(value.GetFlag()), value.GetValue()))
	}
	return BadUsage(fmt.Errorf("%w; see %s --help", err, c.CommandPath()))
}

// kindOf returns words for the type of a flag's value.
func kindOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "int64":
		return "a number"
	case "bool":
		return "true or false"
	case "duration":
		return "a duration such as 30s or 5m"
	}
	return "a " + f.Value.Type()
}

// ExactArgs requires exactly n arguments.
func ExactArgs(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) == n:
			return nil
		case n == 0:
			return BadUsage(fmt.Errorf("%s takes no arguments, such as %q; see %s --help", c.Name(), args[0], c.CommandPath()))
		case len(args) < n:
			return BadUsage(fmt.Errorf("an argument is missing: %s; see %s --help", c.UseLine(), c.CommandPath()))
		}
		return BadUsage(fmt.Errorf("%s takes %s, not %d: put a name with blanks or parentheses in quotes; see %s --help", c.Name(), wording.Counted(n, "argument", "arguments"), len(args), c.CommandPath()))
	}
}
