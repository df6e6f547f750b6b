// Package show has the words that the command line shows of entities: their names, places in their
// sources, cards and facts.
package show

import (
	"strings"

	"github.com/headwater-io/headwater/model"
)

// Place is where an entity is in its source, as its URN says.
type Place struct {
	// Type is the entity type, and Platform the short name of the platform, "" if the
	// URN does not name one.
	Type, Platform string
	// Path is its name in the source, such as analytics.marts.orders or, of a job,
	// build_marts.build_orders.
	Path string
	// Env is the environment, such as PROD.
	Env string
}

// PlaceOf reads a URN. What is not a URN is its own path.
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

// namesTool are the types whose keys begin with the name of a tool instead of the URN of
// a platform.
var namesTool = map[string]bool{model.EntityChart: true, model.EntityDashboard: true, model.EntityDataFlow: true}

// LeafOf is the shortest name of a URN: of the platform snowflake, snowflake.
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

// typeWords are the words for entity types where they are not the type itself.
var typeWords = map[string]string{
	model.EntityCorpuser: "user", model.EntityCorpGroup: "group", model.EntityDataJob: "job", model.EntityDataFlow: "flow",
	model.EntityGlossaryTerm: "term", model.EntityGlossaryNode: "term group", model.EntitySchemaField: "column",
	model.EntityDataPlatform: "platform", model.EntityDataProduct: "data product",
}

// TypeWord is the word for an entity type.
func TypeWord(entityType string) string {
	if word := typeWords[entityType]; word != "" {
		return word
	}
	return entityType
}

// ColumnOf is the path of a column; a text that is not the URN of one is a path.
func ColumnOf(text string) string {
	u := model.StoredURN(text)
	if u.IsZero() || u.EntityType() != model.EntitySchemaField {
		return text
	}
	return model.DecodeFieldPath(u.Parts()[1])
}

// ShortURNs replaces the URNs in a text by the names in them.
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
