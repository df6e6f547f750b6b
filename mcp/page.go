package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

// Paging are the arguments by which a tool is asked for a page.
type Paging struct {
	Start int `json:"start,omitempty" jsonschema:"where the page begins: the value next of the answer before"`
	Limit int `json:"limit,omitempty" jsonschema:"the most items in the answer"`
}

// Page says which part of a list an answer has.
type Page struct {
	Total   *int   `json:"total,omitempty" jsonschema:"how many items there are in all, if that is known"`
	Partial bool   `json:"partial" jsonschema:"whether something is missing in this answer"`
	Reason  string `json:"reason,omitempty" jsonschema:"what is missing and why"`
	Next    *int   `json:"next,omitempty" jsonschema:"the value of start that continues this answer"`
}

// lacks marks an answer as partial for a reason that the next page does not repair.
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

// continues says that the answer has n items from start on, of total, and that there
// are more.
func (p *Page) continues(start, n, total int) {
	p.Total = &total
	if next := start + n; n > 0 && next < total { // going on from an empty page would not end
		p.Next = &next
		p.lacks(fmt.Sprintf("these are %d of %d, continue with start %d", n, total, next))
	}
}

// pageOf cuts the page from a complete list, of a number of bytes at most.
func pageOf[T any](p *Page, of Paging, items []T, most int) []T {
	start := min(of.Start, len(items))
	kept := fitting(items[start:min(start+of.Limit, len(items))], most)
	p.continues(start, len(kept), len(items))
	return kept
}

// pageOfTwo cuts the page from two complete lists, each from the same place on.
func pageOfTwo[A, B any](p *Page, of Paging, as []A, bs []B) ([]A, []B) {
	a, b := as[min(of.Start, len(as)):], bs[min(of.Start, len(bs)):]
	keptA, keptB := fitting(a[:min(of.Limit, len(a))], limits.MaxAgentAnswer/2), fitting(b[:min(of.Limit, len(b))], limits.MaxAgentAnswer/2)
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

// fitting returns as many of the first items as fit into a number of bytes as JSON,
// and at least one.
func fitting[T any](items []T, most int) []T {
	size := 0
	for i := range items {
		text, err := json.Marshal(&items[i])
		if err != nil {
			continue // the library reports it
		}
		if size += len(text) + 1; size > most && i > 0 {
			return items[:i]
		}
	}
	if items == nil {
		return []T{}
	}
	return items
}

// clip shortens a text, and says by how much.
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

// moment reads an argument that is a moment; "" is 0.
func moment(name, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	at, ok := catalog.ParseMoment(strings.TrimSpace(text))
	if !ok || at < 0 {
		return 0, catalog.Errorf(catalog.Invalid, "%s: %q is not a moment; it must be %s", name, text, catalog.MomentForms)
	}
	return at, nil
}

// shown writes a moment so that it can be given as an argument, "" for none.
func shown(at int64) string {
	if at == 0 {
		return ""
	}
	return time.UnixMilli(at).UTC().Format("2006-01-02T15:04:05.000Z")
}
