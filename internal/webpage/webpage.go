// Package webpage sets what a page from the server may do in a browser.
package webpage

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
)

var (
	scripts = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	styles  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
)

// Policy is the content security policy of a page: it may load from this
// server, run the scripts and use the styles that are written in it, and be in
// no frame. Pages with text of callers in them must have none of it in scripts
// or styles.
func Policy(html string) string {
	return "default-src 'none'; script-src 'self'" + hashes(scripts, html) + "; style-src 'self'" + hashes(styles, html) +
		"; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

// hashes allow what is written in the page.
func hashes(element *regexp.Regexp, html string) string {
	var b strings.Builder
	for _, found := range element.FindAllStringSubmatch(html, -1) {
		sum := sha256.Sum256([]byte(found[1]))
		b.WriteString(" 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'")
	}
	return b.String()
}
