package model

import (
	"encoding/json"
	"iter"
	"math"
	"strconv"
	"strings"
)

// StructuredValues returns the values of an entity's structured properties as texts, by the
// id of the property. It returns nil for other aspects than structuredProperties. Numbers
// have the shortest exact form, such as 30 for 30.0.
func StructuredValues(v *Value) map[string][]string {
	if v.Aspect.Name != AspectStructuredProperties {
		return nil
	}
	values := map[string][]string{}
	for urn, text := range EachStructuredValue(v) {
		if u, err := ParseURN(urn); err == nil {
			values[u.Key()] = append(values[u.Key()], text)
		}
	}
	return values
}

// EachStructuredValue yields the values in an aspect structuredProperties: the URN of the
// property in the written spelling, and the value as text.
func EachStructuredValue(v *Value) iter.Seq2[string, string] {
	return func(yield func(urn, text string) bool) {
		properties, _ := v.Tree["properties"].([]any)
		for _, item := range properties {
			assignment, _ := item.(map[string]any)
			urn, _ := assignment["propertyUrn"].(string)
			list, _ := assignment["values"].([]any)
			for _, value := range list {
				member, _ := value.(map[string]any)
				for _, scalar := range member { // the only member of a union
					if text, ok := StructuredText(scalar); ok && !yield(urn, text) {
						return
					}
				}
			}
		}
	}
}

// StructuredText returns the text of a structured property's value, which is a string or a
// number. Numbers have the form of [StructuredValues].
func StructuredText(scalar any) (string, bool) {
	switch scalar := scalar.(type) {
	case string:
		return scalar, true
	case json.Number:
		return NumberText(string(scalar))
	}
	return "", false
}

// NumberText returns a number in the form of [StructuredValues]. It returns false if the
// text is not a number.
func NumberText(text string) (string, bool) {
	f, ok := Number(text)
	if !ok {
		return "", false
	}
	return strconv.FormatFloat(f, 'f', -1, 64), true
}

// Number parses a finite number. Blanks around it are permitted.
func Number(text string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}
