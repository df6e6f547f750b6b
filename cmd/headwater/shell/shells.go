// Package shell lets shells complete the words of a command line.
package shell

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// amended is what is replaced in a script that cobra generates. It hands words over as
// they stand in the line, and so fails with those that contain parentheses or quotes.
type amended struct{ from, to string }

var (
	zshAmended = []amended{
		// The line is not split at blanks inside of quotes, and a quote that is open ends.
		{`words=("${=words[1,CURRENT]}")`, `words=("${(@)words[1,CURRENT]}"); [[ -n ${compstate[quote]} ]] && words[CURRENT]+=${compstate[quote]}`},
		{`requestComp="${words[1]} __complete ${words[2,-1]}"`, `requestComp="${words[1]} __complete ${(j: :)${(@qq)${(@Q)words[2,-1]}}}"`},
	}
	fishAmended = []amended{
		{`(string escape -- (commandline -ct))`, `(string escape -- (string unescape -- (commandline -ct)))` + "\n    set -l before (string escape -- $args[2..-1])"},
		{`$args[1] __complete $args[2..-1] $lastArg`, `$args[1] __complete $before $lastArg`},
	}
)

// amend lets a command of cobra write its script with replacements.
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

// amendScripts makes the scripts of all shells cope with names that have to be quoted.
func amendScripts(e *cli.Environment, root *cobra.Command) {
	replaceBash(e, root)
	amend(e, root, "zsh", root.GenZshCompletion, zshAmended)
	amend(e, root, "fish", func(w io.Writer) error { return root.GenFishCompletion(w, true) }, fishAmended)
}

// Add lets shells complete the words of a command line: it adds the command that bash
// calls, which runs a command line, and makes the scripts of the shells cope with names that
// have to be quoted. The root has its other commands, and writes where it will write.
func Add(e *cli.Environment, root *cobra.Command, run runner) {
	root.AddCommand(newBash(e, run))
	root.InitDefaultCompletionCmd() // it writes to the output that is set now
	amendScripts(e, root)
}
