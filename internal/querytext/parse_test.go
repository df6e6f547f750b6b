package querytext_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/querytext"
)

// TestParse compares trees. A tree is written with every AND, and with every parenthesis
// that it needs.
func TestParse(t *testing.T) {
	for query, want := range map[string]string{
		"":                               "",
		"   ":                            "",
		"*":                              "*",
		"orders":                         "orders",
		"orders daily":                   "orders AND daily",
		"orders AND daily && new":        "orders AND daily AND new",
		"a OR b":                         "a OR b",
		"a || b OR c":                    "a OR b OR c",
		"a b OR c d":                     "a AND b OR c AND d",
		"a (b OR c) d":                   "a AND (b OR c) AND d",
		"((a))":                          "a",
		"(a b) c":                        "a AND b AND c",
		"(a OR b) OR c":                  "a OR b OR c",
		"NOT a b":                        "NOT a AND b",
		"-a !b":                          "NOT a AND NOT b",
		"-(a OR b)":                      "NOT (a OR b)",
		"NOT (a b)":                      "NOT (a AND b)",
		"NOT NOT a":                      "a",
		"+a +b":                          "a AND b",
		"or and not":                     "or AND and AND not",
		`"OR" \AND`:                      `"OR" AND \AND`,
		`"orders daily"`:                 `"orders daily"`,
		`"say \"hi\" \\ \n"`:             `"say \"hi\" \\ \\n"`,
		`k:"urn\:li\:x\:\(a,b\)"`:        `k:"urn:li:x:(a,b)"`,
		`"a\ b\*"`:                       `"a b*"`,
		`a"b"c`:                          `a AND "b" AND c`,
		"user+transaction":               `user\+transaction`,
		"fct_users.created-at":           `fct_users.created\-at`,
		"revenue*":                       "revenue*",
		"revenue_*":                      "revenue_*",
		`2\*3`:                           `2\*3`,
		"(a OR b*)":                      "a OR b*",
		"tag:PII":                        "tag:PII",
		"tag: PII":                       "tag:PII",
		"tag:*":                          "tag:*",
		"tag:P*":                         "tag:P*",
		"NOT tag:PII":                    "NOT tag:PII",
		`name:"daily orders"`:            `name:"daily orders"`,
		"tag:(PII OR GDPR)":              "tag:PII OR tag:GDPR",
		"tag:(a b) c":                    "tag:a AND tag:b AND c",
		"tag:(a -b)":                     "tag:a AND NOT tag:b",
		"url:http://x/y":                 `url:http\://x/y`,
		"rowCount:-1":                    `rowCount:\-1`,
		`"Retention days":30`:            `"Retention days":30`,
		"io.acme.retention:30":           "io.acme.retention:30",
		"urn:li:tag:PII":                 `urn\:li\:tag\:PII`,
		"tags:urn:li:tag:PII":            `tags:urn\:li\:tag\:PII`,
		"tags:(urn:li:tag:A OR b)":       `tags:urn\:li\:tag\:A OR tags:b`,
		"urn:urn:li:tag:A":               `"urn":urn\:li\:tag\:A`,
		"(urn:li:dataset:(urn:a:b,c,D))": `urn\:li\:dataset\:\(urn\:a\:b,c,D\)`,
		"tags:urn:li:tag:P*":             `tags:urn\:li\:tag\:P*`,
		`urn\:li\:tag\:PII`:              `urn\:li\:tag\:PII`,
		"日本 OR Größe":                    "日本 OR Größe",
	} {
		tree, err := querytext.Parse("/q " + query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		if got := querytext.Text(tree); got != want {
			t.Errorf("%s is read as %s, want %s", query, got, want)
		}
	}
}

// TestTerms: the text, the options and the places of terms.
func TestTerms(t *testing.T) {
	tree, err := querytext.Parse(`/q ö name:"a b" -tag:P*`)
	if err != nil {
		t.Fatal(err)
	}
	want := querytext.And{
		&querytext.Term{Text: "ö", At: 3},
		&querytext.Term{Field: "name", FieldAt: 6, Text: "a b", Quoted: true, At: 11},
		querytext.Not{Part: &querytext.Term{Field: "tag", FieldAt: 18, Text: "P", Prefix: true, At: 22}},
	}
	if diff := cmp.Diff(querytext.Node(want), tree); diff != "" {
		t.Error(diff)
	}
}

func TestIsStructured(t *testing.T) {
	for input, want := range map[string]bool{
		"/q orders": true, "/q ": true, " \\/q a": true, `\\/q a`: true, "/q\ta": true,
		"/q": false, "/queue": false, "orders /q x": false, "q x": false, "": false,
	} {
		if got := querytext.IsStructured(input); got != want {
			t.Errorf("%q: %v", input, got)
		}
	}
}

// TestStructure: the inputs that Structure converts.
func TestStructure(t *testing.T) {
	for _, input := range []string{
		`a:"b" OR c:"d"`, `(a:"b" AND -c.keyword:"d")`, "a OR b", "-a", "NOT a", "a -b", "a:b c", `"a b" c`, "/q a", "(a b) OR c",
	} {
		if got := querytext.Structure(input); got != "/q "+strings.TrimPrefix(input, "/q ") {
			t.Errorf("%s: %s", input, got)
		}
	}
	for _, input := range []string{"", "*", "a", "a b", "a:b", `a:"b c"`, "urn:li:tag:a", "(a OR", "a (b", `"a b"`, "a ?", "(a b)", "urn:li:dataset:(urn:li:dataPlatform:hive,a,PROD)"} {
		if got := querytext.Structure(input); got != input {
			t.Errorf("%s: %s", input, got)
		}
	}
}

// TestErrors: the reasons of errors and their characters.
func TestErrors(t *testing.T) {
	for query, want := range map[string]string{
		"(orders":                      "at character 4 ((orders): the parenthesis is not closed",
		"orders)":                      "at character 10 ()): nothing opens this parenthesis",
		"()":                           "at character 5 ()): a word is missing",
		"a OR":                         "at its end (character 8): a word is missing",
		"AND a":                        "at character 4 (AND a): a word is missing before the operator",
		"a AND OR b":                   "at character 10 (OR b): a word is missing before the operator",
		"NOT":                          "at its end (character 7): a word is missing",
		"sales - marketing":            "at character 10 (- marketing): nothing follows the -",
		"a +":                          "at character 6 (+): nothing follows the +",
		"(a -)":                        "at character 7 (-)): nothing follows the -",
		`ö "open`:                      `at character 6 ("open): the closing quotes are missing`,
		`a "" b`:                       `at character 6 ("" b): the quotes are empty`,
		`"a b"*`:                       `at character 9 (*): a * may stand only at the end of a word`,
		"*orders":                      "at character 4 (*orders): a * may stand only at the end of a word",
		"or*ders":                      "at character 6 (*ders): a * may stand only at the end of a word",
		"te?t":                         "at character 6 (?t): ? has no meaning in a query",
		"roam~":                        "at character 8 (~): ~ has no meaning in a query",
		"rowCount:[1 TO 5]":            "at character 13 ([1 TO 5]): [ has no meaning in a query",
		":x":                           "at character 4 (:x): the name of a field is missing",
		"tag:":                         "at its end (character 8): the value of the field tag is missing",
		"tag:)":                        "at character 8 ()): the value of the field tag is missing",
		"tag:OR":                       "at character 8 (OR): the value of the field tag is missing",
		"tag:(a name:b)":               "at character 11 (name:b)): the values of the field tag contain another field",
		`orders\`:                      `at character 10 (\): a \ must be followed`,
		"urn:li:dataset:(a,b":          "at character 4 (urn:li:dataset:(a,b): a parenthesis of the URN is not closed",
		strings.Repeat("(", 30):        "at character 24 (((((((((((): the query is nested more than 20 levels deep",
		strings.Repeat("-", 30) + "a":  "the query is nested more than 20 levels deep",
		strings.Repeat("word ", 101):   "the query has more than 100 terms",
		"(" + strings.Repeat("ä", 100): "at character 4 ((" + strings.Repeat("ä", 28) + "…): the parenthesis is not closed",
		"tag:(" + strings.Repeat("a ", 101) + ")": "more than 100 terms",
	} {
		_, err := querytext.Parse("/q " + query)
		var wrong *querytext.Error
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want …%s…", query, err, want)
		}
	}
}

var withoutPlaces = cmpopts.IgnoreFields(querytext.Term{}, "At", "FieldAt")

// FuzzParse: the parser never panics, the place of an error is in the input, and the text
// of a tree parses to the same tree.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"a b OR -c", `"a b" (c OR d*)`, "tag:(a OR b) -name:x", "urn:li:dataset:(urn:li:x:y,z,P)", `"Retention days":30 \AND`, "urn:urn:li:tag:A",
		"-(-(a b) OR !c)", "\xff*", "a\u2003b", `a\ b\`, "*", "&& || &", "x:(y:z)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		if len(query) > limits.MaxQueryBytes {
			t.Skip()
		}
		input := "/q " + query
		tree, err := querytext.Parse(input)
		if err != nil {
			var wrong *querytext.Error
			if !errors.As(err, &wrong) || wrong.Character < 1 || wrong.Character > len([]rune(input))+1 || wrong.Reason == "" {
				t.Fatalf("%q: %v", query, err)
			}
			return
		}
		written := querytext.Text(tree)
		reparsed, err := querytext.Parse("/q " + written)
		if err != nil {
			t.Fatalf("%q, written as %q: %v", query, written, err)
		}
		if diff := cmp.Diff(tree, reparsed, withoutPlaces); diff != "" {
			t.Fatalf("%q, written as %q:\n%s", query, written, diff)
		}
	})
}
