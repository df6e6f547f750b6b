package openapi

import (
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// bounds are the limits of parameters in the OpenAPI document, by name and kind of the
// parameter.
var bounds = map[[2]string]call.Object{
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
	{"facets", "array"}:       {"maxItems": limits.MaxFacets, "items": call.Object{"type": "string"}},
	{"urns", "array"}:         {"maxItems": limits.MaxBatchDelete, "items": call.Object{"type": "string"}},
}

// schemaOf returns the schema of a parameter's values.
func schemaOf(p *call.Parameter) call.Object {
	schema := call.Object{"type": p.Kind}
	if p.Kind == "list" {
		schema["type"] = "string"
	}
	if p.Name == "async" {
		schema["type"] = []string{"string", "boolean"}
	}
	for name, value := range bounds[[2]string{p.Name, p.Kind}] {
		schema[name] = value
	}
	return schema
}

// limitTable returns the table of all limits for the OpenAPI document.
func limitTable() []call.Object {
	var rows []call.Object
	for _, l := range limits.All() {
		row := call.Object{"name": l.Name, "value": l.Value, "unit": l.Unit, "meaning": l.Meaning}
		if l.Setting != "" {
			row["setting"] = l.Setting
		}
		rows = append(rows, row)
	}
	return rows
}
