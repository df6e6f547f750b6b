package rest

import "github.com/headwater-io/headwater/internal/limits"

// bounds are the limits of parameters by their names and kinds, as the OpenAPI
// document states them.
var bounds = map[[2]string]object{
	{"start", "integer"}:      {"minimum": 0, "maximum": limits.MaxPageStart},
	{"pageOffset", "integer"}: {"minimum": 0, "maximum": limits.MaxPageStart},
	{"pageSize", "integer"}:   {"minimum": 0, "maximum": limits.MaxPageCount},
	{"count", "integer"}:      {"minimum": 0},
	{"hops", "integer"}:       {"minimum": 0, "maximum": limits.MaxHops},
	{"maxHops", "integer"}:    {"minimum": 0, "maximum": limits.MaxHops},
	{"paths", "integer"}:      {"minimum": 0, "maximum": limits.MaxPaths},
	{"reach", "integer"}:      {"minimum": 0, "maximum": limits.MaxReach},
	{"input", "string"}:       {"maxLength": limits.MaxQueryBytes},
	{"query", "string"}:       {"maxLength": limits.MaxQueryBytes},
	{"urn", "string"}:         {"maxLength": limits.MaxURNBytes},
	{"facets", "array"}:       {"maxItems": limits.MaxFacets, "items": object{"type": "string"}},
	{"urns", "array"}:         {"maxItems": limits.MaxBatchDelete, "items": object{"type": "string"}},
}

// schema describes the values of a parameter.
func (p *parameter) schema() object {
	schema := object{"type": p.kind}
	if p.kind == "list" {
		schema["type"] = "string"
	}
	if p.name == "async" {
		schema["type"] = []string{"string", "boolean"}
	}
	for name, value := range bounds[[2]string{p.name, p.kind}] {
		schema[name] = value
	}
	return schema
}

// limitTable is the table of all limits for the OpenAPI document.
func limitTable() []object {
	var rows []object
	for _, l := range limits.All() {
		row := object{"name": l.Name, "value": l.Value, "unit": l.Unit, "meaning": l.Meaning}
		if l.Setting != "" {
			row["setting"] = l.Setting
		}
		rows = append(rows, row)
	}
	return rows
}
