package pages

import (
	_ "embed"
	"net/http"
	"net/url"

	g "maragu.dev/gomponents"
	"maragu.dev/gomponents/html"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/cypher/browser"
	"github.com/headwater-io/headwater/rest/call"
)

// neo4jBrowserHandlers serve the files that are loaded into Neo4j Browser. A browser
// requests them for a page of another origin, so every caller gets the same answers.
type neo4jBrowserHandlers struct {
	catalog *services.Services
	neo4j   browser.Place
}

//go:embed neo4jbrowser.css
var neo4jBrowserStyle string

// overview is the page for people.
func (h neo4jBrowserHandlers) overview(c *call.Call) error {
	const title = "Neo4j Browser"
	return writePage(c, title, neo4jBrowserStyle,
		html.H1(g.Text(title)),
		place(h.neo4j, base(c)),
		html.P(link("/browser/guide", "Guide"), g.Text(", "), link("/browser/style.grass", "style sheet"), g.Text(", "), link("/browser/queries.zip", "saved queries")),
	)
}

// place describes where the graph is and how to look at it. base is the address of this
// server.
func place(n browser.Place, base string) g.Node {
	code := func(text string) g.Node { return html.Code(g.Text(text)) }
	if n.Address == "" {
		return html.P(
			g.Text("This server keeps the graph in its embedded store, so there is no Neo4j to open. To use one, start the server with "),
			code("--graph neo4j://user:password@host:7687"), g.Text("; "), code("headwater export"), g.Text(" and "), code("headwater import"), g.Text(" take the catalog along."),
		)
	}
	return g.Group{
		html.P(
			g.Text("The graph is in "), code(n.Address), g.If(n.Database != "", g.Group{g.Text(", database "), code(n.Database)}), g.Text(". "),
			link(openWith(n, base+"/browser/guide"), "Open Neo4j Browser with the guide"), g.Text(", or type in "), link(n.Browser, "Neo4j Browser"), g.Text(":"),
		),
		html.Pre(g.Text(":style " + base + "/browser/style.grass\n:play " + base + "/browser/guide")),
		html.P(
			g.Text("Neo4j Browser reads from the host "), code("localhost"), g.Text(". For other hosts, put their names into "),
			code("browser.remote_content_hostname_whitelist"), g.Text(" in "), code("neo4j.conf"), g.Text("."),
		),
		html.P(g.Text("To have the questions as saved queries, drop "), link("/browser/queries.zip", "queries.zip"), g.Text(" on the page of Neo4j Browser.")),
	}
}

// openWith returns the address at which Neo4j Browser opens and plays a guide.
func openWith(n browser.Place, guide string) string {
	query := url.Values{"cmd": {"play"}, "arg": {guide}}
	if n.Database != "" {
		query.Set("db", n.Database)
	}
	return n.Browser + "?" + query.Encode()
}

func (h neo4jBrowserHandlers) guide(c *call.Call) error {
	text, err := browser.Guide(base(c))
	if err != nil {
		return err
	}
	return writeFile(c, "text/html; charset=utf-8", text)
}

func (h neo4jBrowserHandlers) style(c *call.Call) error {
	registry := h.catalog.Registry()
	var labels []string
	for _, e := range registry.Entities() {
		labels = append(labels, e.Label)
	}
	return writeFile(c, "text/plain; charset=utf-8", []byte(browser.Style(labels, registry.RelationshipNames())))
}

func (h neo4jBrowserHandlers) queries(c *call.Call) error {
	text, err := browser.Archive()
	if err != nil {
		return err
	}
	c.Header("Content-Disposition", `attachment; filename="headwater-queries.zip"`)
	return writeFile(c, "application/zip", text)
}

// writeFile answers with a file that pages of any origin may read.
func writeFile(c *call.Call, contentType string, text []byte) error {
	c.Header("Access-Control-Allow-Origin", "*")
	c.Header("Cross-Origin-Resource-Policy", "cross-origin")
	c.Data(http.StatusOK, contentType, text)
	return nil
}

// preflight permits the request of Neo4j Browser for a guide. The request has headers that bypass
// caches, and the headers of the browser's tracing.
func (h neo4jBrowserHandlers) preflight(c *call.Call) error {
	c.Header("Access-Control-Allow-Origin", "*")
	c.Header("Access-Control-Allow-Methods", http.MethodGet)
	c.Header("Access-Control-Allow-Headers", "*")
	c.Header("Access-Control-Max-Age", "600")
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()
	return nil
}
