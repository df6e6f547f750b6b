package catalogtest

import (
	"regexp"
	"strings"
)

// urnTypes are the types of a URN and of those in its key.
var urnTypes = regexp.MustCompile(`urn:li:\w+`)

// OtherLetters writes the types of a URN in other letters.
func OtherLetters(urn string) string {
	return urnTypes.ReplaceAllStringFunc(urn, func(typed string) string {
		const begin = len("urn:li:") + 1
		return typed[:begin] + strings.ToUpper(typed[begin:])
	})
}
