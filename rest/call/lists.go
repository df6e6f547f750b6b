package call

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/checktext"
)

// rawValues returns the undecoded values of a query parameter. Values of lists must be
// split before they are decoded, because items may contain encoded commas and parentheses.
func rawValues(query, name string) []string {
	var values []string
	for pair := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(key); err == nil && decoded == name {
			values = append(values, value)
		}
	}
	return values
}

// parseList reads a list parameter in any of its spellings: Rest.li's List(a,b)
// with each item percent-encoded, the same percent-encoded as a whole, plain a,b,
// and repeated parameters. Without a value the list is empty.
func parseList(query, name string) ([]string, error) {
	items := []string{}
	for _, raw := range rawValues(query, name) {
		parsed, err := parseListValue(raw)
		if err != nil {
			return nil, catalog.Errorf(catalog.Invalid, "parameter %s: %w", name, err)
		}
		items = append(items, parsed...)
	}
	return items, nil
}

func parseListValue(raw string) ([]string, error) {
	raws, decode, err := ListItems(raw)
	if err != nil {
		return nil, err
	}
	items := []string{}
	for _, item := range raws {
		if item, err = decode(item); err != nil {
			return nil, err
		}
		if item != "" {
			items = append(items, item)
		}
	}
	return items, nil
}

// ListItems splits a list into its items. decode must be applied to each item.
func ListItems(raw string) (items []string, decode func(string) (string, error), err error) {
	encodedWhole := strings.HasPrefix(strings.ToLower(raw), "list%28")
	if encodedWhole {
		if raw, err = url.PathUnescape(raw); err != nil {
			return nil, nil, err
		}
	}
	if inner, ok := strings.CutPrefix(raw, "List("); ok {
		if raw, ok = strings.CutSuffix(inner, ")"); !ok {
			return nil, nil, catalog.Errorf(catalog.Invalid, "a List( is not closed")
		}
	}
	return SplitItems(raw), func(item string) (string, error) {
		// If the whole list was encoded, splitting it has already decoded its items once, and
		// an item may need no more decoding.
		if !encodedWhole || strings.HasPrefix(strings.ToLower(item), "urn%3a") {
			decoded, err := url.PathUnescape(item)
			if err != nil {
				return "", err
			}
			item = decoded
		}
		if !utf8.ValidString(item) { // the second decoding may produce invalid text
			return "", checktext.ErrEncoding
		}
		return item, nil
	}, nil
}

// SplitItems splits a list at the commas outside parentheses, so that it does not split a
// URN whose parentheses are not encoded.
func SplitItems(list string) []string {
	var items []string
	depth, start := 0, 0
	for i := range len(list) {
		switch list[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				items = append(items, list[start:i])
				start = i + 1
			}
		}
	}
	return append(items, list[start:])
}
