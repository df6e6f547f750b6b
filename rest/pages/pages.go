package pages

import (
	"bytes"
	_ "embed"
	"net/http"
	"slices"
	"strings"

	"github.com/swaggest/swgui/v5/static"
	"github.com/vearutop/statigz"
	g "maragu.dev/gomponents"
	"maragu.dev/gomponents/html"

	"github.com/headwater-io/headwater/internal/webpage"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/openapi"
)

// pageHandlers serve the documentation pages, which are made from the route table.
type pageHandlers struct {
	// table returns the route table.
	table   func() []call.Endpoint
	version string
	// graphQL: the server has a GraphQL endpoint.
	graphQL bool
}

// curl returns the example of an endpoint as a shell command.
func curl(e *call.Endpoint, base string) string {
	var b strings.Builder
	b.WriteString("curl ")
	switch e.Method {
	case http.MethodGet:
	case http.MethodHead:
		b.WriteString("-I ")
	default:
		b.WriteString("-X " + e.Method + " ")
	}
	if e.Versioned {
		b.WriteString("-H 'X-RestLi-Protocol-Version: " + call.ProtocolVersion + "' ")
	}
	if e.Example.Body != "" {
		b.WriteString("-H 'Content-Type: application/json' ")
	}
	b.WriteString("'" + base + e.Target() + "'")
	if e.Example.Body != "" {
		b.WriteString(" \\\n  -d '" + e.Example.Body + "'")
	}
	return b.String()
}

func (h pageHandlers) openAPI(c *call.Call) error {
	return c.JSON(http.StatusOK, openapi.Document(h.table(), h.version))
}

func base(c *call.Call) string {
	scheme := "http://"
	if c.Request.TLS != nil {
		scheme = "https://"
	}
	return scheme + c.Request.Host
}

//go:embed docs.css
var docsStyle string

func (h pageHandlers) docs(c *call.Call) error {
	var tags []string
	sections := map[string]g.Group{}
	endpoints := h.table()
	for i := range endpoints {
		e := &endpoints[i]
		if sections[e.Tag] == nil {
			tags = append(tags, e.Tag)
		}
		sections[e.Tag] = append(sections[e.Tag], section(e, base(c)))
	}
	var content g.Group
	if h.graphQL {
		content = g.Group{graphQLSection(base(c))}
	}
	for _, tag := range tags {
		content = append(content, html.H2(g.Text(tag)), sections[tag])
	}
	return h.page(c, "Headwater endpoints", content)
}

// section returns the part of the documentation page about one endpoint.
func section(e *call.Endpoint, base string) g.Node {
	path := e.Path + e.Below
	if e.Tail {
		path += "/{urn}"
	}
	if e.Action != "" {
		path += "?action=" + e.Action
	}
	var rows g.Group
	for _, p := range slices.Concat(e.Parameters, e.Query) {
		rows = append(rows, parameterRow(p.Name, p.Kind, p.Required, p.Help))
	}
	if e.Content != nil {
		rows = append(rows, parameterRow("(body)", "JSON", true, "as in the example; its schema is in /openapi.json"))
	}
	return html.Section(
		html.Div(html.Span(html.Class("method"), g.Text(e.Method)), g.Text(" "), html.Code(g.Text(path))),
		html.Div(g.Text(e.Summary)),
		g.If(e.Versioned, html.Div(html.Class("note"), g.Text("Needs the protocol version header with value 2.0.0."))),
		g.If(len(rows) > 0, html.Table(rows)),
		html.Pre(g.Text(curl(e, base))),
	)
}

func parameterRow(name, kind string, required bool, help string) g.Node {
	if required {
		kind += ", required"
	}
	return html.Tr(html.Td(html.Code(g.Text(name))), html.Td(html.Class("note"), g.Text(kind)), html.Td(g.Text(help)))
}

func graphQLSection(base string) g.Node {
	return g.Group{
		html.H2(g.Text("GraphQL")),
		html.Section(
			html.Div(html.Span(html.Class("method"), g.Text("POST")), g.Text(" "), html.Code(g.Text("/api/graphql"))),
			html.Div(g.Text("Reads and edits, described by the schema that the "), link("/api/graphiql", "page to try it"), g.Text(" shows.")),
			html.Pre(g.Text("curl '"+base+`/api/graphql' -d '{"query":"{ searchAcrossEntities(input: {query: \"orders\"}) { total } }"}'`)),
		),
	}
}

func (h pageHandlers) landing(c *call.Call) error {
	return h.page(c, "Headwater", html.P(g.Text("A graph-native lineage and metadata catalog. Write metadata with an existing client, or with the calls on the endpoints page.")))
}

// page answers with a page of documentation.
func (h pageHandlers) page(c *call.Call, title string, content g.Node) error {
	return writePage(c, title, docsStyle,
		html.H1(g.Text(title)),
		html.P(html.Class("note"), g.Text("version "+h.version)),
		html.Nav(
			link("/restli/docs", "Endpoints"), link("/docs/", "OpenAPI, to try"), g.If(h.graphQL, link("/api/graphiql", "GraphQL, to try")),
			link("/openapi.json", "openapi.json"), link("/health/ready", "Health"), link("/metrics", "Metrics"),
		),
		content,
	)
}

func link(to, text string) g.Node { return html.A(html.Href(to), g.Text(text)) }

// writePage answers with an HTML page, whose body has the given parts.
func writePage(c *call.Call, title, style string, parts ...g.Node) error {
	var page bytes.Buffer
	err := html.Doctype(html.HTML(html.Lang("en"),
		html.Head(
			html.Meta(html.Charset("utf-8")),
			html.Meta(html.Name("viewport"), html.Content("width=device-width, initial-scale=1")),
			html.TitleEl(g.Text(title)),
			html.StyleEl(g.Raw(style)),
		),
		html.Body(parts...),
	)).Render(&page)
	if err != nil {
		return err
	}
	return writeHTML(c, page.Bytes())
}

// writeHTML answers with an HTML page, and with the security policy that permits the page's
// own scripts.
func writeHTML(c *call.Call, html []byte) error {
	c.Header("Content-Security-Policy", webpage.Policy(string(html)))
	c.Data(http.StatusOK, "text/html; charset=utf-8", html)
	return nil
}

// swaggerPage loads the files of swgui, as the page of swgui does. That page is a template
// of html/template, which would keep unused methods in the binary
// (docs/decisions/0059-releases.md).
//
//go:embed swagger.html
var swaggerPage []byte

// swaggerFiles are the scripts and styles of Swagger UI.
var swaggerFiles = http.StripPrefix("/docs/", statigz.FileServer(static.FS))

func (h pageHandlers) swagger(c *call.Call) error {
	if strings.Trim(c.Param("tail"), "/") != "" {
		swaggerFiles.ServeHTTP(c.Writer, c.Request)
		return nil
	}
	return writeHTML(c, swaggerPage)
}

// toSwagger redirects from the reference's address of the page to the address in this
// server.
func (h pageHandlers) toSwagger(c *call.Call) error {
	c.Redirect(http.StatusFound, "/docs/")
	return nil
}
