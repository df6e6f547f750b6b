package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

const (
	// english is the language of index.html. Other languages have an index.<language>.html.
	english = "en"
	// languageCookie keeps the language that a person chose on the page.
	languageCookie = "headwater_language"
	// mostLanguages is how many entries of Accept-Language are read. Browsers send fewer than ten.
	mostLanguages = 50
)

// languageOf returns the language of an index file or of a file of the start page; false for other files.
func languageOf(name string) (string, bool) {
	if name == index || name == start {
		return english, true
	}
	rest, found := strings.CutPrefix(name, "index.")
	if !found {
		rest, found = strings.CutPrefix(name, "start.")
	}
	language, html := strings.CutSuffix(rest, ".html")
	return language, found && html && language != ""
}

// indexFor returns the name of a document, which is index or start, in the language of a request: the one that was
// chosen on the page, or else the one that the browser prefers, or else English.
func (p *Page) indexFor(r *http.Request, document string) string {
	language := p.preferred(r.Header.Values("Accept-Language"))
	if cookie, err := r.Cookie(languageCookie); err == nil && p.speaks(cookie.Value) {
		language = cookie.Value
	}
	name := document
	if language != english {
		name = strings.TrimSuffix(document, "html") + language + ".html"
	}
	if document == start && p.files[name] == nil {
		return p.indexFor(r, index)
	}
	return name
}

func (p *Page) speaks(language string) bool {
	return language == english || slices.Contains(p.languages, language)
}

// preferred reads Accept-Language. Of languages with the same weight, the first one counts;
// regions are not distinguished.
func (p *Page) preferred(headers []string) string {
	best, weight := english, 0.0
	entries := strings.SplitN(strings.Join(headers, ","), ",", mostLanguages+1)
	for _, one := range entries[:min(len(entries), mostLanguages)] {
		tag, parameters, _ := strings.Cut(one, ";")
		language, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
		if q := weightOf(parameters); p.speaks(language) && q > weight {
			best, weight = language, q
		}
	}
	return best
}

// weightOf returns the weight among the parameters of a choice in a header: 1 if there is
// none, 0 if it is not a number from 0 to 1.
func weightOf(parameters string) float64 {
	for _, one := range strings.Split(parameters, ";") {
		if q, ok := strings.CutPrefix(strings.ReplaceAll(strings.ToLower(one), " ", ""), "q="); ok {
			weight, err := strconv.ParseFloat(q, 64)
			if err != nil || !(weight >= 0 && weight <= 1) {
				return 0
			}
			return weight
		}
	}
	return 1
}
