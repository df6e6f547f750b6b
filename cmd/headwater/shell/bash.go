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

// Bash gives a completion function the words of a line cut at colons, parentheses and
// equals signs, and wants back only what follows the last of these. URNs are full of
// them, and have to be quoted. The script that cobra generates cannot do this, so bash
// hands the line over as it is, and we take it apart and quote.

// bashScript is what "completion bash" writes.
const bashScript = `# bash completion for headwater

_headwater() {
    local IFS=$'\n' line directive=
    COMPREPLY=()
    while read -r line; do
        if [[ -z $directive ]]; then directive=$line; else COMPREPLY+=("$line"); fi
    done < <("$1" __bash "$COMP_LINE" "$COMP_POINT" "$COMP_WORDBREAKS" 2>/dev/null)
    [[ $directive == *nospace* ]] && compopt -o nospace
    [[ $directive == *files* ]] && compopt -o default
    return 0
}

complete -F _headwater headwater
`

// A runner executes a command line and returns the exit code.
type runner func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int

// newBash is the command that bashScript calls. It runs a command line that asks for completions.
func newBash(e *cli.Environment, run runner) *cobra.Command {
	return &cobra.Command{
		Use: "__bash LINE POINT WORDBREAKS", Hidden: true, Args: cli.ExactArgs(3), DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			line := []rune(args[0]) // bash counts characters
			point, err := strconv.Atoi(args[1])
			if err != nil || point < 0 || point > len(args[0]) {
				return cli.BadUsage(fmt.Errorf("%q is not a place in the line", args[1]))
			}
			words := parseLine(string(line[:min(point, len(line))])) // it counts bytes in the C locale
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

// replaceBash lets "completion bash" write bashScript.
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

// bashAnswer turns the answer to a request of cobra into the lines that bashScript
// reads: what bash has to do besides, and completions of what bash regards as the word.
func bashAnswer(answer string, current *shellText, breaks string) string {
	lines := strings.Split(strings.TrimRight(answer, "\n"), "\n")
	directive := 0
	if last := lines[len(lines)-1]; strings.HasPrefix(last, ":") {
		directive, _ = strconv.Atoi(last[1:]) // 0 is the default
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

// shellText is a word of a line of a shell.
type shellText struct {
	// text is the word without quotes and escapes.
	text string
	// quote is the quotation mark that is open at the end, 0 for none.
	quote byte
	// opened is how much of the text is before that mark.
	opened int
	// bare are the places in the text of characters that are neither quoted nor escaped.
	bare []int
}

// continued returns what bash puts in the place of the word: of a longer text what
// follows the last character at which bash breaks words, quoted.
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

// escaped puts a backslash before some characters.
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

// parseLine splits a line as bash does. The last word is the one that is being typed;
// it is empty after a blank.
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
