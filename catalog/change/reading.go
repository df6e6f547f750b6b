package change

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/sql/lineage"
)

// engine reads units, and keeps its readings: a text that is read against the same columns has the same reading.
type engine struct {
	by     SQLReader
	memo   map[string][]memo
	memory *Memory
}

// memo is a text that was read: the answers that the reader got about tables, and the reading of the text.
type memo struct {
	Asked      []answer
	Statements []lineage.Statement
}

// answer is the reader's answer about a table.
type answer struct {
	Parts []string
	Known string
}

// read reads a unit. tables finds the known tables.
func (e *engine) read(ctx context.Context, s *State, u *unit, tables lineage.Tables) ([]lineage.Statement, error) {
	key := u.key(s)
	for _, m := range e.memo[key] {
		if holds(ctx, m.Asked, tables) {
			return m.Statements, nil
		}
	}
	if m, ok := e.memory.find(ctx, key, tables); ok {
		e.memo[key] = append(e.memo[key], m)
		return m.Statements, nil
	}
	var m memo
	asking := func(ctx context.Context, parts []string) (*lineage.Table, error) {
		t, err := tables(ctx, parts)
		m.Asked = append(m.Asked, answer{slices.Clone(parts), told(t)})
		return t, err
	}
	statements, err := e.by.Read(ctx, u.code, lineage.Settings{Dialect: s.Dialect, Database: s.database, Schema: s.schema, Tables: asking, CTEs: u.ctes})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmp.Or(u.file, "the code"), err)
	}
	m.Statements = statements
	e.memo[key] = append(e.memo[key], m)
	e.memory.remember(key, m)
	return statements, nil
}

// ahead is how many units are parsed before they are read.
const ahead = 4

// soon begins to parse the first units of a list that were not read before, because they are read next.
func (e *engine) soon(s *State, units []*unit) {
	for _, u := range units[:min(ahead, len(units))] {
		if key := u.key(s); e.memo[key] == nil && !e.memory.knows(key) {
			e.by.Ahead(u.code, s.Dialect)
		}
	}
}

// key tells texts apart.
func (u *unit) key(s *State) string {
	if u.hash == "" {
		u.hash = hash(s.Dialect + "\x00" + s.database + "\x00" + s.schema + "\x00" + u.code + "\x00" + fmt.Sprint(u.ctes))
	}
	return u.hash
}

func holds(ctx context.Context, asked []answer, tables lineage.Tables) bool {
	for _, a := range asked {
		if t, err := tables(ctx, a.Parts); err != nil || told(t) != a.Known {
			return false
		}
	}
	return true
}

func told(t *lineage.Table) string {
	if t == nil {
		return ""
	}
	return hash(fmt.Sprintf("%q|%t|%q|%q|%t", t.Name, t.Columns == nil, t.Columns, t.Forms, t.Settled))
}

// tables returns how the nodes of a state are found. more has columns that nodes do not have any more, and forms the forms
// of renamed columns, both by node.
func (s *State) tables(more map[string]losses, forms map[string]map[string]string) lineage.Tables {
	return func(_ context.Context, parts []string) (*lineage.Table, error) {
		n := s.find(parts)
		if n == nil {
			return nil, nil
		}
		t := &lineage.Table{Name: n.ID, Forms: forms[n.ID], Settled: len(n.alters) > 0}
		if n.Known {
			t.Columns = []string{}
			for i := range n.Columns {
				t.Columns = append(t.Columns, n.Columns[i].Name)
			}
			for _, lost := range more[n.ID].sorted() {
				t.Columns = append(t.Columns, lost.change.Column)
			}
		}
		return t, nil
	}
}

