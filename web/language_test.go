package web

import (
	"archive/zip"
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// archiveOf returns a page whose files hold their own names.
func archiveOf(t *testing.T, names ...string) *Page {
	t.Helper()
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, name := range names {
		entry, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entry.Write([]byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := open(archive.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLanguages: the page comes in the language that was chosen, or else in the one that the
// browser prefers, or else in English.
func TestLanguages(t *testing.T) {
	p := archiveOf(t, "index.html", "index.fr.html", "index.de.html", "indexed.html")
	for _, c := range []struct{ accept, cookie, want string }{
		{"", "", "index.html"},
		{"de", "", "index.de.html"},
		{"de-AT,de;q=0.9,en;q=0.8", "", "index.de.html"},
		{"en-GB,en;q=0.9,de;q=0.8", "", "index.html"},
		{"it,FR-ca;q=0.7,de;q=0.6", "", "index.fr.html"},
		{"de;q=0.5, fr;q=0.5", "", "index.de.html"},
		{"de;q=0", "", "index.html"},
		{"de;q=nonsense,de;q=NaN,de;q=7", "", "index.html"},
		{"*", "", "index.html"},
		{"../../etc/passwd,ed", "", "index.html"},
		{strings.Repeat("it,", mostLanguages-1) + "de", "", "index.de.html"},
		{strings.Repeat("it,", mostLanguages) + "de", "", "index.html"},
		{"de", "headwater_language=en", "index.html"},
		{"", "headwater_language=fr", "index.fr.html"},
		{"de", "headwater_language=it", "index.de.html"},
		{"", "headwater_language=../assets/a", "index.html"},
	} {
		for _, name := range []string{"", index, "search"} {
			headers := []string{"Accept-Language", c.accept}
			if c.cookie != "" {
				headers = append(headers, "Cookie", c.cookie)
			}
			w, served := serve(p, http.MethodGet, name, headers...)
			if !served || w.Body.String() != c.want || w.Header().Get("Cache-Control") != "no-cache" {
				t.Errorf("%.60q, %q: %q %v, want %s", c.accept, c.cookie, w.Body, w.Header(), c.want)
			}
			if vary := strings.Join(w.Header().Values("Vary"), ", "); !strings.Contains(vary, "Accept-Language") || !strings.Contains(vary, "Cookie") {
				t.Errorf("Vary: %s", vary)
			}
		}
	}
	if w, _ := serve(p, http.MethodGet, "index.fr.html", "Accept-Language", "de"); w.Body.String() != "index.fr.html" {
		t.Errorf("a file by its name: %q", w.Body)
	}
}

// TestStartPage: the start page has a document of its own in each language. A build without one has only the other.
func TestStartPage(t *testing.T) {
	p := archiveOf(t, "index.html", "index.de.html", "index.fr.html", "start.html", "start.de.html")
	for _, c := range []struct{ name, accept, want string }{
		{"", "", "start.html"},
		{"", "de", "start.de.html"},
		{"", "fr", "index.fr.html"},
		{"search", "de", "index.de.html"},
		{index, "", "index.html"},
		{"start.html", "de", "start.html"},
	} {
		w, served := serve(p, http.MethodGet, c.name, "Accept-Language", c.accept)
		if !served || w.Body.String() != c.want || w.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%q in %q: %q %v, want %s", c.name, c.accept, w.Body, w.Header(), c.want)
		}
	}
	if got := strings.Join(p.languages, " "); got != "de fr" {
		t.Errorf("languages: %s", got)
	}
}
