package screen

import (
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// WidthOf returns the width of a stream's screen in columns of text: the environment
// variable COLUMNS if it is set, otherwise the width of the terminal. It returns 0, for no
// limit, if the stream is not a terminal.
func WidthOf(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width returns how many columns of a terminal a text takes.
func width(text string) int { return uniseg.StringWidth(text) }

// ellipsis replaces the cut part of a line.
const ellipsis = "…"

// Cut shortens a line to a width; 0 means no limit.
func Cut(line string, limit int) string {
	if limit <= 0 || width(line) <= limit {
		return line
	}
	var b strings.Builder
	used, state := 0, -1
	for len(line) > 0 {
		var cluster string
		var w int
		cluster, line, w, state = uniseg.FirstGraphemeClusterInString(line, state)
		if used+w > limit-1 {
			break
		}
		used += w
		b.WriteString(cluster)
	}
	return b.String() + ellipsis
}

// CutFront shortens a line at its beginning to a width; 0 means no limit.
func CutFront(line string, limit int) string {
	if limit <= 0 || width(line) <= limit {
		return line
	}
	for state := -1; len(line) > 0 && width(line) > limit-1; {
		_, line, _, state = uniseg.FirstGraphemeClusterInString(line, state)
	}
	return ellipsis + line
}

// Wrap splits a text into lines at blanks. Words that are wider than the limit, such as
// addresses, stay whole. Line breaks and indentations of the text remain. A limit of 0
// means none.
func Wrap(text string, limit int) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		paragraph = strings.TrimRight(strings.ReplaceAll(paragraph, "\t", "    "), " ")
		if limit <= 0 || width(paragraph) <= limit {
			lines = append(lines, paragraph)
			continue
		}
		line := paragraph[:len(paragraph)-len(strings.TrimLeft(paragraph, " "))]
		empty := true
		for word := range strings.FieldsSeq(paragraph) {
			switch {
			case empty:
				line += word
			case width(line)+1+width(word) <= limit:
				line += " " + word
			default:
				lines, line = append(lines, line), word
			}
			empty = false
		}
		lines = append(lines, line)
	}
	return lines
}
