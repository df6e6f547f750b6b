package catalogtest

import (
	"regexp"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// URN reads a URN as the doors of the server do. It panics when a test made a
// mistake.
func URN(text string) model.URN {
	u, err := model.Default().ReadURN(strings.TrimSpace(text))
	if err != nil {
		panic(err)
	}
	return u
}

// URNs reads several URNs.
func URNs(texts ...string) []model.URN {
	urns := make([]model.URN, len(texts))
	for i, text := range texts {
		urns[i] = URN(text)
	}
	return urns
}

// urnTypes matches the types of a URN and of the URNs in its key.
var urnTypes = regexp.MustCompile(`urn:li:\w+`)

// OtherLetters writes the types of a URN in other letters.
func OtherLetters(urn string) string {
	return urnTypes.ReplaceAllStringFunc(urn, func(typed string) string {
		const begin = len("urn:li:") + 1
		return typed[:begin] + strings.ToUpper(typed[begin:])
	})
}

// bare are the keys of one part, of URNs inside others.
var bare = regexp.MustCompile(`(urn:li:\w+:)([^(),]+)`)

// Odd writes a URN in an unusual way: its types in other letters, keys of one
// part in parentheses, and blanks around it.
func Odd(urn string) string {
	return " " + bare.ReplaceAllString(OtherLetters(urn), "$1($2)") + "\t"
}
