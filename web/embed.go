// Package web serves the web page. The source of the page is TypeScript and Svelte. "make web"
// builds the page and packs the result into dist.zip, which is committed, so that a build of
// the server needs no Node. See docs/decisions/0062-web-page.md.
package web

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
)

//go:embed dist.zip
var dist []byte

const (
	index = "index.html"
	// start is the document of the start page, which has a search box in itself. Builds without it have only index.
	start  = "start.html"
	assets = "assets/"
)

// Policy is the content security policy of the page: the page loads files from this server
// only, and has no inline code.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
	"connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// SignInPolicy is the policy of the screens of a sign-in that a program waits for. It is Policy, and allows
// code that is made from text, because such programs ask the screen in this way whether the sign-in has ended:
// `datahub init --sso` does. The screens themselves make no code from text.
var SignInPolicy = strings.Replace(Policy, "script-src 'self'", "script-src 'self' 'unsafe-eval'", 1)

// signedIn is the screen on which the sign-in of a program ends, below /ui/.
const signedIn = "signed-in"

// policyOf returns the policy of a screen.
func policyOf(r *http.Request, name string) string {
	if name == signedIn || name == "login" && r.URL.Query().Get("redirect_uri") == "/ui/"+signedIn {
		return SignInPolicy
	}
	return Policy
}

// types are the media types of the files that a build may have.
var types = map[string]string{
	".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8", ".woff2": "font/woff2",
}

// Page is the built page.
type Page struct {
	files map[string]*file
	// languages are the languages beside English, sorted.
	languages []string
}

// file is one file of the page, compressed.
type file struct {
	mediaType string
	// tag identifies the content of the file.
	tag string
	// gzip is the whole answer to a client that accepts gzip. size is the size of the unpacked
	// text.
	gzip []byte
	size int
}

// New returns the page that is in the binary. It fails only if the archive is damaged.
func New() (*Page, error) { return open(dist) }

// open reads an archive. The files stay compressed: the deflated bytes of the archive are sent
// unchanged, between the header and the trailer of gzip.
func open(archive []byte) (*Page, error) {
	reader, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, fmt.Errorf("the archive of the web page: %w", err)
	}
	p := &Page{files: map[string]*file{}}
	for _, entry := range reader.File {
		f, err := read(entry)
		if err != nil {
			return nil, fmt.Errorf("%s in the archive of the web page: %w", entry.Name, err)
		}
		p.files[entry.Name] = f
		if language, ok := languageOf(entry.Name); ok && language != english && strings.HasPrefix(entry.Name, "index.") {
			p.languages = append(p.languages, language)
		}
	}
	slices.Sort(p.languages)
	if p.files[index] == nil {
		return nil, fmt.Errorf("the archive of the web page has no %s", index)
	}
	return p, nil
}

func read(entry *zip.File) (*file, error) {
	mediaType := types[path.Ext(entry.Name)]
	if mediaType == "" || entry.Method != zip.Deflate {
		return nil, fmt.Errorf("not a file of a page")
	}
	raw, err := entry.OpenRaw()
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	packed.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255}) // deflate; no time, no name
	if _, err := io.Copy(&packed, raw); err != nil {
		return nil, err
	}
	var foot [8]byte
	binary.LittleEndian.PutUint32(foot[:], entry.CRC32)
	binary.LittleEndian.PutUint32(foot[4:], uint32(entry.UncompressedSize64))
	packed.Write(foot[:])
	sum := sha256.Sum256(packed.Bytes())
	return &file{mediaType: mediaType, tag: hex.EncodeToString(sum[:12]), gzip: packed.Bytes(), size: int(entry.UncompressedSize64)}, nil
}

// text returns the unpacked content of the file.
func (f *file) text() ([]byte, error) {
	packed := f.gzip[10 : len(f.gzip)-8]
	text := bytes.NewBuffer(make([]byte, 0, f.size))
	if _, err := io.Copy(text, flate.NewReader(bytes.NewReader(packed))); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

// Serve answers a request for a file of the page. A name that is no file is an address within
// the page, and the answer is the index file in the language of the request. For a missing file among the assets, which belongs to
// an older build, Serve answers nothing and returns false.
func (p *Page) Serve(w http.ResponseWriter, r *http.Request, name string) bool {
	f, policy := p.files[name], policyOf(r, name)
	h := w.Header()
	if f == nil || name == index {
		if strings.HasPrefix(name, assets) {
			return false
		}
		document := index
		if name == "" {
			document = start
		}
		name = p.indexFor(r, document)
		f = p.files[name]
		h.Add("Vary", "Accept-Language, Cookie")
	}
	_, isIndex := languageOf(name)
	switch {
	case strings.HasPrefix(name, assets): // the names of assets change with their content
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	case isIndex:
		h.Set("Cache-Control", "no-cache")
	default:
		h.Set("Cache-Control", "max-age=3600")
	}
	h.Set("Content-Type", f.mediaType)
	h.Set("Content-Security-Policy", policy)
	if !strings.Contains(strings.Join(h.Values("Vary"), ","), "Accept-Encoding") {
		h.Add("Vary", "Accept-Encoding")
	}
	body, tag := f.gzip, `"`+f.tag+`-gzip"`
	zipped := acceptsGzip(r.Header.Values("Accept-Encoding"))
	if !zipped {
		text, err := f.text()
		if err != nil {
			h.Set("Cache-Control", "no-store")
			http.Error(w, "the web page is damaged in this binary", http.StatusInternalServerError)
			return true
		}
		body, tag = text, `"`+f.tag+`"`
	}
	h.Set("ETag", tag)
	if matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return true
	}
	if zipped {
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // an error means that the caller has disconnected
	}
	return true
}

// acceptsGzip reads Accept-Encoding. An entry for gzip takes precedence over an entry for *.
func acceptsGzip(headers []string) bool {
	accepted := map[string]bool{}
	for _, one := range strings.Split(strings.Join(headers, ","), ",") {
		coding, weight, _ := strings.Cut(one, ";")
		accepted[strings.ToLower(strings.TrimSpace(coding))] = !zero(weight)
	}
	if gzip, named := accepted["gzip"]; named {
		return gzip
	}
	return accepted["*"]
}

// zero reports whether the parameters of a choice in a header give it the weight 0.
func zero(parameters string) bool {
	for _, one := range strings.Split(parameters, ";") {
		if q, ok := strings.CutPrefix(strings.ReplaceAll(strings.ToLower(one), " ", ""), "q="); ok {
			weight, err := strconv.ParseFloat(q, 64)
			return err == nil && weight == 0
		}
	}
	return false
}

// matches reads If-None-Match. The comparison is weak.
func matches(headers []string, tag string) bool {
	for _, one := range strings.Split(strings.Join(headers, ","), ",") {
		one = strings.TrimSpace(one)
		if one == "*" || strings.TrimPrefix(one, "W/") == tag {
			return true
		}
	}
	return false
}
