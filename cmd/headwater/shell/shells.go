// Package shell completes the words of a command line in shells.
package shell

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// amended is a replacement in a script that cobra generates. Such a script passes words on without quoting
// them, and so fails for words with parentheses or quotes.
type amended struct{ from, to string }

var (
	zshAmended = []amended{
		// Do not split the line at blanks inside quotes, and close an open quote.
		{`words=("${=words[1,CURRENT]}")`, `words=("${(@)words[1,CURRENT]}"); [[ -n ${compstate[quote]} ]] && words[CURRENT]+=${compstate[quote]}`},
		{`requestComp="${words[1]} __complete ${words[2,-1]}"`, `requestComp="${words[1]} __complete ${(j: :)${(@qq)${(@Q)words[2,-1]}}}"`},
	}
	fishAmended = []amended{
		{`(string escape -- (commandline -ct))`, `(string escape -- (string unescape -- (commandline -ct)))` + "\n    set -l before (string escape -- $args[2..-1])"},
		{`$args[1] __complete $args[2..-1] $lastArg`, `$args[1] __complete $before $lastArg`},
	}
)

// amend makes a completion command of cobra write its script with replacements.
func amend(e *cli.Environment, root *cobra.Command, shell string, generate func(io.Writer) error, changes []amended) {
	c, _, err := root.Find([]string{"completion", shell})
	cobra.CheckErr(err)
	c.RunE = func(*cobra.Command, []string) error {
		var b bytes.Buffer
		if err := generate(&b); err != nil {
			return err
		}
		script := b.String()
		for _, change := range changes {
			if !strings.Contains(script, change.from) {
				return fmt.Errorf("the script for %s does not contain %q", shell, change.from)
			}
			script = strings.Replace(script, change.from, change.to, 1)
		}
		_, err := io.WriteString(e.Stdout, script)
		return err
	}
}

// amendScripts changes the scripts of all shells so that they handle names that have to be
// quoted.
func amendScripts(e *cli.Environment, root *cobra.Command) {
	replaceBash(e, root)
	amend(e, root, "zsh", root.GenZshCompletion, zshAmended)
	amend(e, root, "fish", func(w io.Writer) error { return root.GenFishCompletion(w, true) }, fishAmended)
}

// Add adds the completion of shells to a root command: the command that bash calls, which
// executes command lines with run, and scripts that handle names that have to be quoted.
// The root must already have its other commands and its output.
func Add(e *cli.Environment, root *cobra.Command, run runner) {
	root.AddCommand(newBash(e, run))
	root.InitDefaultCompletionCmd() // cobra uses the output that is set now
	amendScripts(e, root)
}
