package schemafile

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
)

// openAPI reads a description of an API, of OpenAPI 3 or Swagger 2. A schema is the answer of an address, as in the client's
// source of OpenAPI. A description without addresses gives the schemas that it names.
func (w *writer) openAPI(text []byte) ([]Schema, error) {
	document, err := decodeTree(text)
	if err != nil {
		return nil, err
	}
	walk := &jsonWalk{writer: w, document: document, api: true}
	var found []Schema
	add := func(name string, value any) error {
		if value == nil {
			return nil
		}
		schema, err := walk.resolve(value)
		if err != nil {
			return err
		}
		if items, ok := (*schema)["items"]; ok && walk.kind(*schema) == "array" {
			if schema, err = walk.resolve(items); err != nil {
				return err
			}
		}
		if err := walk.value(schema, place{steps: w.start()}, "", false); err != nil {
			return err
		}
		found = append(found, Schema{Name: name, Platform: "OpenApi", Fields: w.take()})
		return nil
	}
	addresses, _ := document["paths"].(node)
	for _, address := range slices.Sorted(maps.Keys(addresses)) {
		methods, _ := addresses[address].(node)
		if err := add(addressName(address), answer(methods)); err != nil {
			return nil, err
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	components, _ := document["components"].(node)
	named, _ := components["schemas"].(node)
	if len(named) == 0 {
		named, _ = document["definitions"].(node)
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if err := add(name, named[name]); err != nil {
			return nil, err
		}
	}
	if len(found) == 0 {
		return nil, errors.New("it describes no answer and no schema")
	}
	return found, nil
}

// addressName is the name that the client's source gives the dataset of an address.
func addressName(address string) string {
	name := strings.TrimSuffix(strings.ReplaceAll(strings.TrimPrefix(address, "/"), "/", "."), ".")
	if name == "" {
		return "root"
	}
	return strings.NewReplacer("{", "", "}", "").Replace(name)
}

// answer returns the schema of the answer of the first method that has one, or of the body that it takes.
func answer(methods node) any {
	for _, method := range []string{"get", "post", "put", "patch"} {
		operation, _ := methods[method].(node)
		responses, _ := operation["responses"].(node)
		good, _ := responses["200"].(node)
		if schema := content(good); schema != nil {
			return schema
		}
		if schema := good["schema"]; schema != nil {
			return schema
		}
		if method != "get" {
			body, _ := operation["requestBody"].(node)
			if schema := content(body); schema != nil {
				return schema
			}
		}
	}
	return nil
}

func content(of node) any {
	kinds, _ := of["content"].(node)
	for _, kind := range []string{"application/json", "application/xml", "text/json"} {
		if media, ok := kinds[kind].(node); ok && media["schema"] != nil {
			return media["schema"]
		}
	}
	return nil
}

// mergedMembers are the members of a part of allOf that count for the whole if it does not have them.
var mergedMembers = []string{"type", "format", "title", "enum", "items", "additionalProperties"}

// merged returns a schema with the properties of all parts of its allOf.
func (w *jsonWalk) merged(n node, depth int) (node, error) {
	if depth > limits.CheckSchemaDepth {
		return nil, errTooDeep
	}
	parts, _ := n["allOf"].([]any)
	whole := maps.Clone(n)
	delete(whole, "allOf")
	properties := node{}
	own, _ := whole["properties"].(node)
	maps.Copy(properties, own)
	required, _ := whole["required"].([]any)
	for _, part := range parts {
		inner, err := w.resolve(part)
		if err != nil {
			return nil, err
		}
		one := *inner
		if one["allOf"] != nil {
			if one, err = w.merged(one, depth+1); err != nil {
				return nil, err
			}
		}
		more, _ := one["properties"].(node)
		maps.Copy(properties, more)
		needs, _ := one["required"].([]any)
		required = append(slices.Clone(required), needs...)
		for _, name := range mergedMembers {
			if whole[name] == nil && one[name] != nil {
				whole[name] = one[name]
			}
		}
	}
	if len(properties) > 0 {
		whole["properties"] = properties
	}
	if len(required) > 0 {
		whole["required"] = required
	}
	return whole, nil
}
