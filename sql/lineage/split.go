package lineage

import (
	"regexp"
	"strings"
)

// part is a part of a script between two semicolons, and the line on which it begins.
type part struct {
	text string
	line int
}

// quoting is how a dialect writes comments and strings.
type quoting struct{ backslash, hash, brackets, dollar bool }

func quotingOf(dialect string) quoting {
	var q quoting
	switch dialect {
	case "mysql", "bigquery", "clickhouse", "tidb", "singlestore", "starrocks", "doris":
		q = quoting{backslash: true, hash: dialect != "clickhouse"}
	case "hive", "spark", "databricks", "athena":
		q = quoting{backslash: true}
	case "snowflake":
		q = quoting{backslash: true, dollar: true}
	case "postgresql", "redshift", "duckdb", "cockroachdb", "materialize", "risingwave":
		q = quoting{dollar: true}
	case "tsql", "fabric", "sqlite":
		q = quoting{brackets: true}
	}
	return q
}

// splitter cuts a script at its semicolons, except those in strings, names, comments and bodies of
// routines.
type splitter struct {
	script  string
	quoting quoting
	at      int
	begin   int
	line    int
	// depth counts BEGIN … END around the place, in a statement that makes a routine.
	depth   int
	routine bool
	words   []string
	parts   []part
}

func split(script, dialect string) []part {
	s := &splitter{script: script, quoting: quotingOf(dialect), line: 1}
	for s.at < len(s.script) {
		s.step()
	}
	s.end()
	return s.parts
}

func (s *splitter) rest() string { return s.script[s.at:] }

func (s *splitter) step() {
	rest := s.rest()
	switch c := rest[0]; {
	case strings.HasPrefix(rest, "--"), c == '#' && s.quoting.hash:
		s.through("\n")
	case strings.HasPrefix(rest, "/*"):
		s.at += 2
		s.through("*/")
	case c == '\'', c == '"', c == '`':
		s.quoted(c)
	case c == '[' && s.quoting.brackets:
		s.through("]")
	case c == '$' && s.quoting.dollar:
		s.dollar()
	case c == ';' && s.depth == 0:
		s.end()
		s.at++
		s.begin = s.at
	case isWord(c):
		s.word()
	default:
		s.at++
	}
}

// through moves behind the next end, or to the end of the script.
func (s *splitter) through(end string) {
	i := strings.Index(s.rest(), end)
	if i < 0 {
		s.at = len(s.script)
		return
	}
	s.at += i + len(end)
}

func (s *splitter) quoted(quote byte) {
	if triple := strings.Repeat(string(quote), 3); s.quoting.backslash && s.quoting.hash && strings.HasPrefix(s.rest(), triple) {
		s.at += 3
		s.through(triple)
		return
	}
	for s.at++; s.at < len(s.script); s.at++ {
		switch {
		case s.script[s.at] == '\\' && s.quoting.backslash && quote != '`':
			s.at++
		case s.script[s.at] == quote:
			s.at++
			return
		}
	}
	s.at = min(s.at, len(s.script))
}

var dollarTag = regexp.MustCompile(`^\$[A-Za-z_]*[A-Za-z0-9_]*\$`)

func (s *splitter) dollar() {
	tag := dollarTag.FindString(s.rest())
	if tag == "" {
		s.at++
		return
	}
	s.at += len(tag)
	s.through(tag)
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

var routines = map[string]bool{"procedure": true, "function": true, "trigger": true, "package": true, "event": true}

// word reads a word. BEGIN and CASE open a block of a routine, END closes it.
func (s *splitter) word() {
	from := s.at
	for s.at < len(s.script) && isWord(s.script[s.at]) {
		s.at++
	}
	word := strings.ToLower(s.script[from:s.at])
	if len(s.words) < 6 {
		s.words = append(s.words, word)
	}
	if s.words[0] == "create" && routines[word] && len(s.words) < 6 {
		s.routine = true
	}
	if !s.routine {
		return
	}
	switch word {
	case "begin", "case":
		s.depth++
	case "end":
		next := strings.ToLower(strings.TrimLeft(s.rest(), " \t\r\n"))
		for _, block := range []string{"if", "loop", "while", "for", "repeat"} {
			if strings.HasPrefix(next, block) {
				return
			}
		}
		s.depth = max(0, s.depth-1)
	}
}

// end ends a part, unless it has comments and white space only.
func (s *splitter) end() {
	text := s.script[s.begin:s.at]
	line := s.line
	s.line += strings.Count(text, "\n")
	s.routine, s.depth = false, 0
	if len(s.words) == 0 && strings.TrimSpace(text) == "" || len(s.words) == 0 && !strings.ContainsAny(text, "\"`'(") {
		s.words = nil
		return
	}
	s.words = nil
	trimmed := strings.TrimLeft(text, " \t\r\n")
	line += strings.Count(text[:len(text)-len(trimmed)], "\n")
	s.parts = append(s.parts, part{strings.TrimRight(trimmed, " \t\r\n"), line})
}

var templatePart = regexp.MustCompile(`\{\{|\{%|\{#`)

// template finds the first part of a template of Jinja: its line and its text.
func template(text string) (line int, what string, found bool) {
	at := templatePart.FindStringIndex(text)
	if at == nil {
		return 0, "", false
	}
	line = 1 + strings.Count(text[:at[0]], "\n")
	return line, lineAt(text, line), true
}

// shownBytes is how much of a line a problem shows.
const shownBytes = 200

// lineAt returns a line of a text, shortened.
func lineAt(text string, line int) string {
	for ; line > 1; line-- {
		_, after, found := strings.Cut(text, "\n")
		if !found {
			break
		}
		text = after
	}
	text, _, _ = strings.Cut(text, "\n")
	text = strings.TrimSpace(text)
	if len(text) > shownBytes {
		text = strings.ToValidUTF8(text[:shownBytes], "") + "…"
	}
	return text
}

// firstWord returns the first word of a statement in lower case, which names its kind.
func firstWord(text string) string {
	for strings.HasPrefix(text, "--") || strings.HasPrefix(text, "/*") {
		end := "\n"
		if text[0] == '/' {
			end = "*/"
		}
		_, after, _ := strings.Cut(text, end)
		text = strings.TrimLeft(after, " \t\r\n(")
	}
	for i := range len(text) {
		if !isWord(text[i]) {
			text = text[:i]
			break
		}
	}
	return strings.ToLower(text)
}
