package policyfile

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/headwater-io/headwater/access/policies"
)

// Kind says whether a policy is added, changed or removed.
type Kind string

// The kinds of changes.
const (
	Added   Kind = "add"
	Changed Kind = "change"
	Removed Kind = "remove"
)

// Change is a difference between the stored policies and the wanted ones.
type Change struct {
	ID, Name string
	Kind     Kind
	// Members are the members of the file that differ; none for a policy that is added or removed.
	Members []MemberChange
}

// MemberChange is a member of a policy that differs, "" on the side that has none.
type MemberChange struct{ Name, Stored, Wanted string }

// Diff returns the changes that turn the stored policies into the wanted ones, in the order of their ids.
// Stored policies that are not editable belong to the server: they are not removed. Orders within lists, the
// older form of resources, and times of updates make no difference.
func Diff(stored, wanted []policies.Policy) []Change {
	var changes []Change
	for i := range wanted {
		want := &wanted[i]
		at := slices.IndexFunc(stored, func(p policies.Policy) bool { return p.ID == want.ID })
		if at < 0 {
			changes = append(changes, Change{ID: want.ID, Name: want.Name, Kind: Added})
			continue
		}
		if members := memberChanges(&stored[at], want); len(members) > 0 {
			changes = append(changes, Change{want.ID, want.Name, Changed, members})
		}
	}
	for i := range stored {
		have := &stored[i]
		if have.Editable && !slices.ContainsFunc(wanted, func(p policies.Policy) bool { return p.ID == have.ID }) {
			changes = append(changes, Change{ID: have.ID, Name: have.Name, Kind: Removed})
		}
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return strings.Compare(a.ID, b.ID) })
	return changes
}

func memberChanges(stored, wanted *policies.Policy) []MemberChange {
	have, want := membersOf(stored), membersOf(wanted)
	var changes []MemberChange
	for _, name := range policyMembers {
		if have[name] != want[name] {
			changes = append(changes, MemberChange{name, have[name], want[name]})
		}
	}
	return changes
}

// membersOf returns the members of a policy as one line each, with sorted lists.
func membersOf(p *policies.Policy) map[string]string {
	sorted := sort(p)
	node, err := policyNode(sorted)
	if err != nil {
		// A policy that a file cannot express differs from every policy of a file.
		node = mapping(0)
		put(node, "name", text(p.Name))
		put(node, "on", text(fmt.Sprintf("%+v", *sorted)))
	}
	members := map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		members[node.Content[i].Value] = line(node.Content[i+1])
	}
	return members
}

// line writes a node on one line.
func line(node *yaml.Node) string {
	switch node.Kind {
	case yaml.SequenceNode:
		var items []string
		for _, item := range node.Content {
			items = append(items, line(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case yaml.MappingNode:
		var members []string
		for i := 0; i+1 < len(node.Content); i += 2 {
			members = append(members, node.Content[i].Value+": "+line(node.Content[i+1]))
		}
		return "{" + strings.Join(members, ", ") + "}"
	}
	return node.Value
}

// sort returns a policy with sorted lists.
func sort(p *policies.Policy) *policies.Policy {
	in := func(list []string) []string {
		if list == nil {
			return nil
		}
		sorted := append([]string{}, list...)
		slices.Sort(sorted)
		return slices.Compact(sorted)
	}
	sorted := *p
	sorted.Privileges = in(p.Privileges)
	a := &sorted.Actors
	a.Users, a.Groups, a.Roles, a.OwnerTypes = in(a.Users), in(a.Groups), in(a.Roles), in(a.OwnerTypes)
	if p.Resources != nil {
		criteria := func(list []policies.Criterion) []policies.Criterion {
			if list == nil {
				return nil
			}
			all := append([]policies.Criterion{}, list...)
			for i := range all {
				all[i].Values = in(all[i].Values)
			}
			return all
		}
		sorted.Resources = &policies.Resources{Filter: criteria(p.Resources.Criteria()), Constraints: criteria(p.Resources.Constraints)}
	}
	return &sorted
}
