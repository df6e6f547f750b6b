// Package openapi makes the OpenAPI document from the route table.
package openapi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// Document makes the OpenAPI document of a server from its route table and its version.
func Document(endpoints []call.Endpoint, version string) call.Object {
	paths := map[string]call.Object{}
	for i := range endpoints {
		e := &endpoints[i]
		path := e.Described()
		if paths[path] == nil {
			paths[path] = call.Object{}
		}
		method := strings.ToLower(e.Method)
		operation, ok := paths[path][method].(call.Object)
		if !ok {
			operation = newOperation(e)
			paths[path][method] = operation
		}
		describe(e, operation)
	}
	return call.Object{
		"openapi": "3.1.0",
		"info": call.Object{
			"title": "Headwater", "version": version,
			"description": "REST interface of the metadata catalog. Operations that share a path and method are distinguished by the query parameter action, which is part of their paths here.",
			"license":     call.Object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"paths": paths, "x-limits": limitTable(),
		"components": call.Object{"schemas": call.Object{"Error": call.Object{
			"type": "object", "required": []string{"exceptionClass", "stackTrace", "message", "status"},
			"properties": call.Object{
				"exceptionClass": call.Object{"type": "string"}, "stackTrace": call.Object{"type": "string"},
				"message": call.Object{"type": "string"}, "status": call.Object{"type": "integer"},
				"candidateCount": call.Object{"type": "integer", "description": "How many things have the name that was given."},
				"candidates":     call.Object{"type": "array", "items": candidateSchema(), "description": "What a name may stand for or, with status 404, what is nearest to it."},
			},
		}, "OpenAPIError": call.Object{
			"type": "object", "required": []string{"error", "message"},
			"properties": call.Object{"error": call.Object{"type": "string"}, "message": call.Object{"type": "string"}},
		}}},
	}
}

// candidateSchema returns the schema of a candidate for an ambiguous name.
func candidateSchema() call.Object {
	text := call.Object{"type": "string"}
	return call.Object{"type": "object", "required": []string{"urn", "entity", "type", "name"}, "properties": call.Object{
		"urn": text, "entity": text, "type": text, "platform": text, "name": text, "column": text,
		"handle": call.Object{"type": "string", "description": "A name that stands for this one alone."}, "removed": call.Object{"type": "boolean"},
	}}
}

func newOperation(e *call.Endpoint) call.Object {
	outcome := "Success"
	if e.Refuses {
		outcome = "Refused, with what to use instead"
	}
	operation := call.Object{
		"tags": []string{e.Tag}, "summary": e.Summary, "operationId": operationID(e),
		"parameters": []call.Object{},
		"responses": call.Object{
			strconv.Itoa(e.Success()): call.Object{"description": outcome},
			"default":                 call.Object{"description": "Failure", "content": call.Object{"application/json": call.Object{"schema": call.Object{"$ref": "#/components/schemas/" + failureSchema(e)}}}},
		},
	}
	if e.Status == http.StatusAccepted {
		operation["responses"].(call.Object)["200"] = call.Object{"description": "Success, with async=false"}
	}
	for _, part := range pathParts(e) {
		addParameter(operation, call.Object{"name": part, "in": "path", "required": true, "schema": call.Object{"type": "string"}, "description": pathHelp[part]})
	}
	if e.Tail {
		addParameter(operation, call.Object{"name": "urn", "in": "path", "required": true, "schema": call.Object{"type": "string", "maxLength": limits.MaxURNBytes}, "description": "The entity's URN, percent-encoded."})
	}
	if e.Versioned {
		addParameter(operation, call.Object{
			"name": "X-RestLi-Protocol-Version", "in": "header", "required": false, "schema": call.Object{"type": "string", "const": call.ProtocolVersion},
			"description": "Required, under the name of either dialect, where the operation says so.",
		})
	}
	return operation
}

// pathHelp describes the variable parts of paths, by their names.
var pathHelp = map[string]string{
	"entityType": "The entity type, in any letter case.", "urn": "The entity's URN, best percent-encoded.", "aspect": "The aspect, in any letter case.",
	"traceId": "The second part of the header traceparent.", "log": "mcp, mcl or mcl-timeseries.", "name": "The name of a feature.",
}

// pathParts returns the variable parts below the path of an endpoint.
func pathParts(e *call.Endpoint) []string {
	var parts []string
	for part := range strings.SplitSeq(e.Below, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			parts = append(parts, strings.TrimSuffix(name, "}"))
		}
	}
	return parts
}

// failureSchema returns the name of the schema of an endpoint's errors.
func failureSchema(e *call.Endpoint) string {
	if call.InOpenAPI(e.Path) {
		return "OpenAPIError"
	}
	return "Error"
}

func operationID(e *call.Endpoint) string {
	id := strings.ToLower(e.Method) + strings.NewReplacer("/", "_", ".", "_").Replace(e.Path)
	if e.Tail {
		id += "_urn"
	}
	id += strings.NewReplacer("/", "_", "{", "", "}", "").Replace(e.Below)
	if e.Action != "" {
		id += "_" + e.Action
	}
	return id
}

func addParameter(operation call.Object, p call.Object) {
	operation["parameters"] = append(operation["parameters"].([]call.Object), p)
}

// describe fills in the operation of an endpoint. Each action is an operation of its own,
// because each has another body.
func describe(e *call.Endpoint, operation call.Object) {
	inQuery := e.Parameters
	if e.Content != nil {
		operation["requestBody"] = call.Object{"required": true, "content": call.Object{"application/json": call.Object{"schema": e.Content, "example": json.RawMessage(e.Example.Body)}}}
	}
	if e.Action != "" {
		describeAction(e, operation)
		inQuery = e.Query
	}
	for i := range inQuery {
		p := &inQuery[i]
		addParameter(operation, call.Object{"name": p.Name, "in": "query", "required": p.Required, "schema": schemaOf(p), "description": p.Help})
	}
}

func describeAction(e *call.Endpoint, operation call.Object) {
	properties, required := call.Object{}, []string{}
	for i := range e.Parameters {
		p := &e.Parameters[i]
		schema := schemaOf(p)
		schema["description"] = p.Help
		properties[p.Name] = schema
		if p.Required {
			required = append(required, p.Name)
		}
	}
	operation["requestBody"] = call.Object{"required": true, "content": call.Object{"application/json": call.Object{
		"schema":  call.Object{"title": e.Action, "type": "object", "properties": properties, "required": required},
		"example": json.RawMessage(e.Example.Body),
	}}}
}
