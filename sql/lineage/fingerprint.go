package lineage

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"github.com/headwater-io/headwater/sql/parser"
)

// Fingerprint returns a SHA-256 in hexadecimal that is the same for statements that differ only in literals, in
// parameters, in how many literals a list of IN or rows of VALUES have, in comments, in white space, and in the case of
// words that have no quotes. In dialects in which the names of tables have letter case, only the case of keywords is
// ignored. dialect is a name that parser.DialectOf knows; the words of an unknown dialect have letter case.
func Fingerprint(text, dialect string) string {
	sum := sha256.Sum256([]byte(normal(text, dialect)))
	return hex.EncodeToString(sum[:])
}

// literal stands for a literal or a parameter.
const literal = "?"

// normal returns the tokens of a statement, with literals replaced.
func normal(text, dialect string) string {
	known, _ := parser.DialectOf(dialect)
	n := &normalizer{splitter: splitter{script: text, quoting: quotingOf(known)}}
	switch known {
	case "mysql", "tidb", "singlestore", "starrocks", "doris", "hive", "spark", "databricks", "bigquery":
		n.doubleIsText = true
	}
	switch known {
	case "", "mysql", "tidb", "singlestore", "starrocks", "doris", "bigquery", "clickhouse":
		n.cased = true
	}
	for n.at < len(n.script) {
		n.token()
	}
	for len(n.tokens) > 0 && n.tokens[len(n.tokens)-1] == ";" {
		n.tokens = n.tokens[:len(n.tokens)-1]
	}
	return strings.Join(n.tokens, " ")
}

// normalizer cuts a statement into tokens. doubleIsText: double quotes are around text, not names. cased: names have
// letter case.
type normalizer struct {
	splitter
	doubleIsText, cased bool
	tokens              []string
}

var (
	number    = regexp.MustCompile(`^(?:0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)`)
	parameter = regexp.MustCompile(`^(?:\?|\$\d+|:\w+|%s|%\(\w+\)s|@[pP]\d+\b|\{\w+:\s*\w+\})`)
)

func (n *normalizer) token() {
	rest, from := n.rest(), n.at
	c := rest[0]
	switch {
	case c == ' ', c == '\t', c == '\r', c == '\n':
		n.at++
	case strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "/*"), c == '#' && n.quoting.hash:
		n.step()
	case c == '\'', c == '"' && n.doubleIsText, c == '$' && n.quoting.dollar && dollarTag.MatchString(rest):
		n.step()
		n.literal()
	case c == '"', c == '`', c == '[' && n.quoting.brackets:
		n.step()
		n.tokens = append(n.tokens, n.script[from:n.at])
	case strings.HasPrefix(rest, "::"):
		n.at += 2
		n.tokens = append(n.tokens, "::")
	case c >= '0' && c <= '9', c == '.' && number.MatchString(rest) && !n.afterName():
		n.at += max(1, len(number.FindString(rest)))
		n.literal()
	case parameter.MatchString(rest) && (c != ':' && c != '%' || !n.afterName()): // after a name, a colon begins a path
		n.at += len(parameter.FindString(rest))
		n.literal()
	case isWord(c):
		for n.at < len(n.script) && isWord(n.script[n.at]) {
			n.at++
		}
		n.tokens = append(n.tokens, n.spelled(n.script[from:n.at]))
	case c == ')':
		n.at++
		n.closed()
	default:
		n.at++
		n.tokens = append(n.tokens, rest[:1])
	}
}

// spelled returns a word in the case in which words are compared.
func (n *normalizer) spelled(word string) string {
	if lower := strings.ToLower(word); !n.cased || keywords[lower] {
		return lower
	}
	return word
}

// literal adds a literal or a parameter. A sign before it is a part of it.
func (n *normalizer) literal() {
	if last := len(n.tokens) - 1; last >= 0 && (n.tokens[last] == "-" || n.tokens[last] == "+") && !n.isOperand(last-1) {
		n.tokens = n.tokens[:last]
	}
	n.tokens = append(n.tokens, literal)
}

// isOperand reports whether a token ends an operand, so that a sign after it is an operator.
func (n *normalizer) isOperand(i int) bool {
	if i < 0 {
		return false
	}
	token := n.tokens[i]
	if token == ")" || token == literal || strings.ContainsAny(token[:1], "\"`[") {
		return true
	}
	return isWord(token[0]) && !keywords[strings.ToLower(token)]
}

// afterName reports whether the last token is a name, after which a point is not a part of a number.
func (n *normalizer) afterName() bool { return n.isOperand(len(n.tokens) - 1) }

// closed adds a closing parenthesis. A list of literals after IN, and the rows of VALUES, become one literal in
// parentheses.
func (n *normalizer) closed() {
	open := len(n.tokens) - 1
	for open >= 0 && (n.tokens[open] == literal || n.tokens[open] == ",") {
		open--
	}
	n.tokens = append(n.tokens, ")")
	if open < 1 || n.tokens[open] != "(" || open == len(n.tokens)-2 {
		return
	}
	switch before := strings.ToLower(n.tokens[open-1]); {
	case before == "in", before == "values":
		n.tokens = append(n.tokens[:open], "(", literal, ")")
	case before == "," && open >= 5 && strings.EqualFold(strings.Join(n.tokens[open-5:open], " "), "values ( ? ) ,"):
		n.tokens = n.tokens[:open-1]
	}
}

// keywords are words after which a sign belongs to the number, and whose letter case never counts.
var keywords = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`add all alter and any as asc between by case cast create cross delete desc distinct drop
		else end escape except exists false fetch first for from full group having if ilike in inner insert intersect interval into
		is join lateral left like limit merge natural not null offset on or order outer over partition qualify recursive replace
		returning right row rows select set some table temp temporary then true union unnest update using values view when where
		window with`) {
		set[word] = true
	}
	return set
}()
