package oidc

import (
	"net/url"
	"strings"
	"unicode"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

// CheckReturnTo refuses every text that is not a path of our own pages. Browsers drop tabs and line ends from
// addresses, read a backslash as a slash, and take a text that begins with two slashes for another host.
func CheckReturnTo(path string) error {
	refused := func(why string) error {
		return catalog.Errorf(catalog.Invalid, "the page to return to %s: it must be a path of this server, such as /search", why)
	}
	if len(path) > limits.MaxReturnTo {
		return refused("is too long")
	}
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || u.Opaque != "" {
		return refused("is no path")
	}
	for _, form := range []string{path, u.Path} {
		if !strings.HasPrefix(form, "/") || strings.HasPrefix(form, "//") || strings.Contains(form, `\`) ||
			strings.ContainsFunc(form, func(r rune) bool { return !unicode.IsPrint(r) && r != ' ' || r == unicode.ReplacementChar }) {
			return refused("is no path of this server")
		}
	}
	// A browser removes the parts . and .. before it looks at the beginning.
	for part := range strings.SplitSeq(u.Path, "/") {
		if part == "." || part == ".." {
			return refused("has the part . or ..")
		}
	}
	return nil
}
