package indexer

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/internal/testing/testsize"
)

func TestTokens(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"prod_db.fct_users_created":      "prod db fct user created",
		"dimCustomerAddress":             "dim customer address",
		"HTTPServerLog2024":              "http server log 2024",
		"s3":                             "s3",
		"orders2":                        "orders2",
		"orders23":                       "order 23",
		"2024-01-31":                     "2024 01 31",
		"Größe, STRASSE & café":          "grosse strasse cafe",
		"categories addresses boxes bus": "category address box bus",
		"status analysis":                "status analysis",
		"日本 テーブル":                        "q065e5 q0672c q030c6 q030fc q030d5 q030eb",
		"заказы":                         "q00437q00430q0043aq00430q00437q0044b",
		"sql queries q1 é":               "sqql qquery qq1 e",
		"a.b  c--d":                      "a b c d",
		"!!! `\" ' () && ||":             "",
		"ｆｕｌｌ ｗｉｄｔｈ":                     "full width",
		"e\u0301":                        "e",
	} {
		if diff := cmp.Diff(want, Normalize(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	if got := strings.Join(IndexTokens("fctUsers"), " "); got != "fct user fctuser" {
		t.Errorf("in one piece too: %q", got)
	}
	if long := Tokens(strings.Repeat("x", 500)); len(long) != 1 || len(long[0]) > maxToken+6 {
		t.Errorf("a long word: %q", long)
	}
}

// TestLettersOfOtherScripts: a word typed in Latin letters is never the beginning of a word
// of another script, however the index writes that word.
func TestLettersOfOtherScripts(t *testing.T) {
	for _, typed := range []string{"q", "q0", "q065e5", "Q04"} {
		token := Tokens(typed)[0]
		for _, other := range []string{"日本", "заказы", "テーブル", "π"} {
			for _, indexed := range IndexTokens(other) {
				if strings.HasPrefix(indexed, token) {
					t.Errorf("%q begins %q of %q", typed, indexed, other)
				}
			}
		}
	}
}

// FuzzTokens: tokens of any text consist of lower-case ASCII letters and digits only. Letter
// case does not matter in ASCII.
func FuzzTokens(f *testing.F) {
	for _, text := range []string{"prod_db.fctUsers", "日本語", "a\x00b", "\xff\xfe", "ＡＢ", "İstanbul", "ǅ", "🙂"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, token := range IndexTokens(text) {
			if token == "" {
				t.Errorf("%q has an empty token", text)
			}
			for i := range len(token) {
				if c := token[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
					t.Errorf("%q has the token %q", text, token)
				}
			}
		}
		if utf8.ValidString(text) && Normalize(text) != Normalize(strings.ToUpper(strings.ToLower(text))) && text == strings.ToLower(text) && isASCII(text) {
			t.Errorf("%q: letter case matters", text)
		}
	})
}

// TestASCIIAgrees: the function for ASCII texts and the one for all texts return the same
// tokens.
func TestASCIIAgrees(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	letters := "aeisqxyBCSQ129__. -\x00\x7f"
	for range testsize.Of(20_000, 200_000) {
		text := make([]byte, random.IntN(20))
		for i := range text {
			text[i] = letters[random.IntN(len(letters))]
		}
		if random.IntN(100) == 0 {
			text = []byte(strings.Repeat(string(text), 20))
		}
		tokens, whole := analyzeASCII(string(text))
		wantTokens, wantWhole := analyzeRunes(string(text))
		if !slices.Equal(tokens, wantTokens) || !slices.Equal(whole, wantWhole) {
			t.Fatalf("%q: %q and %q, want %q and %q", text, tokens, whole, wantTokens, wantWhole)
		}
	}
}

// TestEveryBeginningIsFound: the index tokens of a word match each beginning of the word as
// a query. The last token of the query matches as a beginning, the others match whole.
func TestEveryBeginningIsFound(t *testing.T) {
	words := []string{"salaries", "seriesofnames", "ebfab24", "00ebfab24", "xAb12", "xABCd", "boxes", "classes", "HTTPServerLog2024", "a1b22C3dd44", "addresses", "ties", "busses", "Größen"}
	random := rand.New(rand.NewPCG(1, 2))
	for range testsize.Of(2_000, 20_000) {
		letters := []rune("aeisxyBS129")
		word := make([]rune, 1+random.IntN(12))
		for i := range word {
			word[i] = letters[random.IntN(len(letters))]
		}
		words = append(words, string(word))
	}
	for _, word := range words {
		index := IndexTokens(word)
		for end := range word {
			if end > 0 && !found(index, Tokens(word[:end])) {
				t.Errorf("%q, typed on the way to %q, has the tokens %q, which %q do not answer", word[:end], word, Tokens(word[:end]), index)
			}
		}
	}
}

func found(index, typed []string) bool {
	for i, token := range typed {
		last := i == len(typed)-1
		if !slices.ContainsFunc(index, func(t string) bool { return t == token || last && strings.HasPrefix(t, token) }) {
			return false
		}
	}
	return true
}
