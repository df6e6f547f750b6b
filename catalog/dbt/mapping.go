package dbt

import (
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/internal/python"
)

// Operations of rules.
const (
	AddTag      = "add_tag"
	AddTerm     = "add_term"
	AddTerms    = "add_terms"
	AddOwner    = "add_owner"
	AddDomain   = "add_domain"
	AddDocLink  = "add_doc_link"
	AddProperty = "add_structured_property"
)

// Operations are the names of all operations.
func Operations() []string {
	return []string{AddTag, AddTerm, AddTerms, AddOwner, AddDomain, AddDocLink, AddProperty}
}

// Rule adds something to a node or a column that has a property with a certain value.
type Rule struct {
	// Property is the name of the property: a key of meta, or a path below meta, such as owner.team.
	Property string
	// Match is the value that the rule is for. Its type counts: a text is a regular expression for texts, true is for truth
	// values and not for texts. Matching is the expression, which matches at the beginning.
	Match    json.RawMessage
	Matching *regexp.Regexp
	// Operation is one of [Operations].
	Operation string
	// Text is the tag, the term, the domain or the link. {{ $match }} in it stands for the matched text.
	Text string
	// Description is the description of a link.
	Description string
	// Separator stands between the terms of add_terms.
	Separator string
	// Group says that the owners are groups. Ownership is the type of ownership: one of OwnershipTypes, or an URN.
	Group     bool
	Ownership string
	// PropertyURN is the structured property. Value is the value, a text or a list; without it, the value of the property
	// counts. Number makes a number of a text.
	PropertyURN string
	Value       json.RawMessage
	Number      bool
}

// OwnershipTypes are the types of ownership without an entity of their own.
func OwnershipTypes() []string {
	return []string{"TECHNICAL_OWNER", "BUSINESS_OWNER", "DATA_STEWARD", "NONE", "DEVELOPER", "DATAOWNER", "DELEGATE", "PRODUCER", "CONSUMER", "STAKEHOLDER", "CUSTOM"}
}

// mapped has the additions of rules to a node or a column.
type mapped struct {
	tags, terms, domains []string
	owners               []owner
	links                []values
	properties           []assigned
}

// owner is an owner with the type of ownership. urn is the entity of the type, "" if it has none.
type owner struct {
	name, kind, urn string
	// byRule: the owner comes from a rule.
	byRule bool
}

// assigned is a value of a structured property: a string or a float64.
type assigned struct {
	property string
	value    any
}

// mapping applies rules.
type mapping struct {
	rules []Rule
	// prefix begins tags. strip cuts the names of owners at the @. nested finds properties below others.
	prefix        string
	strip, nested bool
}

// apply returns the additions of the rules and of the property datahub. A rule that cannot be applied to the values ends
// the work, as it does in the client: the additions of the rules before it remain.
func (m *mapping) apply(properties object) *mapped {
	to := &mapped{}
	to.stated(properties.get("datahub"))
	for i := range m.rules {
		if !m.rule(&m.rules[i], properties, to) {
			break
		}
	}
	for _, list := range []*[]string{&to.tags, &to.terms} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	slices.SortStableFunc(to.owners, func(a, b owner) int { return cmp.Compare(a.name, b.name) })
	return to
}

// rule applies a rule. The result is false if the client fails at it.
func (m *mapping) rule(r *Rule, properties object, to *mapped) bool {
	value := properties.values[r.Property]
	if m.nested && !isTrue(value) {
		below, fits := properties.below(strings.Split(r.Property, "."))
		if !fits {
			return false
		}
		if below != nil {
			value = below
		}
	}
	match, fits := r.match(value)
	if match == nil || !fits {
		return fits
	}
	return m.add(r, match, value, to)
}

// below finds a property by its path. fits is false if a part of the path is no object.
func (o object) below(path []string) (value json.RawMessage, fits bool) {
	for i, name := range path {
		inner, has := o.values[name]
		if !has || i == len(path)-1 {
			return inner, true
		}
		if inner = trimmed(inner); len(inner) == 0 || inner[0] != '{' {
			return nil, false
		}
		if err := o.UnmarshalJSON(inner); err != nil {
			return nil, false
		}
	}
	return nil, true
}

func trimmed(value json.RawMessage) json.RawMessage {
	return json.RawMessage(strings.TrimSpace(string(value)))
}

