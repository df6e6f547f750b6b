package rest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/webpage"
)

//go:embed docs.html.tmpl
var docsTemplate string

var docsPage = template.Must(template.New("docs").Parse(docsTemplate))

// docRow is an endpoint as the page shows it.
type docRow struct {
	Method, Path, Action, Summary, Curl string
	Versioned                           bool
	Parameters                          []docParameter
}

type docParameter struct {
	Name, Kind, Help string
	Required         bool
}

type docGroup struct {
	Tag  string
	Rows []docRow
}

// curl writes an endpoint's example for a shell.
func (e *endpoint) curl(base string) string {
	var b strings.Builder
	b.WriteString("curl ")
	if e.method != http.MethodGet {
		b.WriteString("-X " + e.method + " ")
	}
	if e.versioned {
		b.WriteString("-H 'X-RestLi-Protocol-Version: " + protocolVersion + "' ")
	}
	if e.example.body != "" {
		b.WriteString("-H 'Content-Type: application/json' ")
	}
	b.WriteString("'" + base + e.target() + "'")
	if e.example.body != "" {
		b.WriteString(" \\\n  -d '" + e.example.body + "'")
	}
	return b.String()
}

func (c *call) base() string {
	scheme := "http://"
	if c.Request.TLS != nil {
		scheme = "https://"
	}
	return scheme + c.Request.Host
}

func (c *call) docs() error {
	var groups []docGroup
	for i := range c.endpoints {
		e := &c.endpoints[i]
		at := slices.IndexFunc(groups, func(g docGroup) bool { return g.Tag == e.tag })
		if at < 0 {
			at = len(groups)
			groups = append(groups, docGroup{Tag: e.tag})
		}
		path := e.path
		if e.tail {
			path += "/{urn}"
		}
		row := docRow{Method: e.method, Path: path, Action: e.action, Summary: e.summary, Curl: e.curl(c.base()), Versioned: e.versioned}
		for _, p := range slices.Concat(e.parameters, e.query) {
			row.Parameters = append(row.Parameters, docParameter{p.name, p.kind, p.help, p.required})
		}
		groups[at].Rows = append(groups[at].Rows, row)
	}
	return c.renderPage(page{Title: "Headwater endpoints", Groups: groups})
}

func (c *call) landing() error {
	return c.renderPage(page{Title: "Headwater"})
}

// page is what a page of documentation shows.
type page struct {
	Title, Version, Base string
	// GraphQL: there is a GraphQL endpoint too.
	GraphQL bool
	Groups  []docGroup
}

func (c *call) renderPage(data page) error {
	data.Version, data.Base, data.GraphQL = c.Version, c.base(), c.GraphQL != nil
	var page bytes.Buffer
	if err := docsPage.Execute(&page, data); err != nil {
		return err
	}
	c.Header("Content-Security-Policy", webpage.Policy(page.String()))
	c.Data(http.StatusOK, "text/html; charset=utf-8", page.Bytes())
	return nil
}

// swaggerUI is the vendored page and what it is made of.
var swaggerUI = v5emb.NewHandlerWithConfig(swgui.Config{Title: "Headwater", SwaggerJSON: "/openapi.json", BasePath: "/docs/", HideCurl: false})

func (c *call) swagger() error {
	if strings.Trim(c.Param("tail"), "/") != "" {
		swaggerUI.ServeHTTP(c.Writer, c.Request)
		return nil
	}
	page := pageWriter{ResponseWriter: c.Writer}
	swaggerUI.ServeHTTP(&page, c.Request)
	c.Header("Content-Security-Policy", webpage.Policy(page.String()))
	c.Data(http.StatusOK, "text/html; charset=utf-8", page.Bytes())
	return nil
}

// pageWriter keeps a page, so that its policy can be sent before it.
type pageWriter struct {
	http.ResponseWriter
	bytes.Buffer
}

func (w *pageWriter) Write(p []byte) (int, error) { return w.Buffer.Write(p) }

func (w *pageWriter) WriteHeader(int) {}

func (c *call) openAPI() error {
	return c.json(http.StatusOK, c.description())
}

// object is a JSON object being written.
type object = map[string]any

// description builds the OpenAPI document from the route table.
func (s *Server) description() object {
	paths := map[string]object{}
	for i := range s.endpoints {
		e := &s.endpoints[i]
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
			"title": "Headwater", "version": s.Version,
			"description": "REST interface of the metadata catalog. Operations that share a path and method are told apart by the query parameter action, which is part of their paths here.",
			"license":     object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"paths": paths, "x-limits": limitTable(),
		"components": object{"schemas": object{"Error": object{
			"type": "object", "required": []string{"exceptionClass", "stackTrace", "message", "status"},
			"properties": object{
				"exceptionClass": object{"type": "string"}, "stackTrace": object{"type": "string"},
				"message": object{"type": "string"}, "status": object{"type": "integer"},
			},
		}}},
	}
}

func newOperation(e *endpoint) object {
	operation := object{
		"tags": []string{e.tag}, "summary": e.summary, "operationId": operationID(e),
		"parameters": []object{},
		"responses": object{
			"200":     object{"description": "Success"},
			"default": object{"description": "Failure", "content": object{"application/json": object{"schema": object{"$ref": "#/components/schemas/Error"}}}},
		},
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

func operationID(e *endpoint) string {
	id := strings.ToLower(e.method) + strings.NewReplacer("/", "_", ".", "_").Replace(e.path)
	if e.tail {
		id += "_urn"
	}
	if e.action != "" {
		id += "_" + e.action
	}
	return id
}

func addParameter(operation object, p object) {
	operation["parameters"] = append(operation["parameters"].([]object), p)
}

// describe fills in the operation of an endpoint. An action has an operation of
// its own, since what its body holds depends on it.
func (e *endpoint) describe(operation object) {
	inQuery := e.parameters
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

// described is the path under which the OpenAPI document has an endpoint. The
// action is part of it: OpenAPI can tell bodies apart by path and method alone.
func (e *endpoint) described() string {
	path := e.path
	if e.tail {
		path += "/{urn}"
	}
	if e.action != "" {
		path += "?action=" + e.action
	}
	return path
}
