// Package webpage sets the permissions of a page of the server in a browser.
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

// Policy returns the content security policy of a page. The page may load from this server
// and use its own inline scripts and styles. It must not be shown in a frame. A page must
// not have text of callers in scripts or styles.
func Policy(html string) string {
	return "default-src 'none'; script-src 'self'" + hashes(scripts, html) + "; style-src 'self'" + hashes(styles, html) +
		"; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

// hashes returns the hashes that permit the page's inline scripts or styles.
func hashes(element *regexp.Regexp, html string) string {
	var b strings.Builder
	for _, found := range element.FindAllStringSubmatch(html, -1) {
		sum := sha256.Sum256([]byte(found[1]))
		b.WriteString(" 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'")
	}
	return b.String()
}
