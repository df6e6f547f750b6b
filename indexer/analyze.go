package indexer

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxToken bounds the bytes of a token. Engines cut longer tokens, each at another length.
const maxToken = 96

// Tokens splits a text into the words that are searched: at every character that is
// not a letter or digit, between camelCase words and around numbers of two digits or
// more. Words are in lower case, without accents and plural endings, and consist only
// of ASCII letters and digits. Han, kana and similar scripts are split into single
// letters.
func Tokens(text string) []string {
	tokens, _ := analyze(text)
	return tokens
}

// IndexTokens returns the tokens that an index stores for a text: the tokens that Tokens
// returns, each whole word that Tokens splits, and each beginning of a word that no other
// token begins with. So a search finds a word by the whole word and by each beginning of
// the word.
func IndexTokens(text string) []string {
	tokens, whole := analyze(text)
	return append(tokens, whole...)
}

// Analyze returns the tokens of a text as Tokens does, and in whole the additional tokens
// of IndexTokens.
func Analyze(text string) (tokens, whole []string) { return analyze(text) }

// Normalize returns the tokens of a text, joined with spaces.
func Normalize(text string) string { return strings.Join(Tokens(text), " ") }

func analyze(text string) (tokens, whole []string) {
	if isASCII(text) {
		return analyzeASCII(text)
	}
	return analyzeRunes(text)
}

// analyzeRunes is analyze for texts that are not ASCII.
func analyzeRunes(text string) (tokens, whole []string) {
	var run []rune
	flush := func() {
		if len(run) == 0 {
			return
		}
		parts := splitRun(run)
		for _, part := range parts {
			tokens = append(tokens, token(part))
		}
		if len(parts) > 1 {
			whole = append(whole, token(run))
		}
		whole = append(whole, onTheWay(run, parts)...)
		run = run[:0]
	}
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r): // an accent
		case standsAlone(r):
			flush()
			tokens = append(tokens, token([]rune{r}))
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			run = append(run, r)
		default:
			flush()
		}
	}
	flush()
	return tokens, whole
}

// onTheWay lists the incomplete forms of a word that are not the beginning of one of its tokens:
// "salari" and "salarie" are not beginnings of "salary", and the incomplete form "aB1" of "aB12"
// has the token "b1", which is not the beginning of any of the tokens "a", "b", "12" and "ab12".
func onTheWay(run []rune, parts [][]rune) []string {
	if len(run) > maxToken || len(parts) < 3 && !losesLetters(run) {
		return nil
	}
	known := []string{token(run)}
	for _, part := range parts {
		known = append(known, token(part))
	}
	var missing []string
	for end := len(run) - 1; end > 0; end-- {
		typed := splitRun(run[:end])
		last := token(typed[len(typed)-1])
		if !slices.ContainsFunc(known, func(t string) bool { return strings.HasPrefix(t, last) }) {
			known, missing = append(known, last), append(missing, last)
		}
	}
	return missing
}

// losesLetters reports whether a beginning of a word may lose more than an "s" as a
// plural, so that its token is not the beginning of the word's token.
func losesLetters(run []rune) bool {
	word := strings.ToLower(string(run))
	return strings.Contains(word, "ies") || strings.HasSuffix(word, "es")
}

// standsAlone reports whether a letter belongs to a script without spaces between
// words.
func standsAlone(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer)
}

// splitRun splits an unbroken run of letters and digits into words.
func splitRun(run []rune) [][]rune {
	var parts [][]rune
	start := 0
	for i := 1; i < len(run); i++ {
		if boundary(run, start, i) {
			parts = append(parts, run[start:i])
			start = i
		}
	}
	return append(parts, run[start:])
}

// boundary reports whether the word that begins at start ends before position i of the run.
func boundary(run []rune, start, i int) bool {
	before, here := run[i-1], run[i]
	switch {
	case unicode.IsLower(before) && unicode.IsUpper(here):
		return true
	case unicode.IsUpper(before) && unicode.IsUpper(here):
		return i+1 < len(run) && unicode.IsLower(run[i+1]) // the last capital of "HTTPServer" begins a word
	case !unicode.IsDigit(before) && unicode.IsDigit(here):
		return i+1 < len(run) && unicode.IsDigit(run[i+1]) // a number of at least two digits begins a word
	case unicode.IsDigit(before) && !unicode.IsDigit(here):
		return i-start >= 2 && unicode.IsDigit(run[start])
	}
	return false
}

// folded replaces letters that do not decompose into a letter and an accent by ASCII letters.
var folded = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ı", "i", "þ", "th", "ð", "d")

// token writes a word in ASCII letters and digits, which both engines leave unchanged.
func token(word []rune) string {
	var b strings.Builder
	for _, r := range singular(folded.Replace(strings.ToLower(string(word)))) {
		switch {
		case r == 'q': // a plain q would look like an encoded letter, which begins with q
			b.WriteString("qq")
		case r < unicode.MaxASCII:
			b.WriteRune(r)
		default:
			// The fixed length keeps the beginning of a word the beginning of its token.
			hex := strconv.FormatInt(int64(r), 16)
			b.WriteString("q" + strings.Repeat("0", max(0, 5-len(hex))) + hex)
		}
		if b.Len() >= maxToken {
			break
		}
	}
	return b.String()
}

// singular removes the ending of English plurals, as Harman's S stemmer does, and the whole
// "es" after a sibilant.
func singular(word string) string {
	if len(word) < 4 {
		return word
	}
	stem := func(n int) string { return word[:len(word)-n] }
	switch {
	case !strings.HasSuffix(word, "s"), strings.HasSuffix(word, "ss"), strings.HasSuffix(word, "us"), strings.HasSuffix(word, "is"):
		return word
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return stem(3) + "y"
	case strings.HasSuffix(word, "sses"), strings.HasSuffix(word, "xes"), strings.HasSuffix(word, "ches"), strings.HasSuffix(word, "shes"):
		return stem(2)
	}
	return stem(1)
}
