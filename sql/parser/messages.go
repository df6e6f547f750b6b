package parser

import "regexp"

var (
	placeOf = regexp.MustCompile(`^Parse error at line \d+, column \d+: `)
	guard   = regexp.MustCompile(`E_GUARD_([A-Z_]+)_EXCEEDED: value \d+ exceeds configured limit (\d+)`)
)

// messageOf returns the parser's message without the place, which a SyntaxError has, and with the
// parser's limits in words.
func messageOf(message string) string {
	message = placeOf.ReplaceAllString(message, "")
	if m := guard.FindStringSubmatch(message); m != nil {
		if words, known := guards[m[1]]; known {
			return words + " is limited to " + m[2]
		}
	}
	return message
}

var guards = map[string]string{
	"PARSER_DEPTH":           "the nesting of a statement",
	"NESTING_DEPTH":          "the nesting of a statement",
	"AST_DEPTH":              "the length of a chain of operators",
	"FUNCTION_NESTING_DEPTH": "the nesting of function calls",
	"PARENTHESIS_DEPTH":      "the nesting of parentheses",
	"INPUT_TOO_LARGE":        "the length of a statement",
	"TOKEN_BUDGET":           "the number of words",
}
