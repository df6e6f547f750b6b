package indexer

import (
	"strings"
	"unicode/utf8"
)

// Most texts are ASCII. The functions of this file do the work of analyzeRunes for ASCII
// texts, without converting letters to runes, and mostly without copying.

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// The kinds of ASCII characters.
const (
	charOther = iota
	charLower
	charUpper
	charDigit
)

var charKinds = func() (kinds [utf8.RuneSelf]uint8) {
	for c := range kinds {
		switch {
		case c >= 'a' && c <= 'z':
			kinds[c] = charLower
		case c >= 'A' && c <= 'Z':
			kinds[c] = charUpper
		case c >= '0' && c <= '9':
			kinds[c] = charDigit
		}
	}
	return kinds
}()

// analyzeASCII is analyzeRunes for a text of ASCII characters.
func analyzeASCII(text string) (tokens, whole []string) {
	tokens = make([]string, 0, 1+len(text)/6)
	for start := 0; start < len(text); {
		if charKinds[text[start]] == charOther {
			start++
			continue
		}
		end := start + 1
		for end < len(text) && charKinds[text[end]] != charOther {
			end++
		}
		tokens, whole = appendRun(text[start:end], tokens, whole)
		start = end
	}
	return tokens, whole
}

// appendRun adds the tokens of an unbroken run of letters and digits.
func appendRun(run string, tokens, whole []string) (newTokens, newWhole []string) {
	first, start := len(tokens), 0
	for i := 1; i < len(run); i++ {
		if boundaryASCII(run, start, i) {
			tokens = append(tokens, tokenASCII(run[start:i]))
			start = i
		}
	}
	tokens = append(tokens, tokenASCII(run[start:]))
	parts := tokens[first:]
	if len(parts) > 1 {
		whole = append(whole, tokenASCII(run))
	}
	if len(run) <= maxToken && (len(parts) > 2 || losesLettersASCII(run)) {
		whole = appendOnTheWay(run, parts, whole)
	}
	return tokens, whole
}

// losesLettersASCII is losesLetters for ASCII letters and digits.
func losesLettersASCII(run string) bool {
	for i := range len(run) - 1 {
		if run[i]|0x20 == 'e' && run[i+1]|0x20 == 's' && (i+2 == len(run) || i > 0 && run[i-1]|0x20 == 'i') {
			return true
		}
	}
	return false
}

// appendOnTheWay adds the incomplete forms that onTheWay lists; parts are the tokens of the
// word.
func appendOnTheWay(run string, parts, whole []string) []string {
	added := len(whole)
	word := tokenASCII(run)
	for end := len(run) - 1; end > 0; end-- {
		start := 0
		for i := 1; i < end; i++ {
			if boundaryASCII(run[:end], start, i) {
				start = i
			}
		}
		last := tokenASCII(run[start:end])
		if !strings.HasPrefix(word, last) && !anyBegins(parts, last) && !anyBegins(whole[added:], last) {
			whole = append(whole, last)
		}
	}
	return whole
}

func anyBegins(tokens []string, beginning string) bool {
	for _, token := range tokens {
		if strings.HasPrefix(token, beginning) {
			return true
		}
	}
	return false
}

// boundaryASCII is boundary for ASCII letters and digits.
func boundaryASCII(run string, start, i int) bool {
	before, here := charKinds[run[i-1]], charKinds[run[i]]
	next := uint8(charOther)
	if i+1 < len(run) {
		next = charKinds[run[i+1]]
	}
	switch {
	case before == charLower && here == charUpper:
		return true
	case before == charUpper && here == charUpper:
		return next == charLower
	case before != charDigit && here == charDigit:
		return next == charDigit
	case before == charDigit && here != charDigit:
		return i-start >= 2 && charKinds[run[start]] == charDigit
	}
	return false
}

// tokenASCII is token for ASCII letters and digits.
func tokenASCII(word string) string {
	if len(word) >= maxToken || strings.ContainsAny(word, "qQ") {
		return token([]rune(word))
	}
	return singular(strings.ToLower(word))
}
