package change

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// Unused is a table or a column that somebody reads in base and nobody in head.
type Unused struct {
	URN   string `json:"urn,omitempty"`
	Table string `json:"table"`
	// Column is "" for a table.
	Column string `json:"column,omitempty"`
	// Path is the path of the column in the catalog if it is not its name.
	Path string `json:"path,omitempty"`
	// Was is a reader of base. Why says who was asked.
	Was  string `json:"was"`
	Why  string `json:"why"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`

	node string
}

// wholeTable stands for all columns of a node.
const wholeTable = "*"

// readers returns who reads a column, by the node and the column in lower case. Of a reader whose SQL is not known or not
// understood, or that takes *, all columns count as read. Tests read for others, and do not count.
func (s *State) readers() map[altered]string {
	found := map[altered]string{}
	note := func(by *Node, id, column string) {
		if id == by.ID {
			return
		}
		key := altered{id, strings.ToLower(column)}
		if name := found[key]; name == "" || by.Name < name {
			found[key] = by.Name
		}
	}
	for _, id := range s.ids() {
		n := s.Nodes[id]
		if n.Type == "test" {
			continue
		}
		for _, key := range n.made.keys {
			found[altered{id, strings.ToLower(key[1])}] = n.Name // a setting of the model names the column
		}
		if n.statement == nil || len(n.statement.NotUnderstood) > 0 {
			for _, from := range n.Upstreams {
				note(n, from, wholeTable)
			}
			if n.statement == nil {
				continue
			}
		}
		for _, r := range n.statement.ColumnsRead {
			note(n, r.Table, r.Column)
		}
		for i := range n.Columns {
			for _, source := range n.Columns[i].sources {
				note(n, source.Table, source.Column)
			}
		}
		for _, out := range n.statement.Columns {
			for _, source := range out.Sources {
				note(n, source.Table, source.Column)
			}
		}
	}
	return found
}

// unused finds tables and columns that somebody reads in base and nobody in head.
func (c *comparison) unused() []Unused {
	before, after := c.base.readers(), c.head.readers()
	dependents := map[string]bool{}
	for id, by := range c.head.dependents() {
		dependents[id] = slices.ContainsFunc(by, func(reader string) bool { return c.head.Nodes[reader].Type != "test" })
	}
	was := c.base.dependents()
	found := []Unused{}
	for _, id := range c.head.ids() {
		n, base := c.head.Nodes[id], c.base.Nodes[id]
		if base == nil || !n.isTable() {
			continue
		}
		one := Unused{URN: n.URN(), Table: n.Name, Why: "nobody in the project reads it any more", File: n.File, Line: max(1, n.Line), node: id}
		at := slices.IndexFunc(was[id], func(reader string) bool { return c.base.Nodes[reader].Type != "test" })
		if at >= 0 && !dependents[id] {
			one.Was = c.base.Nodes[was[id][at]].Name
			found = append(found, one)
			continue
		}
		if !n.Known || after[altered{id, wholeTable}] != "" {
			continue
		}
		for i := range n.Columns {
			name := n.Columns[i].Name
			key := altered{id, strings.ToLower(name)}
			if base.column(name) == nil || after[key] != "" || before[key] == "" {
				continue
			}
			column := one
			column.Column, column.Was, column.Line, column.Path = name, before[key], n.lineOf(name, 0), pathOf(name, base, n)
			found = append(found, column)
		}
	}
	return found
}

// unused leaves out tables and columns that somebody beyond the project reads.
func (o *outside) unused(ctx context.Context, list []Unused) ([]Unused, error) {
	left := []Unused{}
	for _, one := range list {
		if one.URN == "" {
			left = append(left, one)
			continue
		}
		if !o.ask() {
			one.Why += "; the catalog was not asked"
			left = append(left, one)
			continue
		}
		var found []Affected
		var err error
		if one.Column == "" {
			found, err = o.catalog.Behind(ctx, one.URN, true)
		} else {
			found, err = o.catalog.Readers(ctx, one.URN, cmp.Or(one.Path, one.Column), Drop)
		}
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(found, func(a Affected) bool {
			return !o.defined[strings.ToLower(a.URN)] && a.Type != model.EntityAssertion && a.Type != model.EntityDataContract
		}) {
			one.Why = "nobody reads it any more, in the project and beyond"
			left = append(left, one)
		}
	}
	return left, nil
}
