package pages

import (
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/rest/call"
)

// Page is the web page for people.
type Page interface {
	// Serve answers a request for a file of the page, or for an address within the page. It
	// returns false, without an answer, if the page has no such file.
	Serve(w http.ResponseWriter, r *http.Request, name string) bool
}

// document is the name of the document of the screens that are not the start page.
const document = "index.html"

// screenHandlers serve the web page.
type screenHandlers struct {
	// page is nil if the server has no web page.
	page Page
	// signIn: authentication is on.
	signIn bool
	pages  pageHandlers
}

// start answers browsers with the web page, and programs with a description of the server. A person who must sign in first
// gets the document without the search box of the start page, which would be shown for a moment before the sign-in screen.
func (h screenHandlers) start(c *call.Call) error {
	c.Writer.Header().Add("Vary", "Accept")
	if h.page == nil || !wantsPage(c.Request.Header.Values("Accept")) {
		return h.pages.landing(c)
	}
	if h.signIn && requestinfo.CallerOf(c.Request.Context()).Means == requestinfo.NoMeans {
		return h.serve(c, document)
	}
	return h.serve(c, "")
}

// screen answers every path below /ui. The web page itself interprets the path.
func (h screenHandlers) screen(c *call.Call) error {
	return h.serve(c, strings.TrimPrefix(c.Param("tail"), "/"))
}

func (h screenHandlers) serve(c *call.Call, name string) error {
	if h.page == nil || !h.page.Serve(c.Writer, c.Request, name) {
		return catalog.Errorf(catalog.NotFound, "No root resource defined for path '%s'", c.Request.URL.Path)
	}
	return nil
}

// wantsPage reports whether an Accept header names text/html, as browsers do. Programs
// accept anything.
func wantsPage(headers []string) bool {
	for _, one := range strings.Split(strings.Join(headers, ","), ",") {
		name, weight, _ := strings.Cut(one, ";")
		if strings.EqualFold(strings.TrimSpace(name), "text/html") {
			return !strings.HasSuffix(strings.TrimRight(strings.ReplaceAll(weight, " ", ""), ".0"), "q=")
		}
	}
	return false
}
