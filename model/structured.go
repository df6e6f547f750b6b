package model

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// StructuredValues returns the values of an entity's structured properties, as text
// by the id of the property; nil for other aspects than structuredProperties.
// Numbers have the shortest form in which they are exact, such as 30 for 30.0.
func StructuredValues(v *Value) map[string][]string {
	if v.Aspect.Name != AspectStructuredProperties {
		return nil
	}
	properties, _ := v.Tree["properties"].([]any)
	values := make(map[string][]string, len(properties))
	for _, item := range properties {
		assignment, _ := item.(map[string]any)
		urn, _ := assignment["propertyUrn"].(string)
		u, err := ParseURN(urn)
		if err != nil {
			continue
		}
		list, _ := assignment["values"].([]any)
		for _, value := range list {
			member, _ := value.(map[string]any)
			for _, scalar := range member {
				if text, ok := StructuredText(scalar); ok {
					values[u.Key()] = append(values[u.Key()], text)
				}
			}
		}
	}
	return values
}

// StructuredText is the text of a value of a structured property: a string, or a
// number in the form of [StructuredValues].
func StructuredText(scalar any) (string, bool) {
	switch scalar := scalar.(type) {
	case string:
		return scalar, true
	case json.Number:
		return NumberText(string(scalar))
	}
	return "", false
}

// NumberText is the form of a number in [StructuredValues]; false if the text is not
// a number.
func NumberText(text string) (string, bool) {
	f, ok := Number(text)
	if !ok {
		return "", false
	}
	return strconv.FormatFloat(f, 'f', -1, 64), true
}

// Number reads a finite number, with or without blanks around it.
func Number(text string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}
