package write

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// seed is an aspect that every catalog has from its first start.
type seed struct {
	entityType, id, aspect string
	value                  map[string]any
}

// qualifiedPrefix begins the ids of the data types and entity types that structured
// properties refer to. Existing clients build these ids.
const qualifiedPrefix = "datahub."

// ownershipKinds are the built-in types of ownership.
var ownershipKinds = []struct{ id, name, description string }{
	{"__system__technical_owner", "Technical Owner", "Involved in producing, maintaining or distributing the asset."},
	{"__system__business_owner", "Business Owner", "Responsible for how the asset is used in the business."},
	{"__system__data_steward", "Data Steward", "Responsible for the governance of the asset."},
	{"__system__none", "None", "No type of ownership is stated."},
}

// dataTypes are the types of values of structured properties.
var dataTypes = []struct{ id, name string }{
	{"string", "String"}, {"number", "Number"}, {"date", "Date"}, {"urn", "Urn"}, {"rich_text", "Rich Text"},
}

// seedsOf lists the seeds for a model, in the first dialect.
func seedsOf(r *model.Registry) []seed {
	stamp := map[string]any{"time": 0, "actor": catalog.SystemActor(r.Dialects()[0])}
	var seeds []seed
	for _, k := range ownershipKinds {
		seeds = append(seeds, seed{model.EntityOwnershipType, k.id, model.AspectOwnershipTypeInfo, map[string]any{
			"name": k.name, "description": k.description, "created": stamp, "lastModified": stamp,
		}})
	}
	for _, t := range dataTypes {
		seeds = append(seeds, qualified(model.EntityDataType, model.AspectDataTypeInfo, t.id, t.name))
	}
	for _, e := range r.Entities() {
		seeds = append(seeds, qualified(model.EntityEntityType, model.AspectEntityTypeInfo, e.Name, titleOf(e.Name)))
	}
	return seeds
}

func qualified(entityType, aspect, name, displayName string) seed {
	id := qualifiedPrefix + name
	return seed{entityType, id, aspect, map[string]any{"qualifiedName": id, "displayName": displayName}}
}

// titleOf makes words of a camelCase name: dataJob becomes Data Job.
func titleOf(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i == 0 {
			r = unicode.ToUpper(r)
		} else if unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// json is the seed's value as text.
func (s *seed) json() (json.RawMessage, error) { return json.Marshal(s.value) }
