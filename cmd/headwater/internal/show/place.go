// Package show has the texts with which the command line describes entities: their names,
// their places in their sources, cards and facts.
package show

import (
	"strings"

	"github.com/headwater-io/headwater/model"
)

// Place is the place of an entity in its source, as its URN states it.
type Place struct {
	// Type is the entity type. Platform is the short name of the platform, "" if the URN
	// does not name one.
	Type, Platform string
	// Path is the entity's name in the source, such as analytics.marts.orders or, for a job,
	// build_marts.build_orders.
	Path string
	// Env is the environment, such as PROD.
	Env string
}

// PlaceOf reads the place in a URN. If the text is not a URN, the path is the text.
func PlaceOf(text string) Place {
	u := model.StoredURN(text)
	if u.IsZero() {
		return Place{Path: text}
	}
	p, parts := Place{Type: u.EntityType()}, u.Parts()
	var path []string
	for i, part := range parts {
		inner := model.StoredURN(part)
		switch {
		case strings.HasPrefix(part, "urn:") && inner.EntityType() == model.EntityDataPlatform:
			p.Platform = inner.Key()
		case strings.HasPrefix(part, "urn:") && !inner.IsZero():
			of := PlaceOf(part)
			p.Platform = of.Platform
			path = append(path, of.Path)
		case i == 0 && namesTool[p.Type]:
			p.Platform = part
		case i == 2 && i == len(parts)-1: // an environment, or the cluster of a flow
			p.Env = part
		case p.Type == model.EntitySchemaField:
			path = append(path, model.DecodeFieldPath(part))
		default:
			path = append(path, part)
		}
	}
	p.Path = strings.Join(path, ".")
	return p
}

// namesTool are the entity types whose keys begin with the name of a tool. The keys of
// other types begin with the URN of a platform.
var namesTool = map[string]bool{model.EntityChart: true, model.EntityDashboard: true, model.EntityDataFlow: true}

// LeafOf returns the shortest name in a URN: for the URN of the platform snowflake,
// "snowflake".
func LeafOf(urn string) string {
	path := PlaceOf(urn).Path
	if path == "" {
		if u := model.StoredURN(urn); !u.IsZero() {
			return u.Key()
		}
		return urn
	}
	return path
}

// typeWords has the words for entity types whose names are not readable.
var typeWords = map[string]string{
	model.EntityCorpuser: "user", model.EntityCorpGroup: "group", model.EntityDataJob: "job", model.EntityDataFlow: "flow",
	model.EntityGlossaryTerm: "term", model.EntityGlossaryNode: "term group", model.EntitySchemaField: "column",
	model.EntityDataPlatform: "platform", model.EntityDataProduct: "data product",
}

// TypeWord returns the word for an entity type.
func TypeWord(entityType string) string {
	if word := typeWords[entityType]; word != "" {
		return word
	}
	return entityType
}

// ColumnOf returns the path of a column, from its URN or from a text that is already a
// path.
func ColumnOf(text string) string {
	u := model.StoredURN(text)
	if u.IsZero() || u.EntityType() != model.EntitySchemaField {
		return text
	}
	return model.DecodeFieldPath(u.Parts()[1])
}

// ShortURNs replaces each URN in a text by the name in it.
func ShortURNs(text string) string {
	var b strings.Builder
	for {
		at := strings.Index(text, "urn:")
		if at < 0 {
			return b.String() + text
		}
		end, depth := at, 0
		for ; end < len(text); end++ {
			c := text[end]
			if c == '(' {
				depth++
			}
			if c == ')' {
				depth--
			}
			if depth < 0 || depth == 0 && (c == ' ' || c == ',' || c == '\'') {
				break
			}
		}
		b.WriteString(text[:at] + LeafOf(text[at:end]))
		text = text[end:]
	}
}
