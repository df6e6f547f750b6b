package catalogtest

import (
	"regexp"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// URN reads the URN of an entity as the catalog does. It panics if there is
// something wrong with it.
func URN(text string) model.URN {
	u, err := model.Default().ReadURN(strings.TrimSpace(text))
	if err != nil {
		panic(err)
	}
	return u
}

// URNs reads several.
func URNs(texts ...string) []model.URN {
	urns := make([]model.URN, len(texts))
	for i, text := range texts {
		urns[i] = URN(text)
	}
	return urns
}

// urnTypes are the types of a URN and of those in its key.
var urnTypes = regexp.MustCompile(`urn:li:\w+`)

// OtherLetters writes the types of a URN in other letters.
func OtherLetters(urn string) string {
	return urnTypes.ReplaceAllStringFunc(urn, func(typed string) string {
		const begin = len("urn:li:") + 1
		return typed[:begin] + strings.ToUpper(typed[begin:])
	})
}
