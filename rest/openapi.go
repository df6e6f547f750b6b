package rest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
)

func (h pageHandlers) openAPI(c *call) error {
	return c.json(http.StatusOK, h.description())
}

// object is a JSON object being written.
type object = map[string]any

// description builds the OpenAPI document from the route table.
func (h pageHandlers) description() object {
	paths := map[string]object{}
	endpoints := h.table()
	for i := range endpoints {
		e := &endpoints[i]
		path := e.described()
		if paths[path] == nil {
			paths[path] = object{}
		}
		method := strings.ToLower(e.method)
		operation, ok := paths[path][method].(object)
		if !ok {
			operation = newOperation(e)
			paths[path][method] = operation
		}
		e.describe(operation)
	}
	return object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Headwater", "version": h.version,
			"description": "REST interface of the metadata catalog. Operations that share a path and method are distinguished by the query parameter action, which is part of their paths here.",
			"license":     object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"paths": paths, "x-limits": limitTable(),
		"components": object{"schemas": object{"Error": object{
			"type": "object", "required": []string{"exceptionClass", "stackTrace", "message", "status"},
			"properties": object{
				"exceptionClass": object{"type": "string"}, "stackTrace": object{"type": "string"},
				"message": object{"type": "string"}, "status": object{"type": "integer"},
				"candidateCount": object{"type": "integer", "description": "How many things have the name that was given."},
				"candidates":     object{"type": "array", "items": candidateSchema(), "description": "What a name may stand for or, with status 404, what is nearest to it."},
			},
		}, "OpenAPIError": object{
			"type": "object", "required": []string{"error", "message"},
			"properties": object{"error": object{"type": "string"}, "message": object{"type": "string"}},
		}}},
	}
}

// candidateSchema describes what a name may stand for.
func candidateSchema() object {
	text := object{"type": "string"}
	return object{"type": "object", "required": []string{"urn", "entity", "type", "name"}, "properties": object{
		"urn": text, "entity": text, "type": text, "platform": text, "name": text, "column": text,
		"handle": object{"type": "string", "description": "A name that stands for this one alone."}, "removed": object{"type": "boolean"},
	}}
}

func newOperation(e *endpoint) object {
	outcome := "Success"
	if e.refuses {
		outcome = "Refused, with what to use instead"
	}
	operation := object{
		"tags": []string{e.tag}, "summary": e.summary, "operationId": operationID(e),
		"parameters": []object{},
		"responses": object{
			strconv.Itoa(e.success()): object{"description": outcome},
			"default":                 object{"description": "Failure", "content": object{"application/json": object{"schema": object{"$ref": "#/components/schemas/" + e.failure()}}}},
		},
	}
	if e.status == http.StatusAccepted {
		operation["responses"].(object)["200"] = object{"description": "Success, with async=false"}
	}
	for _, part := range e.pathParts() {
		addParameter(operation, object{"name": part, "in": "path", "required": true, "schema": object{"type": "string"}, "description": pathHelp[part]})
	}
	if e.tail {
		addParameter(operation, object{"name": "urn", "in": "path", "required": true, "schema": object{"type": "string", "maxLength": limits.MaxURNBytes}, "description": "The entity's URN, percent-encoded."})
	}
	if e.versioned {
		addParameter(operation, object{
			"name": "X-RestLi-Protocol-Version", "in": "header", "required": false, "schema": object{"type": "string", "const": protocolVersion},
			"description": "Required, under the name of either dialect, where the operation says so.",
		})
	}
	return operation
}

// pathHelp describes the variable parts of paths.
var pathHelp = map[string]string{
	"entityType": "The entity type, in any letter case.", "urn": "The entity's URN, best percent-encoded.", "aspect": "The aspect, in any letter case.",
	"traceId": "The second part of the header traceparent.", "log": "mcp, mcl or mcl-timeseries.", "name": "The name of a feature.",
}

// pathParts returns the variable parts below the path of an endpoint.
func (e *endpoint) pathParts() []string {
	var parts []string
	for part := range strings.SplitSeq(e.below, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			parts = append(parts, strings.TrimSuffix(name, "}"))
		}
	}
	return parts
}

// success is the status of success.
func (e *endpoint) success() int {
	if e.refuses {
		return http.StatusBadRequest
	}
	if e.status == 0 {
		return http.StatusOK
	}
	return e.status
}

// failure names the schema of errors.
func (e *endpoint) failure() string {
	if inOpenAPI(e.path) {
		return "OpenAPIError"
	}
	return "Error"
}

func operationID(e *endpoint) string {
	id := strings.ToLower(e.method) + strings.NewReplacer("/", "_", ".", "_").Replace(e.path)
	if e.tail {
		id += "_urn"
	}
	id += strings.NewReplacer("/", "_", "{", "", "}", "").Replace(e.below)
	if e.action != "" {
		id += "_" + e.action
	}
	return id
}

func addParameter(operation object, p object) {
	operation["parameters"] = append(operation["parameters"].([]object), p)
}

// describe fills in the operation of an endpoint. Each action has its own
// operation, because the members of the body depend on it.
func (e *endpoint) describe(operation object) {
	inQuery := e.parameters
	if e.content != nil {
		operation["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": e.content, "example": json.RawMessage(e.example.body)}}}
	}
	if e.action != "" {
		e.describeAction(operation)
		inQuery = e.query
	}
	for i := range inQuery {
		p := &inQuery[i]
		addParameter(operation, object{"name": p.name, "in": "query", "required": p.required, "schema": p.schema(), "description": p.help})
	}
}

func (e *endpoint) describeAction(operation object) {
	properties, required := object{}, []string{}
	for i := range e.parameters {
		p := &e.parameters[i]
		schema := p.schema()
		schema["description"] = p.help
		properties[p.name] = schema
		if p.required {
			required = append(required, p.name)
		}
	}
	operation["requestBody"] = object{"required": true, "content": object{"application/json": object{
		"schema":  object{"title": e.action, "type": "object", "properties": properties, "required": required},
		"example": json.RawMessage(e.example.body),
	}}}
}

// described returns the path of an endpoint in the OpenAPI document. The action
// is part of it, because OpenAPI distinguishes bodies only by path and method.
func (e *endpoint) described() string {
	path := e.path + e.below
	if e.tail {
		path += "/{urn}"
	}
	if e.action != "" {
		path += "?action=" + e.action
	}
	return path
}
