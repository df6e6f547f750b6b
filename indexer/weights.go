package indexer

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// TextClass groups texts by the weight of a hit in them, and by who may search them.
type TextClass int

// The classes, most important first.
const (
	TextName TextClass = iota
	TextMajor
	TextBody
	// TextLabels has the words of the labels of an entity: its tags, terms and domains.
	TextLabels
	// TextReferences has the words of the other entities that an entity names.
	TextReferences
	// TextPrivileged has the words of the entities that hardly anybody may read, see [IsPrivileged].
	TextPrivileged
	TextMinor
	TextClasses // the number of classes
)

// Closed reports whether the class is closed: a query can leave it out, because some callers may not search it.
func (c TextClass) Closed() bool { return c >= TextLabels && c <= TextPrivileged }

// Weights are the weights of a hit in each class.
var Weights = [TextClasses]int{10, 5, 2, 2, 2, 2, 1}

// ClassSet is a set of closed classes of text.
type ClassSet uint8

// With returns the set with one class more.
func (s ClassSet) With(class TextClass) ClassSet { return s | 1<<class }

// Has reports whether a class is in the set.
func (s ClassSet) Has(class TextClass) bool { return s&(1<<class) != 0 }

// LabelTypes are the entity types whose names are words of the class [TextLabels].
func LabelTypes() []string {
	return []string{model.EntityTag, model.EntityGlossaryTerm, model.EntityGlossaryNode, model.EntityDomain}
}

// IsPrivileged reports whether the right to read entities of a type is granted apart from the right to read
// others. Hardly anybody has it.
func IsPrivileged(entityType string) bool {
	switch entityType {
	case model.EntityDataHubSecret, model.EntityDataHubAccessToken, model.EntityDataHubPolicy, model.EntityDataHubRole, model.EntityGlobalSettings:
		return true
	}
	return false
}

const urnBegin = "urn:"

// NamesAny reports whether a value of a document is the URN of an entity, or a browse path with one, and contains one of
// the texts.
func NamesAny(value string, texts []string) bool {
	if len(texts) == 0 || !strings.HasPrefix(value, urnBegin) && !strings.Contains(value, PathV2Separator+urnBegin) {
		return false
	}
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(value, text) })
}
