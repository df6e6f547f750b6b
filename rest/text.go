package rest

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/checktext"
	"github.com/headwater-io/headwater/rest/call"
)

// text refuses invalid Unicode in the path, the parameters, the headers of readHeaders, and
// the body while it is read. Decoders would replace invalid text, so that different texts
// would become equal.
func (s *Server) text(c *gin.Context) {
	if where := badText(c); where != "" {
		s.call(c).Fail(catalog.Errorf(catalog.Invalid, "%s: %w", where, checktext.ErrEncoding))
		return
	}
	if c.Request.Body != http.NoBody {
		c.Request.Body = textBody{checktext.NewReader(c.Request.Body), c.Request.Body}
	}
	c.Next()
}

// readHeaders are the headers whose text is used.
var readHeaders = []call.Header{call.NewHeader(call.ActorHeader), call.NewHeader(call.WaitHeader), call.NewHeader("Last-Event-ID")}

// badText names the part of a request before its body that is not UTF-8, or returns "".
func badText(c *gin.Context) string {
	if !utf8.ValidString(c.Request.URL.Path) {
		return "the path"
	}
	if query, err := url.QueryUnescape(c.Request.URL.RawQuery); err == nil && !utf8.ValidString(query) {
		return "the parameters"
	}
	for _, h := range readHeaders {
		if !utf8.ValidString(h.Of(c.Request.Header)) {
			return "header " + h.Name
		}
	}
	return ""
}

// textBody is a request body that checks its text. The texts of its errors are for the
// caller.
type textBody struct {
	*checktext.Reader
	io.Closer
}

func (b textBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, checktext.ErrEncoding) || errors.Is(err, checktext.ErrSurrogate) {
		return n, catalog.Errorf(catalog.Invalid, "the body: %w", err)
	}
	return n, err
}
