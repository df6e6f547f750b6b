package change

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// PersonalWords are the words in the names of tags and terms that say that data is personal.
var PersonalWords = []string{"pii", "personal", "gdpr", "phi"}

// IsPersonal reports whether the name of a tag or term says that data is personal.
func IsPersonal(label string) bool {
	name := strings.ToLower(label[strings.LastIndexByte(label, ':')+1:])
	words := strings.FieldsFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(PersonalWords, word) })
}

// reached says from where personal data reaches a column.
type reached struct {
	from, label string
	via         []string
}

// personal returns the columns that values of personal data reach in head and not in base, and that have no label of
// personal data themselves.
func (c *comparison) personal(known func(n *Node) map[string][]string) []Personal {
	labels := func(n *Node, column *Column) string {
		of := slices.Clone(column.Labels)
		if twin := c.head.Nodes[n.ID]; twin != nil && twin.column(column.Name) != nil {
			of = append(of, twin.column(column.Name).Labels...)
		}
		if known != nil {
			of = append(of, known(n)[strings.ToLower(column.Name)]...)
		}
		at := slices.IndexFunc(of, IsPersonal)
		if at < 0 {
			return ""
		}
		return of[at]
	}
	before, after := reach(c.base, labels), reach(c.head, labels)
	found := []Personal{}
	keys := slices.SortedFunc(maps.Keys(after), func(a, b altered) int {
		return cmp.Or(strings.Compare(a.node, b.node), strings.Compare(a.column, b.column))
	})
	for _, key := range keys {
		r, n := after[key], c.head.Nodes[key.node]
		column, was := n.column(key.column), c.base.Nodes[key.node]
		if _, already := before[key]; already || len(r.via) < 2 || labels(n, column) != "" || !n.isTable() {
			continue
		}
		if was != nil && was.statement == nil && was.column(key.column) != nil {
			continue // it is not known where the values came from
		}
		if old := c.formerName(key); old != "" {
			if _, already := before[altered{key.node, old}]; already {
				continue
			}
		}
		found = append(found, Personal{URN: n.URN(), Table: n.Name, Column: column.Name, From: r.from, Label: r.label, Via: r.via, File: n.File, Line: n.lineOf(column.Name, 0)})
	}
	return found
}

// formerName returns the name in base of a renamed column, in lower case, "" for others.
func (c *comparison) formerName(of altered) string {
	for name, lost := range c.lost[of.node] {
		if strings.EqualFold(lost.change.NewName, of.column) {
			return name
		}
	}
	return ""
}

// reach follows the values of labelled columns.
func reach(s *State, label func(*Node, *Column) string) map[altered]reached {
	found := map[altered]reached{}
	var queue []altered
	for _, id := range s.ids() {
		n := s.Nodes[id]
		for i := range n.Columns {
			if tag := label(n, &n.Columns[i]); tag != "" {
				name := n.Name + "." + n.Columns[i].Name
				key := altered{id, strings.ToLower(n.Columns[i].Name)}
				found[key] = reached{name, tag, []string{name}}
				queue = append(queue, key)
			}
		}
	}
	dependents := s.dependents()
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, id := range dependents[at.node] {
			n := s.Nodes[id]
			for _, column := range n.derived(at) {
				key := altered{id, strings.ToLower(column)}
				if _, known := found[key]; !known {
					r := found[at]
					found[key] = reached{r.from, r.label, append(slices.Clone(r.via), n.Name+"."+column)}
					queue = append(queue, key)
				}
			}
		}
	}
	return found
}
