package policyfile

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/headwater-io/headwater/access/policies"
)

// Format writes policies as a file, which [Parse] reads as the same policies. The older form of resources is
// written as conditions. Format fails for a policy that has no such form: one with a condition on an
// unknown field, or with values that are no URNs.
func Format(all []policies.Policy) ([]byte, error) {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for i := range all {
		node, err := policyNode(&all[i])
		if err != nil {
			return nil, fmt.Errorf("the policy %s cannot be written: %w", all[i].ID, err)
		}
		list.Content = append(list.Content, node)
	}
	root := mapping(0)
	put(root, "policies", list)
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(root); err != nil {
		return nil, err
	}
	return b.Bytes(), encoder.Close()
}

func mapping(style yaml.Style) *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Style: style} }

func put(to *yaml.Node, name string, value *yaml.Node) {
	to.Content = append(to.Content, text(name), value)
}

// text is a scalar that is read as a text.
func text(value string) *yaml.Node {
	node := &yaml.Node{}
	node.SetString(value)
	return node
}

func truth(value bool) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(value)}
}

func texts(values []string, style yaml.Style) *yaml.Node {
	node := &yaml.Node{Kind: yaml.SequenceNode, Style: style}
	for _, value := range values {
		node.Content = append(node.Content, text(value))
	}
	return node
}

func policyNode(p *policies.Policy) (*yaml.Node, error) {
	node := mapping(0)
	put(node, "id", text(p.ID))
	put(node, "name", text(p.Name))
	if p.Description != "" {
		put(node, "description", text(p.Description))
	}
	if p.Type != policies.Metadata {
		put(node, "type", text(strings.ToLower(string(p.Type))))
	}
	if p.State != policies.Active {
		put(node, "state", text(strings.ToLower(string(p.State))))
	}
	if !p.Editable {
		put(node, "editable", truth(false))
	}
	effect := "allow"
	if p.Effect == policies.Deny {
		effect = "deny"
	}
	put(node, effect, texts(p.Privileges, 0))
	who, err := actorsNode(&p.Actors)
	if err != nil {
		return nil, err
	}
	put(node, "who", who)
	if r := p.Resources; r != nil {
		on, err := conditionsNode(r.Criteria())
		if err != nil {
			return nil, err
		}
		put(node, "on", on)
		if r.Constraints != nil {
			only, err := conditionsNode(r.Constraints)
			if err != nil {
				return nil, err
			}
			put(node, "only", only)
		}
	}
	if !p.EndsAt.IsZero() {
		put(node, "ends", &yaml.Node{Kind: yaml.ScalarNode, Value: p.EndsAt.UTC().Format(time.RFC3339Nano)})
	}
	return node, nil
}

func actorsNode(a *policies.Actors) (*yaml.Node, error) {
	node := mapping(yaml.FlowStyle)
	for _, list := range []struct {
		name, prefix string
		urns         []string
		write        bool
	}{
		{"users", ofUsers, a.Users, len(a.Users) > 0},
		{"groups", ofGroups, a.Groups, len(a.Groups) > 0},
		{"roles", ofRoles, a.Roles, len(a.Roles) > 0},
		{"ownersOf", ofOwnings, a.OwnerTypes, a.OwnerTypes != nil},
	} {
		if !list.write {
			continue
		}
		names, err := shorten(list.prefix, list.urns)
		if err != nil {
			return nil, err
		}
		put(node, list.name, texts(names, yaml.FlowStyle))
	}
	if a.Owners != (a.OwnerTypes != nil) {
		put(node, "owners", truth(a.Owners))
	}
	if a.Everybody {
		put(node, "everybody", truth(true))
	}
	if a.AnyGroup {
		put(node, "anyGroup", truth(true))
	}
	return node, nil
}

func shorten(prefix string, urns []string) ([]string, error) {
	names := make([]string, len(urns))
	for i, urn := range urns {
		var err error
		if names[i], err = short(prefix, urn); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// conditionsNode writes conditions as one mapping, or as a list of mappings if a member stands twice.
func conditionsNode(criteria []policies.Criterion) (*yaml.Node, error) {
	all := []*yaml.Node{mapping(yaml.FlowStyle)}
	used := map[string]bool{}
	for _, c := range criteria {
		name, values, err := written(c)
		if err != nil {
			return nil, err
		}
		if used[name] {
			all, used = append(all, mapping(yaml.FlowStyle)), map[string]bool{}
		}
		used[name] = true
		put(all[len(all)-1], name, texts(values, yaml.FlowStyle))
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return &yaml.Node{Kind: yaml.SequenceNode, Content: all}, nil
}

// written returns the member and the values of a condition.
func written(c policies.Criterion) (name string, values []string, err error) {
	field, known := c.Known()
	if !known {
		return "", nil, fmt.Errorf("the field %q or the condition %q is unknown", c.Field, c.Condition)
	}
	for _, w := range words {
		if w.field == field {
			values, err = shorten(w.prefix, c.Values)
			return w.memberOf(c.Condition), values, err
		}
	}
	return "", nil, fmt.Errorf("the field %s has no word", field)
}
