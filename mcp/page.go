package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/wording"
)

// Paging are the arguments that ask a tool for a page.
type Paging struct {
	Start int `json:"start,omitempty" jsonschema:"where the page begins: the value next of the answer before"`
	Limit int `json:"limit,omitempty" jsonschema:"the most items in the answer"`
}

// Page says which part of a list is in an answer.
type Page struct {
	// Total is the number of all items, if it is known.
	Total *int `json:"total,omitempty"`
	// Partial says whether the answer lacks items.
	Partial bool `json:"partial"`
	// Reason says which items the answer lacks, and why.
	Reason string `json:"reason,omitempty"`
	// Next is the value of the argument start with which a call continues this answer.
	Next *int `json:"next,omitempty"`
}

// lacks marks an answer as partial. The reason remains on the next page.
func (p *Page) lacks(reason string) {
	if reason == "" {
		return
	}
	p.Partial = true
	if p.Reason != "" {
		reason = p.Reason + "; " + reason
	}
	p.Reason = reason
}

// continues says that the answer has n of total items, from start on, and that more items
// follow.
func (p *Page) continues(start, n, total int) {
	p.Total = &total
	if next := start + n; n > 0 && next < total { // after an empty page, a caller would continue without end
		p.Next = &next
		p.lacks(fmt.Sprintf("these are %d of %d, continue with start %d", n, total, next))
	}
}

// pageOf cuts the page from a complete list. fit returns as many of the first items as fit into
// an answer.
func pageOf[T any](p *Page, of Paging, items []T, fit func([]T) []T) []T {
	start := min(of.Start, len(items))
	page := fit(items[start:min(start+of.Limit, len(items))])
	p.continues(start, len(page), len(items))
	return page
}

// pageOfTwo cuts the page from two complete lists, from the same position in each.
func pageOfTwo[A, B any](p *Page, of Paging, as []A, fitA func([]A) []A, bs []B, fitB func([]B) []B) ([]A, []B) {
	a, b := as[min(of.Start, len(as)):], bs[min(of.Start, len(bs)):]
	keptA, keptB := fitA(a[:min(of.Limit, len(a))]), fitB(b[:min(of.Limit, len(b))])
	n := of.Limit
	if len(keptA) < len(a) {
		n = min(n, len(keptA))
	}
	if len(keptB) < len(b) {
		n = min(n, len(keptB))
	}
	p.continues(of.Start, n, max(len(as), len(bs)))
	return keptA[:min(n, len(keptA))], keptB[:min(n, len(keptB))]
}

// fitting returns as many of the first items as fit, as JSON, into a number of bytes. It
// returns at least one item.
func fitting[T any](items []T, most int) []T {
	size := 0
	for i := range items {
		if size += sizeOf(&items[i]); size > most && i > 0 {
			return items[:i]
		}
	}
	return listOf(items)
}

// fits returns fitting for a fixed number of bytes.
func fits[T any](most int) func([]T) []T {
	return func(items []T) []T { return fitting(items, most) }
}

// sizeOf is the number of bytes of an item of a list as JSON.
func sizeOf(item any) int {
	text, err := asJSON(item)
	if err != nil {
		return 0 // the whole answer then fails to be written as JSON
	}
	return len(text) + len(",")
}

// asJSON writes a value as JSON. It leaves < and > unchanged, because SQL has many of them.
func asJSON(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// listOf returns a list that is not null in JSON.
func listOf[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

// clip shortens a text to at most a number of bytes, and adds how many bytes are left out.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d more bytes)", text[:cut], len(text)-cut)
}

// moment reads an argument that is a moment. For "", it returns 0.
func moment(name, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	at, ok := wording.ParseMoment(strings.TrimSpace(text))
	if !ok || at < 0 {
		return 0, catalog.Errorf(catalog.Invalid, "%s: %q is not a moment; it must be %s", name, text, wording.MomentForms)
	}
	return at, nil
}

// shown writes a moment in a form that arguments accept, "" for 0. Milliseconds are written
// only if they are not zero.
func shown(at int64) string {
	if at == 0 {
		return ""
	}
	return time.UnixMilli(at).UTC().Format("2006-01-02T15:04:05.999Z")
}
