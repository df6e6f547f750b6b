package shell

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// Bash splits a line at colons, parentheses and equals signs before it calls a completion
// function, and expects only the text after the last of these characters. URNs are full of
// them, and have to be quoted. The script that cobra generates cannot do this. So our
// script passes the whole line to the program, which splits and quotes it.

// bashScript is the output of "completion bash".
const bashScript = `# bash completion for headwater

_headwater() {
    local IFS=$'\n' line directive=
    COMPREPLY=()
    while read -r line; do
        if [[ -z $directive ]]; then directive=$line; else COMPREPLY+=("$line"); fi
    done < <("$1" __bash "$COMP_LINE" "$COMP_POINT" "$COMP_WORDBREAKS" 2>/dev/null)
    [[ $directive == *nospace* ]] && compopt -o nospace
    if [[ $directive == *files* ]]; then
        compopt -o default # for files, if there is nothing else
        if ((${#COMPREPLY[@]})); then
            compopt -o filenames
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
        fi
    fi
    return 0
}

complete -F _headwater headwater
`

// A runner executes a command line and returns the exit code.
type runner func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int

// newBash makes the command that bashScript calls. The command runs a command line of cobra
// that asks for completions.
func newBash(e *cli.Environment, run runner) *cobra.Command {
	return &cobra.Command{
		Use: "__bash LINE POINT WORDBREAKS", Hidden: true, Args: cli.ExactArgs(3), DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			line := []rune(args[0]) // because bash counts in characters
			point, err := strconv.Atoi(args[1])
			if err != nil || point < 0 || point > len(args[0]) {
				return cli.BadUsage(fmt.Errorf("%q is not a place in the line", args[1]))
			}
			words := parseLine(string(line[:min(point, len(line))])) // in the C locale, bash counts in bytes
			if len(words) < 2 {
				return nil
			}
			current := words[len(words)-1]
			request := []string{cobra.ShellCompNoDescRequestCmd}
			for _, w := range words[1:] {
				request = append(request, w.text)
			}
			var out bytes.Buffer
			if code := run(c.Context(), request, e.Stdin, &out, &bytes.Buffer{}); code != cli.ExitOK {
				return nil
			}
			_, err = fmt.Fprint(e.Stdout, bashAnswer(out.String(), &current, args[2]))
			return err
		},
	}
}

// replaceBash makes "completion bash" write bashScript.
func replaceBash(e *cli.Environment, root *cobra.Command) {
	c, _, err := root.Find([]string{"completion", "bash"})
	cobra.CheckErr(err)
	c.Long = `Write the script that completes commands in bash: commands, flags, names of
entities and columns, runs, and more that the server knows.`
	c.Example = `  source <(headwater completion bash)
  headwater completion bash > ~/.local/share/bash-completion/completions/headwater`
	c.RunE = func(*cobra.Command, []string) error {
		_, err := fmt.Fprint(e.Stdout, bashScript)
		return err
	}
}

// bashAnswer converts cobra's answer to the lines that bashScript reads: instructions for
// bash, and then completions of the part that bash regards as the word.
func bashAnswer(answer string, current *shellText, breaks string) string {
	lines := strings.Split(strings.TrimRight(answer, "\n"), "\n")
	directive := 0
	if last := lines[len(lines)-1]; strings.HasPrefix(last, ":") {
		directive, _ = strconv.Atoi(last[1:]) // after an error, 0 is the default directive
		lines = lines[:len(lines)-1]
	}
	has := func(d cobra.ShellCompDirective) bool { return directive&int(d) != 0 }
	if has(cobra.ShellCompDirectiveError) {
		return ""
	}
	first := "-"
	if has(cobra.ShellCompDirectiveNoSpace) {
		first += " nospace"
	}
	if !has(cobra.ShellCompDirectiveNoFileComp) {
		first += " files"
	}
	var b strings.Builder
	b.WriteString(first + "\n")
	typed, flag := current.text, ""
	if name, value, ok := strings.Cut(typed, "="); ok && strings.HasPrefix(name, "-") {
		typed, flag = value, name+"="
	}
	for _, line := range lines {
		if line != "" && strings.HasPrefix(line, typed) {
			b.WriteString(current.continued(flag+line, breaks) + "\n")
		}
	}
	return b.String()
}

// shellText is a word of a shell's line.
type shellText struct {
	// text is the word without quotes and escapes.
	text string
	// quote is the quotation mark that is still open at the end, 0 for none.
	quote byte
	// opened is the length of the text before that mark.
	opened int
	// bare are the positions in text of characters that are neither quoted nor escaped.
	bare []int
}

// continued returns, quoted, the part of a completed text that bash inserts: the part after
// the last character at which bash splits words.
func (w *shellText) continued(text, breaks string) string {
	if w.quote != 0 {
		rest := text[w.opened:]
		if w.quote == '\'' {
			return strings.ReplaceAll(rest, "'", `'\''`)
		}
		return escaped(rest, "\"$`\\")
	}
	from := 0
	for _, at := range w.bare {
		if strings.IndexByte(breaks, w.text[at]) >= 0 {
			from = at + 1
		}
	}
	return escaped(text[from:], " \t!\"#$&'()*;<>?[\\]^`{|}~")
}

// escaped puts a backslash before each special character.
func escaped(text, special string) string {
	var b strings.Builder
	for i := range len(text) {
		if strings.IndexByte(special, text[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// parseLine splits a line as bash does. The last word is the one that is being typed. It is
// empty after a blank.
func parseLine(line string) []shellText {
	words := []shellText{{}}
	inWord := false
	for i := 0; i < len(line); i++ {
		w, c := &words[len(words)-1], line[i]
		switch {
		case w.quote != 0 && c == w.quote:
			w.quote = 0
		case c == '\\' && w.quote != '\'' && i+1 < len(line) && (w.quote == 0 || strings.IndexByte("\"$`\\", line[i+1]) >= 0):
			i++
			w.text += line[i : i+1]
		case w.quote != 0:
			w.text += line[i : i+1]
		case c == '\'' || c == '"':
			w.quote, w.opened = c, len(w.text)
		case c == ' ' || c == '\t':
			if inWord {
				words = append(words, shellText{})
			}
			inWord = false
			continue
		default:
			w.bare = append(w.bare, len(w.text))
			w.text += line[i : i+1]
		}
		inWord = true
	}
	return words
}
