package mcp

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Statement says who or what stated items of an answer. Items that nobody stated have no
// statement.
type Statement struct {
	// Number is the number by which items refer to the statement.
	Number     int      `json:"number"`
	Actor      string   `json:"actor,omitempty"`
	Run        string   `json:"run,omitempty"`
	Source     string   `json:"source,omitempty"`
	Since      string   `json:"since,omitempty"`
	Confidence *float64 `json:"confidence,omitempty"`
	Query      string   `json:"query,omitempty"`
	at         int64
}

// Said is the part of an item that refers to the statement of the item.
type Said struct {
	// Stated is the number of the statement, 0 if nobody is known to have stated the item.
	Stated int `json:"stated,omitempty"`
	// Since is the time at which the item was stated, if it differs from the time of the
	// statement by oneMoment or more.
	Since string `json:"since,omitempty"`
	by    *statements.Provenance
}

// oneMoment is the time, in milliseconds, within which all writes of a run count as one moment.
// A run writes for minutes, and the times of all writes would be half of an answer.
const oneMoment = 60 * 60 * 1000

func said(by *statements.Provenance) Said { return Said{by: by} }

func (s *Said) says() []*Said { return []*Said{s} }

// Sayings is the part of an answer with the statements to which items refer.
type Sayings struct {
	Statements []Statement `json:"statements,omitempty"`
	numbers    map[sameStatement]int
}

// sameStatement has the members that are equal in all items that refer to one statement.
type sameStatement struct {
	actor, run, source, query string
	confidence                float64
	sure                      bool
}

// number makes an item refer to its statement, and adds the statement if the answer does not
// have it.
func (a *Sayings) number(s *Said) {
	p := s.by
	if p == nil {
		return
	}
	same := sameStatement{actor: p.Actor, run: p.Run, source: p.Source, query: p.Query, sure: p.Confidence != nil}
	if same.sure {
		same.confidence = *p.Confidence
	}
	since := shown(p.StatedAt)
	if same == (sameStatement{}) && since == "" {
		return
	}
	n, known := a.numbers[same]
	if !known {
		n = len(a.Statements) + 1
		a.Statements = append(a.Statements, Statement{
			Number: n, Actor: p.Actor, Run: p.Run, Source: clip(p.Source, limits.MaxAgentText), Since: since, Confidence: p.Confidence, Query: p.Query, at: p.StatedAt,
		})
		if a.numbers == nil {
			a.numbers = map[sameStatement]int{}
		}
		a.numbers[same] = n
	}
	s.Stated, s.Since = n, ""
	if away := p.StatedAt - a.Statements[n-1].at; away <= -oneMoment || away >= oneMoment {
		s.Since = since
	}
}

// forget removes the statements after the first n.
func (a *Sayings) forget(n int) {
	a.Statements = a.Statements[:n]
	for same, number := range a.numbers {
		if number > n {
			delete(a.numbers, same)
		}
	}
}

// fitsSaid returns fittingSaid for a fixed number of bytes.
func fitsSaid[T any, P saying[T]](a *Sayings, most int) func([]T) []T {
	return func(items []T) []T { return fittingSaid[T, P](a, items, most) }
}

// saying is a pointer to an item of a list that refers to statements.
type saying[T any] interface {
	*T
	says() []*Said
}

// fittingSaid returns as many of the first items as fit, as JSON and together with their
// statements, into a number of bytes. It returns at least one item.
func fittingSaid[T any, P saying[T]](a *Sayings, items []T, most int) []T {
	size := 0
	for i := range items {
		before := len(a.Statements)
		for _, s := range P(&items[i]).says() {
			a.number(s)
		}
		size += sizeOf(&items[i])
		for k := range a.Statements[before:] {
			size += sizeOf(&a.Statements[before+k])
		}
		if size > most && i > 0 {
			a.forget(before)
			return items[:i]
		}
	}
	return listOf(items)
}

// Label is a tag or a term, with the statement that gave it.
type Label struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Said
}

// Labels are tags and terms, each with the statement that gave it.
type Labels []Label

func (l Labels) says() []*Said {
	all := make([]*Said, len(l))
	for i := range l {
		all[i] = &l[i].Said
	}
	return all
}

func labelOf(l *statements.Label) Label {
	return Label{Kind: l.Kind, Name: leaf(l.URN), Said: said(&l.Provenance)}
}

// stateLabels adds to tags, terms and owners of entities who stated them. It reads this for all
// entities together. It reports whether this is missing for some labels, because an entity has
// too many labels for an answer.
func (h *Handler) stateLabels(ctx context.Context, urns []model.URN, details []Detail) (cut bool, err error) {
	found, err := h.catalog.LabelsOf(ctx, urns)
	if err != nil {
		return false, err
	}
	for i, u := range urns {
		labels := fitting(found[u], limits.MaxAgentAnswer/2)
		cut = cut || len(labels) < len(found[u])
		for k := range labels {
			details[i].state(&labels[k])
		}
	}
	return cut, nil
}

// state adds to a label who stated it.
func (d *Detail) state(l *statements.Label) {
	if l.Kind != statements.LabelOwner {
		d.Labels = append(d.Labels, labelOf(l))
		return
	}
	// An owner with several kinds of ownership is listed once for each kind, in the order of
	// the labels.
	at := slices.IndexFunc(d.OwnedBy, func(o Owner) bool { return o.URN == l.URN && o.by == nil })
	if at >= 0 {
		d.OwnedBy[at].Said = said(&l.Provenance)
	}
}
