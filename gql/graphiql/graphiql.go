// Package graphiql serves the page in which people try GraphQL queries. All files of the page
// are in the binary. fetch.sh says where the parts that others wrote come from.
package graphiql

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/headwater-io/headwater/internal/webpage"
)

//go:embed index.html start.js assets
var files embed.FS

// types are the media types of the files of the page.
var types = map[string]string{
	".html": "text/html;charset=utf-8", ".js": "text/javascript;charset=utf-8", ".css": "text/css;charset=utf-8", ".txt": "text/plain;charset=utf-8",
}

// Handler serves the page at a path, and the files of the page below this path.
func Handler(at string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.Trim(strings.TrimPrefix(r.URL.Path, at), "/")
		if name == "" {
			name = "index.html"
		}
		text, ok := read(name)
		if !ok {
			http.NotFound(w, r)
			return
		}
		if name == "index.html" {
			w.Header().Set("Content-Security-Policy", webpage.Policy(string(text)))
		}
		w.Header().Set("Content-Type", types[path.Ext(name)])
		w.Header().Set("Cache-Control", "max-age=3600")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
	})
}

// read returns a file. A file that is stored compressed is unpacked.
func read(name string) ([]byte, bool) {
	if strings.Contains(name, "/") {
		return nil, false
	}
	for _, candidate := range []string{name, "assets/" + name} {
		if text, err := files.ReadFile(candidate); err == nil {
			return text, true
		}
	}
	packed, err := files.Open("assets/" + name + ".gz")
	if err != nil {
		return nil, false
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return nil, false
	}
	text, err := io.ReadAll(unpacked)
	return text, err == nil
}
