package web

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func page(t *testing.T) *Page {
	t.Helper()
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func serve(p *Page, method, name string, headers ...string) (*httptest.ResponseRecorder, bool) {
	r := httptest.NewRequest(method, "/", http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	served := p.Serve(w, r, name)
	return w, served
}

func unzip(t *testing.T, packed []byte) string {
	t.Helper()
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestFiles: every file of the page arrives complete, compressed and plain, with its own tag.
// The answer to HEAD has the same headers and no body.
func TestFiles(t *testing.T) {
	p := page(t)
	if len(p.files) < 10 {
		t.Fatalf("only %d files", len(p.files))
	}
	archive, err := zip.NewReader(bytes.NewReader(dist), int64(len(dist)))
	if err != nil {
		t.Fatal(err)
	}
	tags := map[string]string{}
	for _, entry := range archive.File {
		name := entry.Name
		content, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		want, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		for _, accept := range []string{"gzip", "identity"} {
			w, served := serve(p, http.MethodGet, name, "Accept-Encoding", accept)
			h := w.Header()
			if !served || w.Code != http.StatusOK || h.Get("Content-Length") != strconv.Itoa(w.Body.Len()) || h.Get("Content-Security-Policy") != Policy || h.Values("Vary")[len(h.Values("Vary"))-1] != "Accept-Encoding" {
				t.Errorf("%s, %s: %d %v", name, accept, w.Code, h)
			}
			if zipped := h.Get("Content-Encoding") == "gzip"; zipped != (accept == "gzip") {
				t.Errorf("%s: the encoding is %q, but %s is accepted", name, h.Get("Content-Encoding"), accept)
			} else if text := w.Body.String(); zipped && unzip(t, w.Body.Bytes()) != string(want) || !zipped && text != string(want) {
				t.Errorf("%s, %s: not its content", name, accept)
			}
			// Builds of several languages share files.
			if other, known := tags[h.Get("ETag")]; known && other != string(want)+accept || h.Get("ETag") == "" {
				t.Errorf("%s has the tag %s, as another file or encoding", name, h.Get("ETag"))
			}
			tags[h.Get("ETag")] = string(want) + accept
			immutable := strings.Contains(h.Get("Cache-Control"), "immutable")
			if _, isIndex := languageOf(name); immutable != strings.HasPrefix(name, assets) || isIndex && h.Get("Cache-Control") != "no-cache" {
				t.Errorf("%s: Cache-Control %s", name, h.Get("Cache-Control"))
			}
			if got := h.Get("Content-Type"); got != types[path.Ext(name)] {
				t.Errorf("%s is %s", name, got)
			}
			head, _ := serve(p, http.MethodHead, name, "Accept-Encoding", accept)
			if head.Body.Len() > 0 || head.Code != w.Code || head.Header().Get("Content-Length") != h.Get("Content-Length") || head.Header().Get("ETag") != h.Get("ETag") {
				t.Errorf("HEAD %s, %s: %d %v", name, accept, head.Code, head.Header())
			}
			second, _ := serve(p, http.MethodGet, name, "Accept-Encoding", accept, "If-None-Match", `"other", W/`+h.Get("ETag"))
			if second.Code != http.StatusNotModified || second.Body.Len() > 0 || second.Header().Get("ETag") != h.Get("ETag") {
				t.Errorf("%s once more: %d", name, second.Code)
			}
		}
	}
}

// TestAddresses: a name that is no file is an address within the page, but a missing asset is
// not found. No name leads out of the archive.
func TestAddresses(t *testing.T) {
	p := page(t)
	for _, name := range []string{
		"", "/", "search", "entity/urn:li:dataset:(urn:li:dataPlatform:hive,a/b,PROD)", "../embed.go", "../../etc/passwd", "/etc/passwd",
		"icon.svg/", "assets", "Index.html", "a\x00b", strings.Repeat("a/", 5000), `..\index.html`,
	} {
		w, served := serve(p, http.MethodGet, name)
		if !served || w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `<div id="app">`) || w.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%.60q: %v %d %v", name, served, w.Code, w.Header())
		}
	}
	for _, name := range []string{"assets/", "assets/index-00000000.js", "assets/../index.html", "assets/../../embed.go", "assets//index.html"} {
		if w, served := serve(p, http.MethodGet, name); served || w.Body.Len() > 0 || len(w.Header()) > 0 {
			t.Errorf("%q was answered: %d %v", name, w.Code, w.Header())
		}
	}
}

// TestIndex: no document of the page has anything that its policy forbids, and every file that it names
// exists.
func TestIndex(t *testing.T) {
	p := page(t)
	others := []string{"/", "/restli/docs", "/auth/options"}
	for _, address := range []string{"", "search"} {
		w, _ := serve(p, http.MethodGet, address)
		text := w.Body.String()
		if found := regexp.MustCompile(`(?i)<style|\sstyle=|\son\w+=|<script(?:[^>]*)>[^<]`).FindString(text); found != "" {
			t.Errorf("%q has inline: %s", address, found)
		}
		scripts := 0
		for _, match := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(text, -1) {
			name, own := strings.CutPrefix(match[1], "/ui/")
			if !slices.Contains(others, match[1]) && (!own || p.files[name] == nil) {
				t.Errorf("%q names %s, which is not in the archive", address, match[1])
			}
			if path.Ext(name) == ".js" {
				scripts++
			}
		}
		if scripts == 0 {
			t.Errorf("%q has no script", address)
		}
	}
}

func TestAcceptsGzip(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "gzip": true, "br, GZIP;q=0.5": true, "gzip;q=0": false, "gzip; q=0.000, *": false, "*": true, "*;q=0": false,
		"identity": false, "gzipped": false, "br;q=1.0, gzip;q=0.8, *;q=0.1": true, "gzip;q=nonsense": true,
	} {
		if got := acceptsGzip([]string{header}); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
	if !acceptsGzip([]string{"br", "gzip"}) {
		t.Error("two headers")
	}
}

// TestDamaged: an archive that does not have the page is refused when the server starts.
func TestDamaged(t *testing.T) {
	archive := func(name string, method uint16) []byte {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		entry, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(entry, "text"); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for name, damaged := range map[string][]byte{
		"nothing": nil, "half": dist[:len(dist)/2], "no index": archive("assets/a.js", zip.Deflate),
		"an unknown type": archive("index.exe", zip.Deflate), "not deflated": archive(index, zip.Store),
	} {
		if _, err := open(damaged); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := open(archive(index, zip.Deflate)); err != nil {
		t.Error(err)
	}
}

// TestDamagedFile: no cache keeps the error for a file that cannot be unpacked as if it were
// the file.
func TestDamagedFile(t *testing.T) {
	p := &Page{files: map[string]*file{assets + "a.js": {mediaType: "text/javascript", tag: "t", gzip: bytes.Repeat([]byte{0xff}, 30)}}}
	w, served := serve(p, http.MethodGet, assets+"a.js", "Accept-Encoding", "identity")
	if got := w.Header().Get("Cache-Control"); !served || w.Code != http.StatusInternalServerError || got != "no-store" {
		t.Errorf("%d, Cache-Control %q", w.Code, got)
	}
}

// TestPolicies: only the screens of a sign-in that a program waits for allow code that is made from text.
func TestPolicies(t *testing.T) {
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"signed-in":                                          SignInPolicy,
		"login?redirect_uri=%2Fui%2Fsigned-in":               SignInPolicy,
		"login":                                              Policy,
		"login?redirect_uri=%2Fui%2Fsearch":                  Policy,
		"login?redirect_uri=/ui/signed-in/x":                 Policy,
		"search?redirect_uri=%2Fui%2Fsigned-in":              Policy,
		"entity/urn:li:tag:x?redirect_uri=%2Fui%2Fsigned-in": Policy,
		"signed-in/x":                                        Policy,
	} {
		r := httptest.NewRequest(http.MethodGet, "/ui/"+address, nil)
		w := httptest.NewRecorder()
		if !p.Serve(w, r, strings.TrimPrefix(r.URL.Path, "/ui/")) || w.Header().Get("Content-Security-Policy") != want {
			t.Errorf("%s: %d %s", address, w.Code, w.Header().Get("Content-Security-Policy"))
		}
	}
	if SignInPolicy == Policy {
		t.Error("the policies are the same")
	}
}

// TestSize: the scripts and styles of a language have a bound together. Each screen loads a part of them
// (web/e2e/sample/size.spec.ts).
func TestSize(t *testing.T) {
	const most = 540_000
	p := page(t)
	sizes := map[string]int{}
	for name, f := range p.files {
		inAssets, ok := strings.CutPrefix(name, assets)
		if !ok || path.Ext(name) != ".js" && path.Ext(name) != ".css" {
			continue
		}
		language, _, folder := strings.Cut(inAssets, "/")
		if !folder {
			language = english
		}
		sizes[language] += len(f.gzip)
	}
	if len(sizes) != len(p.languages)+1 {
		t.Errorf("files of %d languages, but the page has %d", len(sizes), len(p.languages)+1)
	}
	for language, size := range sizes {
		if size > most {
			t.Errorf("%s: %d bytes, more than %d", language, size, most)
		}
	}
}
