package policies

import (
	"slices"
	"strings"
	"time"
)

// Set is a set of policies at a moment. It is immutable and safe for concurrent use.
type Set struct {
	// The rules that may have an effect, by whom they concern.
	users, groups, roles        map[string][]*rule
	everybody, anyGroup, owners []*rule
	// byPrivilege are all rules, also those without an effect, for explanations.
	byPrivilege map[string][]*rule
	until       time.Time
}

// rule is a compiled policy.
type rule struct {
	*Policy
	order int
	// idle is the reason why the rule has no effect, "" for a rule that has one.
	idle FailureKind
	// scoped: the rule is about resources, and holds for no question without one.
	scoped      bool
	criteria    []criterion
	constrained bool
	constraints []criterion
}

// criterion is a compiled condition.
type criterion struct {
	field     Field
	known     bool
	condition Condition
	values    []string
	// set has the values if they are many and compared as a whole.
	set map[string]struct{}
}

// manyValues is the number of values from which a criterion looks them up in a map.
const manyValues = 8

// Compile makes a Set of the policies that have an effect at the moment now. The caller must not
// change the policies afterwards.
func Compile(policies []Policy, now time.Time) *Set {
	s := &Set{
		users: map[string][]*rule{}, groups: map[string][]*rule{}, roles: map[string][]*rule{},
		byPrivilege: map[string][]*rule{},
	}
	for i := range policies {
		r := compile(&policies[i], i, now)
		for _, privilege := range distinct(r.Privileges) {
			s.byPrivilege[privilege] = append(s.byPrivilege[privilege], r)
		}
		if r.idle != "" {
			continue
		}
		if !r.EndsAt.IsZero() && (s.until.IsZero() || r.EndsAt.Before(s.until)) {
			s.until = r.EndsAt
		}
		s.index(r)
	}
	return s
}

// Until returns the moment at which a policy of the set ends, so that the set must be compiled again;
// the zero time if none ends.
func (s *Set) Until() time.Time { return s.until }

func (s *Set) index(r *rule) {
	a := &r.Actors
	switch {
	case a.Everybody:
		s.everybody = append(s.everybody, r)
		return // the rule still concerns the actors that its other members name
	case a.AnyGroup:
		s.anyGroup = append(s.anyGroup, r)
	}
	for _, urn := range distinct(a.Users) {
		s.users[urn] = append(s.users[urn], r)
	}
	for _, urn := range distinct(a.Groups) {
		s.groups[urn] = append(s.groups[urn], r)
	}
	for _, urn := range distinct(a.Roles) {
		s.roles[urn] = append(s.roles[urn], r)
	}
	if a.Owners {
		s.owners = append(s.owners, r)
	}
}

func compile(p *Policy, order int, now time.Time) *rule {
	r := &rule{Policy: p, order: order}
	switch {
	case p.State != Active, p.Effect != "" && p.Effect != Allow && p.Effect != Deny:
		r.idle = FailedState
	case !p.EndsAt.IsZero() && !now.Before(p.EndsAt):
		r.idle = FailedEnd
	}
	if p.Resources == nil {
		return r
	}
	if p.Type != Platform {
		r.scoped, r.criteria = true, compileAll(p.Resources.Criteria())
	}
	r.constrained, r.constraints = p.Resources.Constraints != nil, compileAll(p.Resources.Constraints)
	return r
}

func compileAll(criteria []Criterion) []criterion {
	compiled := make([]criterion, len(criteria))
	for i, c := range criteria {
		field, known := c.Known()
		compiled[i] = criterion{field: field, known: known, condition: c.Condition, values: distinct(c.Values)}
		if len(c.Values) >= manyValues && c.Condition != StartsWith {
			compiled[i].set = make(map[string]struct{}, len(c.Values))
			for _, value := range c.Values {
				compiled[i].set[value] = struct{}{}
			}
		}
	}
	return compiled
}

func distinct(texts []string) []string {
	if len(texts) < 2 {
		return texts
	}
	seen := make(map[string]bool, len(texts))
	var found []string
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			found = append(found, text)
		}
	}
	return found
}

// covers reports whether a rule is about a resource and about the members that a write adds to it or removes from it.
func (r *rule) covers(resource *Resource) bool {
	if r.scoped && (resource == nil || !all(r.criteria, resource, r.denies())) {
		return false
	}
	return r.admits(resource)
}

// admits reports whether the constraints of a rule hold for the sub-resources.
func (r *rule) admits(resource *Resource) bool {
	if !r.constrained {
		return true
	}
	denies := r.denies()
	if resource != nil {
		for i := range resource.SubResources {
			sub := &resource.SubResources[i]
			if holds := sub.URN == Wildcard || all(r.constraints, sub, denies); holds == denies {
				return denies
			}
		}
	}
	return !denies
}

// all reports whether all criteria hold. A criterion that cannot be understood holds only in a rule that
// denies.
func all(criteria []criterion, resource *Resource, denies bool) bool {
	for i := range criteria {
		if c := &criteria[i]; !c.known && !denies || c.known && !c.holds(resource) {
			return false
		}
	}
	return true
}

func (c *criterion) holds(resource *Resource) bool {
	return c.any(resource) != (c.condition == NotEquals)
}

// any reports whether one value of the field is a value of the criterion, or begins with one.
func (c *criterion) any(resource *Resource) bool {
	switch c.field {
	case FieldType:
		return c.matches(resource.Type)
	case FieldURN:
		return resource.URN != "" && c.matches(resource.URN)
	case FieldInstance:
		return resource.Instance != "" && c.matches(resource.Instance)
	case FieldOwner:
		for i := range resource.Owners {
			if c.matches(resource.Owners[i].URN) {
				return true
			}
		}
		return false
	case FieldDomain:
		if resource.isDomain() && c.matches(resource.URN) {
			return true
		}
	}
	for _, value := range resource.values(c.field) {
		if c.matches(value) {
			return true
		}
	}
	return false
}

func (c *criterion) matches(value string) bool {
	if c.condition == StartsWith {
		for _, prefix := range c.values {
			if strings.HasPrefix(value, prefix) {
				return true
			}
		}
		return false
	}
	if c.set != nil {
		_, ok := c.set[value]
		return ok
	}
	return slices.Contains(c.values, value)
}
