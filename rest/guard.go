package rest

import (
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/rest/call"
)

// Guard decides which requests of browsers are answered.
type Guard struct {
	// TrustedOrigins are other sites whose pages may send requests, in the form of the
	// header Origin: "https://catalog.example.com".
	TrustedOrigins []string
	// Local: the server is only for this machine. It then refuses host names that a page of
	// another site has directed to this machine.
	Local bool
	// Hosts are the host names that a local server accepts besides localhost and
	// addresses, without a port.
	Hosts []string
}

// guarding is a guard with the standard library's check of origins.
type guarding struct {
	Guard
	origins *http.CrossOriginProtection
}

// SetGuard replaces the guard for all requests from now on.
func (s *Server) SetGuard(g Guard) {
	s.guarding.Store(&guarding{g, originsOf(g.TrustedOrigins)})
}

// pagePolicy is the security policy of answers that are not pages: a browser runs nothing
// in them, loads nothing for them, and shows them in no frame.
const pagePolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// hardening are headers that every answer has. Pages replace the policy by one that permits
// their own parts.
var hardening = []call.Header{
	call.NewHeader("X-Content-Type-Options", "nosniff"),
	call.NewHeader("X-Frame-Options", "DENY"),
	call.NewHeader("Referrer-Policy", "no-referrer"),
	call.NewHeader("Cross-Origin-Resource-Policy", "same-origin"),
	call.NewHeader("Content-Security-Policy", pagePolicy),
}

// guard refuses requests from pages of other sites.
func (s *Server) guard(c *gin.Context) {
	for _, h := range hardening {
		h.Set(c.Writer.Header())
	}
	g := s.guarding.Load()
	err := g.checkHost(c.Request)
	if err == nil {
		err = s.checkOrigin(c, g.origins)
	}
	if err != nil {
		s.call(c).Fail(err)
	}
}

// checkHost refuses host names that are not names of this machine. A page can direct a name
// of its own site to this machine; without the check, the page and this server would have
// the same origin.
func (g *guarding) checkHost(r *http.Request) error {
	if !g.Local || r.Host == "" {
		return nil
	}
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	address, _, _ := strings.Cut(name, "%")
	if name == "localhost" || strings.HasSuffix(name, ".localhost") || net.ParseIP(address) != nil || slices.ContainsFunc(g.Hosts, func(host string) bool {
		return strings.EqualFold(host, name)
	}) {
		return nil
	}
	return catalog.Errorf(catalog.Forbidden, "this server is only for this machine and does not accept the host name %q; the setting allowed-hosts adds names", name)
}

// open are the paths that pages of other sites may show or request: their answers
// are small and not secret.
var open = []string{"/", "/config", "/health", "/docs", "/restli/docs", "/openapi.json", "/openapi/v3/api-docs", "/openapi/swagger-ui", "/openapi/up", "/api/graphiql", "/browser", "/favicon.ico"}

func isOpen(path string) bool {
	return slices.ContainsFunc(open, func(o string) bool {
		return path == o || o != "/" && strings.HasPrefix(path, o+"/")
	})
}

// checkOrigin refuses requests that a browser sends for a page of another site. It refuses
// reads too, because they may be expensive. A user may follow a link to a read, but not to
// an endpoint without a time limit.
func (s *Server) checkOrigin(c *gin.Context, origins *http.CrossOriginProtection) error {
	r := c.Request
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions
	if reads {
		if isOpen(r.URL.Path) {
			return nil
		}
		// The library accepts all reads, so it is shown a POST.
		r = &http.Request{Method: http.MethodPost, URL: r.URL, Host: r.Host, Header: r.Header}
	}
	if origins.Check(r) == nil {
		return nil
	}
	if reads && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" && s.unbounded(c) == nil {
		return nil
	}
	return catalog.Errorf(catalog.Forbidden, "pages of other sites may not send this request; the setting trusted-origins allows sites")
}

// originsOf makes the library's check of origins. Invalid origins cannot occur here: the
// settings refuse them.
func originsOf(trusted []string) *http.CrossOriginProtection {
	p := http.NewCrossOriginProtection()
	for _, origin := range trusted {
		_ = p.AddTrustedOrigin(origin)
	}
	return p
}
