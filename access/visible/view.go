package visible

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// View says which entities a caller may see. Package access/permit decides it from the policies.
type View interface {
	// SeesAll reports whether the caller may read every entity.
	SeesAll() bool
	// AllBut returns the types of entities of which some may be hidden from a caller who may read every entity of
	// each other type. It reports false if the types of what may be hidden are not so few.
	AllBut() (types []string, few bool)
	// SeesType reports whether the caller may read every entity of a type.
	SeesType(entityType string) bool
	// ByFacts reports whether the right to read an entity of a type depends on stored facts.
	ByFacts(entityType string) bool
	// Sees reports for each of several entities whether the caller may read it.
	Sees(ctx context.Context, urns []string) ([]bool, error)
	// Filter returns the expression that holds for the entities of a type that the caller may read.
	Filter(entityType string) policies.Filter
	// Owned returns the entities among several for which an expression about owners holds.
	Owned(ctx context.Context, urns []string, of policies.Filter) ([]string, error)
	// Remember returns the value that was made under a name, or makes it. A value that lasts is valid until
	// an entity moves below another domain, container or node; other values are valid for a moment.
	Remember(ctx context.Context, name string, make func() (value any, lasts bool, err error)) (any, error)
	// SeenBy returns the URN of the caller, or "".
	SeenBy() string
}

// sight is a view during one request.
type sight struct {
	View
	// marks are the texts of which each hidden URN has one, if there are few. Most callers may read everything but
	// secrets; a search for these texts finds that nothing is hidden, in less time than a decision about each URN.
	marks []string
	few   bool

	mu sync.Mutex
	// hidden has the URNs of the restricted steps that this request has met, by their restricted URNs.
	hidden map[string]string
}

type sightKey struct{}

// With sets the view of the caller of a request.
func With(ctx context.Context, view View) context.Context {
	s := &sight{View: view}
	s.marks, s.few = marksOf(view)
	return context.WithValue(ctx, sightKey{}, s)
}

// marksOf returns the texts of which each URN has one that is hidden from a caller, if there are few. The URN of a
// column has the URN of its entity in it, and so its mark.
func marksOf(view View) (marks []string, few bool) {
	types, few := view.AllBut()
	if !few {
		return nil, false
	}
	marks = append(make([]string, 0, len(types)+1), ":"+catalog.Restricted+":")
	for _, entityType := range types {
		marks = append(marks, ":"+entityType+":")
	}
	return marks, true
}

// mayHide reports whether a text may name a hidden entity. If it does not, no URN in the text is hidden.
func (s *sight) mayHide(text string) bool {
	if !s.few {
		return true
	}
	for _, mark := range s.marks { // a closure would take as long as the search
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// mayHideIn is mayHide for JSON. A value with escapes may name anything.
func (s *sight) mayHideIn(value []byte) bool {
	return !s.few || bytes.Contains(value, escapeBegins) ||
		slices.ContainsFunc(s.marks, func(mark string) bool { return bytes.Contains(value, []byte(mark)) })
}

// of returns the view of a caller who may not see everything, nil for all others.
func of(ctx context.Context) *sight {
	s, _ := ctx.Value(sightKey{}).(*sight)
	if s == nil || write.IsOwnWork(ctx) || s.SeesAll() {
		return nil
	}
	return s
}

// each reports for each of several entities and columns whether the caller may read it. A restricted URN is
// never readable.
func (s *sight) each(ctx context.Context, urns []string) ([]bool, error) {
	if s.few && !slices.ContainsFunc(urns, s.mayHide) {
		return slices.Repeat([]bool{true}, len(urns)), nil
	}
	owners := urns
	restricted := false
	for i, urn := range urns {
		owner := policies.Subject(urn)
		restricted = restricted || IsRestricted(owner) || IsRestricted(urn)
		if owner != urn && &owners[0] == &urns[0] {
			owners = slices.Clone(urns)
		}
		if owner != urn {
			owners[i] = owner
		}
	}
	sees, err := s.Sees(ctx, owners)
	if err != nil || !restricted {
		return sees, err
	}
	for i, urn := range urns {
		sees[i] = sees[i] && !IsRestricted(urn) && !IsRestricted(owners[i])
	}
	return sees, nil
}

// of reports which of several entities and columns the caller may read, by their URNs.
func (s *sight) of(ctx context.Context, urns []string) (map[string]bool, error) {
	sees, err := s.each(ctx, urns)
	if err != nil {
		return nil, err
	}
	visible := make(map[string]bool, len(urns))
	for i, urn := range urns {
		visible[urn] = sees[i]
	}
	return visible, nil
}

// standInEnd is the end of a text that replaces a hidden URN. No stored URN has a parenthesis that is not
// closed.
const standInEnd = "("

// asked returns the URNs for which the store is asked: the URNs that the caller may read, and for each other
// URN a stand-in that is not stored. A question about a hidden entity therefore costs as much as one about an
// unknown entity.
func (s *sight) asked(ctx context.Context, urns []string) ([]string, error) {
	sees, err := s.each(ctx, urns)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(sees, false) {
		return urns, nil
	}
	asked := make([]string, len(urns))
	for i, urn := range urns {
		if asked[i] = urn; !sees[i] {
			asked[i] = urn + standInEnd
		}
	}
	return asked, nil
}

// askedOne is asked about one URN.
func (s *sight) askedOne(ctx context.Context, urn string) (string, error) {
	asked, err := s.asked(ctx, []string{urn})
	if err != nil {
		return "", err
	}
	return asked[0], nil
}

func isStandIn(urn string) bool { return strings.HasSuffix(urn, standInEnd) }

// withoutStandIns removes the stand-ins from an answer.
func withoutStandIns[T any](answer map[string]T) {
	maps.DeleteFunc(answer, func(urn string, _ T) bool { return isStandIn(urn) })
}

// only returns the URNs that the caller may read, in their order.
func (s *sight) only(ctx context.Context, urns []string) ([]string, error) {
	sees, err := s.each(ctx, urns)
	if err != nil {
		return nil, err
	}
	left := make([]string, 0, len(urns))
	for i, urn := range urns {
		if sees[i] {
			left = append(left, urn)
		}
	}
	return left, nil
}

// steps returns the URNs that a walk of the caller may follow: visible entities, and the restricted steps
// that this request has met. It also contains the stand-ins, which have no edges. The map leads from the URN
// in the store to the URN that the caller knows.
func (s *sight) steps(ctx context.Context, urns []string) (stored []string, known map[string]string, err error) {
	sees, err := s.each(ctx, urns)
	if err != nil {
		return nil, nil, err
	}
	known = make(map[string]string, len(urns))
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, urn := range urns {
		at := urn
		if real, met := s.hidden[urn]; met {
			at = real
		} else if !sees[i] {
			at = urn + standInEnd
		}
		if _, twice := known[at]; !twice {
			stored = append(stored, at)
		}
		known[at] = urn
	}
	return stored, known, nil
}

func typeOf(urn string) string { return model.StoredURN(urn).EntityType() }