// add carries out a rule.
func (m *mapping) add(r *Rule, match *found, value json.RawMessage, to *mapped) bool {
	switch r.Operation {
	case AddTerms:
		for _, term := range strings.Split(match.whole(), r.Separator) {
			if term = strings.TrimSpace(term); term != "" {
				to.terms = append(to.terms, prefixed("urn:li:glossaryTerm:", term))
			}
		}
		return true
	case AddOwner:
		names, fits := match.best("owner")
		if !fits {
			return false
		}
		m.addOwners(r, names, to)
		return true
	case AddProperty:
		return r.addProperty(match, value, to)
	}
	text, fits := r.filled(r.Text, match, map[string]string{AddTag: "tag", AddTerm: "term", AddDomain: "domain", AddDocLink: "link"}[r.Operation])
	if !fits {
		return false
	}
	switch r.Operation {
	case AddTag:
		to.tags = append(to.tags, m.prefix+text)
	case AddTerm:
		to.terms = append(to.terms, prefixed("urn:li:glossaryTerm:", text))
	case AddDomain:
		to.domains = append(to.domains, prefixed("urn:li:domain:", text))
	case AddDocLink:
		to.links = append(to.links, values{"url": text, "description": r.Description})
	}
	return true
}

func prefixed(prefix, text string) string {
	if strings.HasPrefix(text, prefix) {
		return text
	}
	return prefix + text
}

func (m *mapping) addOwners(r *Rule, names string, to *mapped) {
	kind, urn := ownershipType(cmp.Or(r.Ownership, "DATAOWNER"))
	for _, name := range strings.Split(names, ",") {
		if name = strings.TrimSpace(name); m.strip {
			name, _, _ = strings.Cut(name, "@")
		}
		named := user(name)
		if r.Group {
			named = group(name)
		}
		to.owners = append(to.owners, owner{named, kind, urn, true})
	}
}

// ownershipType returns a type of ownership and the URN of the type, "" for a type without an entity.
func ownershipType(text string) (kind, urn string) {
	if strings.HasPrefix(text, "urn:li:") {
		return "CUSTOM", text
	}
	return strings.ToUpper(text), ""
}

func group(name string) string {
	if strings.HasPrefix(name, "urn:li:corpuser:") || strings.HasPrefix(name, "urn:li:corpGroup:") {
		return name
	}
	return "urn:li:corpGroup:" + reserved.Replace(name)
}

// addProperty adds values of a structured property.
func (r *Rule) addProperty(match *found, value json.RawMessage, to *mapped) bool {
	if r.Value != nil {
		var fits bool
		if value, fits = r.template(match); !fits {
			return false
		}
	}
	value = trimmed(value)
	var text string
	if r.Number && json.Unmarshal(value, &text) == nil && len(value) > 0 && value[0] == '"' {
		number, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || math.IsInf(number, 0) || math.IsNaN(number) {
			return true // there is no number to add
		}
		value = json.RawMessage(python.Float(number))
	}
	for _, one := range primitives(value) {
		to.properties = append(to.properties, assigned{r.PropertyURN, one})
	}
	return true
}

// template returns the value of the rule with the matched text.
func (r *Rule) template(match *found) (json.RawMessage, bool) {
	fill := func(value json.RawMessage) (json.RawMessage, bool) {
		var text string
		if value = trimmed(value); len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &text) != nil {
			return value, true
		}
		text, fits := r.filled(text, match, "value")
		encoded, _ := json.Marshal(text) // cannot fail, because it is a text
		return encoded, fits
	}
	if elements := list(r.Value); elements != nil {
		for i := range elements {
			var fits bool
			if elements[i], fits = fill(elements[i]); !fits {
				return nil, false
			}
		}
		encoded, err := json.Marshal(elements)
		return encoded, err == nil
	}
	return fill(r.Value)
}

// primitives returns the values that a structured property can have: texts and numbers. Other values become texts.
func primitives(value json.RawMessage) []any {
	value = trimmed(value)
	if len(value) > 0 && value[0] == '[' {
		var all []any
		for _, one := range list(value) {
			if single := primitive(one); single != nil {
				all = append(all, single)
			}
		}
		return all
	}
	if single := primitive(value); single != nil {
		return []any{single}
	}
	return nil
}

func primitive(value json.RawMessage) any {
	value = trimmed(value)
	switch kindOf(value) {
	case kindNone:
		return nil
	case kindWhole, kindFloat:
		number, err := strconv.ParseFloat(string(value), 64)
		if err == nil {
			return number
		}
	}
	return pythonText(value)
}
