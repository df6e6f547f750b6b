package policyfile

import (
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

// File is the content of a file.
type File struct {
	Policies []policies.Policy
	Expect   []Expectation
}

// Expectation is a decision that the policies must give.
type Expectation struct {
	// Line is where the expectation stands.
	Line int
	// Actor and Resource are URNs. Resource is "" for a question without one.
	Actor, Resource string
	// Privilege is the name of a privilege or of an operation. Privileges are the privileges for it; one of
	// them suffices.
	Privilege  string
	Privileges []string
	May        bool
}

// Parse reads a file. The name of the file is for its errors, each of which is an [*Error] with a line.
// The entity types are those that policies may name, nil for any.
func Parse(name string, text []byte, entityTypes []string) (*File, error) {
	p := parser{reader: reader{file: name}, entityTypes: entityTypes, groups: map[string][]string{}}
	file := &File{}
	if root := p.root(text); root != nil {
		members := p.members(root, "the file", []string{"groups", "policies", "expect"})
		for _, m := range members {
			if m.name == "groups" {
				p.readGroups(m.value)
			}
		}
		for _, m := range members {
			switch m.name {
			case "policies":
				file.Policies = p.policies(m.value)
			case "expect":
				for _, item := range p.items(m.value, "expect") {
					file.Expect = append(file.Expect, p.expectation(item))
				}
			}
		}
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return file, nil
}

type parser struct {
	reader
	entityTypes []string
	// groups are the privileges of the groups that the file defines.
	groups map[string][]string
}

func (p *parser) readGroups(node *yaml.Node) {
	for _, m := range p.members(node, "groups", nil) {
		if _, known := suffice(m.name); known || m.name == policies.EveryPrivilege {
			p.fail(m.key, "%s is a privilege or an operation: call the group something else", m.name)
			continue
		}
		p.groups[m.name] = p.privileges(m.value, "a group", false)
	}
}

// privileges reads a list of privileges and groups of them.
func (p *parser) privileges(node *yaml.Node, what string, denies bool) []string {
	var found []string
	for _, item := range p.items(node, what) {
		name := p.text(item, "each of "+what)
		name, minus := strings.CutPrefix(name, "-")
		meant := p.privilege(item, name, denies)
		for _, privilege := range meant {
			switch i := slices.Index(found, privilege); {
			case minus && i >= 0:
				found = slices.Delete(found, i, i+1)
			case !minus && i < 0:
				found = append(found, privilege)
			}
		}
	}
	return found
}

// privilege returns the privileges that a name in a list stands for.
func (p *parser) privilege(at *yaml.Node, name string, denies bool) []string {
	if group, ok := p.groups[name]; ok {
		return group
	}
	if name == policies.EveryPrivilege {
		if !denies {
			p.fail(at, "only deny may name %q", name)
		}
		return []string{name}
	}
	if o, ok := operation(name); ok {
		if !denies {
			p.fail(at, "%s is an operation, for which each of %s suffices: name the privilege that you mean", name, strings.Join(policies.Group(o, ""), ", "))
		}
		return policies.Group(o, "")
	}
	known := slices.Concat(policies.Names(), slices.Sorted(maps.Keys(p.groups)))
	if unknown := policies.Unknown("privilege", "privileges", name, known); unknown != "" {
		p.fail(at, "%s", unknown)
	}
	return []string{name}
}

func (p *parser) policies(node *yaml.Node) []policies.Policy {
	var found []policies.Policy
	lines := map[string]int{}
	for _, item := range p.items(node, "policies") {
		policy := p.policy(item)
		if line, twice := lines[policy.ID]; twice && policy.ID != "" {
			p.fail(item, "the policy %s stands in line %d too", policy.ID, line)
		}
		lines[policy.ID] = item.Line
		found = append(found, policy)
	}
	return found
}

var policyMembers = []string{"id", "name", "description", "type", "state", "allow", "deny", "who", "on", "only", "ends", "editable"}

func (p *parser) policy(node *yaml.Node) policies.Policy {
	read := policies.Policy{Type: policies.Metadata, State: policies.Active, Editable: true}
	var filter, constraints []policies.Criterion
	about := false
	members := p.members(node, "a policy", policyMembers)
	for _, m := range members {
		switch m.name {
		case "id":
			read.ID = p.text(m.value, "id")
			if _, err := model.BuildURN("li", model.EntityDataHubPolicy, read.ID); err != nil {
				p.fail(m.value, "the id %q cannot be part of a URN", read.ID)
			}
		case "name":
			read.Name = p.text(m.value, "name")
		case "description":
			read.Description = p.text(m.value, "description")
		case "type":
			read.Type = choice(p, m.value, "type", policies.Metadata, policies.Platform)
		case "state":
			read.State = choice(p, m.value, "state", policies.Active, policies.Inactive, policies.Draft)
		case "allow", "deny":
			if read.Effect != "" {
				p.fail(m.key, "a policy has either allow or deny")
			}
			read.Effect = policies.Allow
			if m.name == "deny" {
				read.Effect = policies.Deny
			}
			read.Privileges = p.privileges(m.value, m.name, m.name == "deny")
		case "who":
			read.Actors = p.actors(m.value)
		case "on":
			filter, about = p.conditions(m.value, "on"), true
		case "only":
			constraints, about = p.conditions(m.value, "only"), true
		case "ends":
			read.EndsAt = p.moment(m.value)
		case "editable":
			read.Editable = p.truth(m.value, "editable")
		}
	}
	if about {
		if filter == nil {
			filter = []policies.Criterion{}
		}
		read.Resources = &policies.Resources{Filter: filter, Constraints: constraints}
	}
	p.complete(node, members)
	return read
}

// complete checks that a policy has all required members.
func (p *parser) complete(node *yaml.Node, members []member) {
	has := func(names ...string) bool {
		return slices.ContainsFunc(members, func(m member) bool {
			return slices.Contains(names, m.name) && (m.value.Kind != yaml.ScalarNode || m.value.Value != "")
		})
	}
	for _, needed := range []string{"id", "name", "who"} {
		if !has(needed) {
			p.fail(node, "the policy has no %s", needed)
		}
	}
	if !has("allow", "deny") {
		p.fail(node, "the policy has neither allow nor deny")
	}
}

// choice reads one of a few words, in any case.
func choice[T ~string](p *parser, node *yaml.Node, what string, of ...T) T {
	text := p.text(node, what)
	var names []string
	for _, one := range of {
		if strings.EqualFold(text, string(one)) {
			return one
		}
		names = append(names, strings.ToLower(string(one)))
	}
	p.fail(node, "%s", policies.Unknown(what, what+"s", text, names))
	return of[0]
}

func (p *parser) moment(node *yaml.Node) time.Time {
	text := p.text(node, "ends")
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(form, text); err == nil && at.Year() >= 1 {
			return at.UTC().Truncate(time.Millisecond)
		}
	}
	p.fail(node, "ends must be a day or a moment, such as 2027-01-31 or 2027-01-31T17:00:00Z")
	return time.Time{}
}

var actorMembers = []string{"users", "groups", "roles", "owners", "ownersOf", "everybody", "anyGroup"}

func (p *parser) actors(node *yaml.Node) policies.Actors {
	var read policies.Actors
	noOwners := false
	for _, m := range p.members(node, "who", actorMembers) {
		switch m.name {
		case "users":
			read.Users = p.urns(m.value, m.name, ofUsers)
		case "groups":
			read.Groups = p.urns(m.value, m.name, ofGroups)
		case "roles":
			read.Roles = p.urns(m.value, m.name, ofRoles)
		case "owners":
			read.Owners = p.truth(m.value, m.name)
			noOwners = !read.Owners
		case "ownersOf":
			read.OwnerTypes = p.urns(m.value, m.name, ofOwnings)
		case "everybody":
			read.Everybody = p.truth(m.value, m.name)
		case "anyGroup":
			read.AnyGroup = p.truth(m.value, m.name)
		}
	}
	read.Owners = read.Owners || read.OwnerTypes != nil && !noOwners
	return read
}

// urns reads a list of URNs or of short names.
func (p *parser) urns(node *yaml.Node, what, prefix string) []string {
	found := []string{}
	for _, item := range p.items(node, what) {
		found = append(found, p.urn(item, what, prefix))
	}
	return found
}

func (p *parser) urn(node *yaml.Node, what, prefix string) string {
	urn := long(prefix, p.text(node, "each of "+what))
	if _, err := model.ParseURN(urn); err != nil {
		p.fail(node, "%q is no URN", urn)
	}
	return urn
}

// conditions reads the conditions of on or only: a mapping, or a list of mappings that must all hold.
func (p *parser) conditions(node *yaml.Node, what string) []policies.Criterion {
	found := []policies.Criterion{}
	if node.Kind == yaml.SequenceNode {
		for _, item := range node.Content {
			found = append(found, p.mapping(item, what)...)
		}
		return found
	}
	return append(found, p.mapping(node, what)...)
}

func (p *parser) mapping(node *yaml.Node, what string) []policies.Criterion {
	var found []policies.Criterion
	for _, m := range p.members(node, what, wordMembers) {
		w, condition, _ := meant(m.name)
		c := policies.Criterion{Field: string(w.field), Condition: condition, Values: []string{}}
		for _, item := range p.items(m.value, m.name) {
			c.Values = append(c.Values, p.value(item, m.name, w, condition))
		}
		found = append(found, c)
	}
	return found
}

func (p *parser) value(node *yaml.Node, what string, w word, condition policies.Condition) string {
	if !w.plain && condition != policies.StartsWith {
		return p.urn(node, what, w.prefix)
	}
	text := long(w.prefix, p.text(node, "each of "+what))
	if w.plain && condition != policies.StartsWith && p.entityTypes != nil && !slices.Contains(p.entityTypes, text) {
		p.fail(node, "there is no type of entity %q%s", text, nearest.Among(text, p.entityTypes, "types"))
	}
	return text
}

func (p *parser) expectation(node *yaml.Node) Expectation {
	read := Expectation{Line: node.Line}
	members := p.members(node, "an expectation", []string{"actor", "privilege", "resource", "may"})
	for _, m := range members {
		switch m.name {
		case "actor":
			read.Actor = p.urn(m.value, m.name, ofUsers)
		case "privilege":
			read.Privilege = p.text(m.value, m.name)
			known := false
			if read.Privileges, known = suffice(read.Privilege); !known {
				p.fail(m.value, "%s", policies.Unknown("privilege", "privileges", read.Privilege, policies.Names()))
			}
		case "resource":
			read.Resource = p.urn(m.value, m.name, "")
		case "may":
			read.May = p.truth(m.value, m.name)
		}
	}
	for _, needed := range []string{"actor", "privilege", "may"} {
		if !slices.ContainsFunc(members, func(m member) bool { return m.name == needed }) {
			p.fail(node, "the expectation has no %s", needed)
		}
	}
	return read
}