// fill gives the nodes of a unit the readings of its statements.
func (s *State) fill(u *unit, statements []lineage.Statement) {
	if u.last && len(statements) > 0 {
		statements = statements[len(statements)-1:]
	}
	for i, n := range u.nodes {
		if i >= len(statements) || n.gone {
			continue
		}
		st := &statements[i]
		n.statement = st
		for _, name := range st.Reads {
			if from := s.find(strings.Split(name, ".")); from != nil && !slices.Contains(n.Upstreams, from.ID) && from != n {
				n.Upstreams = append(n.Upstreams, from.ID)
			}
		}
		switch {
		case n.Type == "statement":
			s.outputs(n, st)
			for _, name := range st.Writes {
				if to := s.find(strings.Split(name, ".")); to != nil && !slices.Contains(to.Upstreams, n.ID) {
					to.filledBy(n)
				}
			}
		case len(st.Defines) > 0 && len(st.Columns) == 0:
			n.define(st.Defines)
		case n.isTable() && n.Type != "test":
			s.outputs(n, st)
			n.Columns = afterAll(n.Columns, n.alters)
		}
	}
}

// filledBy notes that a statement writes a table, and which columns.
func (n *Node) filledBy(by *Node) {
	n.Upstreams = append(n.Upstreams, by.ID)
	for i := range by.Columns {
		if c := n.column(by.Columns[i].Name); c != nil {
			c.sources = append(c.sources, source{Table: by.ID, Column: by.Columns[i].Name})
		}
	}
}

// outputs gives a node the columns that its query gives. Of a query whose columns are known in part, the columns of the
// catalog of dbt are taken, if it has the node.
func (s *State) outputs(n *Node, st *lineage.Statement) {
	described := n.Columns
	var columns []Column
	known := len(st.Columns) > 0
	for i := range st.Columns {
		out := &st.Columns[i]
		if out.Output == "*" {
			known = false
			continue
		}
		c := Column{Name: out.Output, form: out.Form, cast: out.Cast, how: out.How, star: out.Star, sources: out.Sources}
		if at := slices.IndexFunc(described, func(d Column) bool { return strings.EqualFold(d.Name, out.Output) }); at >= 0 {
			c.Labels, c.NotNull, c.Name = described[at].Labels, described[at].NotNull, described[at].Name
			if n.types == nil || n.types[strings.ToLower(c.Name)] == "" {
				c.Type = described[at].Type
			}
		}
		if kind := s.typeOf(&c); kind != "" {
			c.Type = kind
		} else if kind := n.types[strings.ToLower(c.Name)]; kind != "" {
			c.Type = kind
		}
		columns = append(columns, c)
	}
	if n.Type == "snapshot" { // dbt adds these
		for _, name := range []string{"dbt_scd_id", "dbt_updated_at", "dbt_valid_from", "dbt_valid_to"} {
			columns = append(columns, Column{Name: name})
		}
	}
	if !known && n.Known {
		for _, d := range described {
			if !slices.ContainsFunc(columns, func(c Column) bool { return strings.EqualFold(c.Name, d.Name) }) {
				columns = append(columns, d)
			}
		}
		known = true
	}
	n.Columns, n.Known, n.Described = columns, known, false
}

// typeOf returns the type that a column has by its expression: the type of a cast, or the type of the only
// source whose value the column takes.
func (s *State) typeOf(c *Column) string {
	if c.cast != "" {
		return c.cast
	}
	if c.how != lineage.Identity || len(c.sources) != 1 {
		return ""
	}
	if from := s.Nodes[c.sources[0].Table]; from != nil {
		if source := from.column(c.sources[0].Column); source != nil {
			return source.Type
		}
	}
	return ""
}

// note tells which parts of a node were not understood.
func (s *State) note(n *Node) []NotUnderstood {
	if n.assumed && !n.Known {
		return []NotUnderstood{{Name: n.Name, File: n.File, Line: n.Line, Why: "it is altered, and its columns are not known"}}
	}
	if n.statement == nil || understoodAlters(n.statement) {
		return nil
	}
	var notes []NotUnderstood
	for _, p := range n.statement.NotUnderstood {
		notes = append(notes, NotUnderstood{Name: n.Name, File: n.File, Line: n.lineOf(p.Text, p.Line), Text: s.spell(p.Text), Why: s.spell(p.Why)})
	}
	return notes
}

// spell replaces the id of a node by its name at the end of words of the reader.
func (s *State) spell(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		if n := s.Nodes[word]; n != nil {
			words[i] = n.Name
			text = strings.Join(words, " ")
		}
	}
	return text
}
