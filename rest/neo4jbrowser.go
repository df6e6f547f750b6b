package rest

import (
	_ "embed"
	"html/template"
	"net/http"
	"net/url"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/cypher/browser"
)

// Neo4j says where analysts find the graph. It has no user and no password.
type Neo4j struct {
	// Address is that of the database, such as "neo4j://graph.example:7687"; it is
	// empty when the server keeps the graph in the embedded store.
	Address string
	// Database is its name, or empty for the server's default.
	Database string
	// Browser is the address of Neo4j Browser.
	Browser string
}

// neo4jBrowserHandlers serve what is loaded into Neo4j Browser. A browser requests it
// for a page of another origin, so the answers are the same for everybody.
type neo4jBrowserHandlers struct {
	catalog *services.Services
	neo4j   Neo4j
	pages   pageHandlers
}

//go:embed neo4jbrowser.html.tmpl
var neo4jBrowserTemplate string

var neo4jBrowserPage = template.Must(template.New("browser").Parse(neo4jBrowserTemplate))

// overview is the page for people.
func (h neo4jBrowserHandlers) overview(c *call) error {
	return h.pages.render(c, neo4jBrowserPage, page{Title: "Neo4j Browser", Neo4j: h.neo4j, OpenBrowser: h.neo4j.openWith(base(c) + "/browser/guide")})
}

// openWith is the address of Neo4j Browser that plays a guide when it opens.
func (n Neo4j) openWith(guide string) string {
	query := url.Values{"cmd": {"play"}, "arg": {guide}}
	if n.Database != "" {
		query.Set("db", n.Database)
	}
	return n.Browser + "?" + query.Encode()
}

func (h neo4jBrowserHandlers) guide(c *call) error {
	text, err := browser.Guide(base(c))
	if err != nil {
		return err
	}
	return c.file("text/html; charset=utf-8", text)
}

func (h neo4jBrowserHandlers) style(c *call) error {
	registry := h.catalog.Registry()
	var labels []string
	for _, e := range registry.Entities() {
		labels = append(labels, e.Label)
	}
	return c.file("text/plain; charset=utf-8", []byte(browser.Style(labels, registry.RelationshipNames())))
}

func (h neo4jBrowserHandlers) queries(c *call) error {
	text, err := browser.Archive()
	if err != nil {
		return err
	}
	c.Header("Content-Disposition", `attachment; filename="headwater-queries.zip"`)
	return c.file("application/zip", text)
}

// file answers with a file that pages of any origin may read.
func (c *call) file(contentType string, text []byte) error {
	c.Header("Access-Control-Allow-Origin", "*")
	c.Header("Cross-Origin-Resource-Policy", "cross-origin")
	c.Data(http.StatusOK, contentType, text)
	return nil
}

// preflight permits the request that Neo4j Browser makes for a guide, with headers
// that bypass caches and those of the tracing that it contains.
func (h neo4jBrowserHandlers) preflight(c *call) error {
	c.Header("Access-Control-Allow-Origin", "*")
	c.Header("Access-Control-Allow-Methods", http.MethodGet)
	c.Header("Access-Control-Allow-Headers", "*")
	c.Header("Access-Control-Max-Age", "600")
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()
	return nil
}
