package rest

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"

	"github.com/headwater-io/headwater/internal/webpage"
)

// pageHandlers serve the documentation, which is made from the route table.
type pageHandlers struct {
	// table returns the route table.
	table   func() []endpoint
	version string
	// graphQL: there is a GraphQL endpoint too.
	graphQL bool
}

//go:embed docs.html.tmpl
var docsTemplate string

var docsPage = template.Must(template.New("docs").Parse(docsTemplate))

// docRow is an endpoint in the form of the page.
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

// curl returns an endpoint's example as a shell command.
func (e *endpoint) curl(base string) string {
	var b strings.Builder
	b.WriteString("curl ")
	switch e.method {
	case http.MethodGet:
	case http.MethodHead:
		b.WriteString("-I ")
	default:
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

func base(c *call) string {
	scheme := "http://"
	if c.Request.TLS != nil {
		scheme = "https://"
	}
	return scheme + c.Request.Host
}

func (h pageHandlers) docs(c *call) error {
	var groups []docGroup
	endpoints := h.table()
	for i := range endpoints {
		e := &endpoints[i]
		at := slices.IndexFunc(groups, func(g docGroup) bool { return g.Tag == e.tag })
		if at < 0 {
			at = len(groups)
			groups = append(groups, docGroup{Tag: e.tag})
		}
		path := e.path + e.below
		if e.tail {
			path += "/{urn}"
		}
		row := docRow{Method: e.method, Path: path, Action: e.action, Summary: e.summary, Curl: e.curl(base(c)), Versioned: e.versioned}
		for _, p := range slices.Concat(e.parameters, e.query) {
			row.Parameters = append(row.Parameters, docParameter{p.name, p.kind, p.help, p.required})
		}
		if e.content != nil {
			row.Parameters = append(row.Parameters, docParameter{Name: "(body)", Kind: "JSON", Help: "as in the example; its schema is in /openapi.json", Required: true})
		}
		groups[at].Rows = append(groups[at].Rows, row)
	}
	return h.renderPage(c, page{Title: "Headwater endpoints", Groups: groups})
}

func (h pageHandlers) landing(c *call) error {
	return h.renderPage(c, page{Title: "Headwater"})
}

// page is the content of a page of documentation.
type page struct {
	Title, Version, Base string
	// GraphQL: there is a GraphQL endpoint too.
	GraphQL bool
	Groups  []docGroup
	// Neo4j is where the graph is, and OpenBrowser opens it with the guide.
	Neo4j       Neo4j
	OpenBrowser string
}

func (h pageHandlers) renderPage(c *call, data page) error {
	return h.render(c, docsPage, data)
}

func (h pageHandlers) render(c *call, by *template.Template, data page) error {
	data.Version, data.Base, data.GraphQL = h.version, base(c), h.graphQL
	var page bytes.Buffer
	if err := by.Execute(&page, data); err != nil {
		return err
	}
	c.Header("Content-Security-Policy", webpage.Policy(page.String()))
	c.Data(http.StatusOK, "text/html; charset=utf-8", page.Bytes())
	return nil
}

// swaggerUI is the vendored page with its files.
var swaggerUI = v5emb.NewHandlerWithConfig(swgui.Config{Title: "Headwater", SwaggerJSON: "/openapi.json", BasePath: "/docs/", HideCurl: false})

func (h pageHandlers) swagger(c *call) error {
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

// toSwagger leads from the reference's address of the page to that of this server.
func (h pageHandlers) toSwagger(c *call) error {
	c.Redirect(http.StatusFound, "/docs/")
	return nil
}

// pageWriter buffers a page, so that its policy can be sent first.
type pageWriter struct {
	http.ResponseWriter
	bytes.Buffer
}

func (w *pageWriter) Write(p []byte) (int, error) { return w.Buffer.Write(p) }

func (w *pageWriter) WriteHeader(int) {}
