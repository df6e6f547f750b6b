package gate

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog/change"
)

// Verdict says whether a change may pass.
type Verdict struct {
	Refused bool `json:"refused"`
	// Because are the findings for which the change is refused.
	Because []Finding `json:"because"`
	// Excused are findings that an exception lets pass. Expired are exceptions that would have counted until their last day.
	Excused []Excuse `json:"excused"`
	Expired []Excuse `json:"expired"`
}

// Finding is a finding that a rule is about.
type Finding struct {
	Rule Rule   `json:"rule"`
	Name string `json:"name"`
	URN  string `json:"urn,omitempty"`
	Why  string `json:"why"`

	change string
}

// Excuse is a finding with the exception that is about it.
type Excuse struct {
	Finding
	Who    string `json:"who"`
	Until  string `json:"until"`
	Reason string `json:"reason"`
	Line   int    `json:"line"`
}

// Decide applies a policy to a result. now is the time by which exceptions expire.
func (p *Policy) Decide(r *change.Result, now time.Time) *Verdict {
	v := &Verdict{Because: []Finding{}, Excused: []Excuse{}, Expired: []Excuse{}}
	for _, f := range p.findings(r) {
		excused := false
		for i := range p.Exceptions {
			e := &p.Exceptions[i]
			if !e.covers(&f) {
				continue
			}
			told := Excuse{f, e.Who, e.Until.Format(time.DateOnly), e.Reason, e.Line}
			if now.UTC().Before(e.Until.AddDate(0, 0, 1)) {
				v.Excused, excused = append(v.Excused, told), true
				break
			}
			v.Expired = append(v.Expired, told)
		}
		if !excused {
			v.Because = append(v.Because, f)
		}
	}
	v.Refused = len(v.Because) > 0
	return v
}

// findings returns the findings that the rules are about. A finding counts by the first rule that it breaks.
func (p *Policy) findings(r *change.Result) []Finding {
	var all []Finding
	has := func(rule Rule) bool { return slices.Contains(p.FailOn, rule) }
	for i := range r.Certain {
		at := &r.Certain[i]
		switch {
		case has(CertainImpact):
			all = append(all, Finding{CertainImpact, at.Name, at.URN, at.Why, at.Column})
		case has(CertainOutside) && !p.mine(at.Domains):
			all = append(all, Finding{CertainOutside, at.Name, at.URN, at.Why, at.Column})
		}
	}
	if has(PossibleImpact) {
		for i := range r.Possible {
			at := &r.Possible[i]
			all = append(all, Finding{PossibleImpact, at.Name, at.URN, at.Why, at.Column})
		}
	}
	hurt := func(rule Rule, list []change.Hurt) {
		for i := range list {
			if h := &list[i]; has(rule) && h.Effect == change.Certain {
				all = append(all, Finding{rule, h.Name, h.URN, h.Why, strings.TrimSuffix(h.Table+"."+h.Column, ".")})
			}
		}
	}
	hurt(Contract, r.Contracts)
	hurt(Assertion, r.Assertions)
	if has(PersonalData) {
		for i := range r.NewPersonalData {
			d := &r.NewPersonalData[i]
			all = append(all, Finding{PersonalData, d.Table + "." + d.Column, d.URN, fmt.Sprintf("values of %s, which has the label %s, reach it", d.From, d.Label), d.From})
		}
	}
	if has(TableRemoved) {
		for i := range r.Changes {
			if c := &r.Changes[i]; c.Kind == change.TableRemoved {
				all = append(all, Finding{TableRemoved, c.Table, c.URN, "the change removes it", c.Table})
			}
		}
	}
	if has(NotUnderstood) {
		for _, n := range r.NotUnderstood {
			all = append(all, Finding{NotUnderstood, n.Name, "", n.Why, n.Name})
		}
	}
	return all
}

// mine reports whether an entity is in a domain of those who make the change. An entity without a domain is nobody's, so that it is
// not mine.
func (p *Policy) mine(domains []string) bool {
	return slices.ContainsFunc(domains, func(urn string) bool {
		name := urn[strings.LastIndexByte(urn, ':')+1:]
		return slices.ContainsFunc(p.Domains, func(mine string) bool { return mine == urn || strings.EqualFold(mine, name) })
	})
}

// covers reports whether an exception is about a finding.
func (e *Exception) covers(f *Finding) bool {
	return (e.Affects == "" || matches(e.Affects, f.Name) || matches(e.Affects, f.URN)) && (e.Change == "" || matches(e.Change, f.change))
}

// matches compares a name with a pattern: the whole name, or its end after a dot.
func matches(pattern, name string) bool {
	for rest := name; ; {
		if ok, _ := path.Match(pattern, rest); ok || pattern == rest { // a wrong pattern was refused before
			return true
		}
		_, after, more := strings.Cut(rest, ".")
		if !more {
			return false
		}
		rest = after
	}
}
