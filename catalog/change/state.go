package change

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/sql/lineage"
)

// SQLReader reads the lineage of SQL, as lineage.Reader does.
type SQLReader interface {
	Read(ctx context.Context, script string, s lineage.Settings) ([]lineage.Statement, error)
	// Ahead says that Read is soon called with a script.
	Ahead(script, dialect string)
}

// State is the definitions of a project at one time.
type State struct {
	// Dialect is the dialect of the SQL, "" for a state without SQL.
	Dialect string
	// Nodes are the tables, statements, tests and exposures, by id.
	Nodes map[string]*Node
	// Notes are parts that could not be read.
	Notes []NotUnderstood

	database, schema string
	// made is the project of dbt, nil for another state.
	made *ofProject
	// byName has the nodes with a table, by the last part of the table's name in lower case.
	byName map[string][]*Node
	units  []*unit
	// dropped are tables that scripts drop and do not make.
	dropped []*Node
}

// Node is a table, or something that reads tables.
type Node struct {
	// ID tells nodes of a state apart. Nodes of two states with one id are the same node.
	ID string
	// Name is the name of the table, or of the node if it has none. Type is dbt's resource type, or table, view or statement.
	Name, Type string
	// URNs are the names of the node in the catalog, the table first.
	URNs     []string
	Platform string
	// File and Line are the place of the node. Owners are URNs.
	File   string
	Line   int
	Owners []string
	// Columns are the columns in their order. Known: there are no others.
	Columns []Column
	Known   bool
	// Described: the columns are those that a project describes, which may be wrong.
	Described bool
	// Upstreams are the ids of the nodes that this one reads.
	Upstreams []string

	// table has the parts of the table's name, nil for a node without a table.
	table []string
	// raw is the code as its author wrote it, code the text that is read. hasSQL: the code should name the tables that the node reads.
	raw, code string
	hasSQL    bool
	// made has facts of dbt.
	made dbtFacts
	// types are the types that a catalog of dbt tells, by the names of columns in lower case.
	types map[string]string
	// alters are the alterations of the table by scripts after it was made.
	alters []alteration
	// nested: the columns include the fields inside them. keys: the columns are the fields of a message key.
	nested, keys bool
	// gone: a script makes the table and drops it. assumed: scripts only alter it, so that its columns are not known from them.
	gone, assumed bool
	// statement is the reading of the code, nil if there is none.
	statement *lineage.Statement
}

// dbtFacts are facts of a node of dbt.
type dbtFacts struct {
	materialized, onSchemaChange, tested string
	keys                                 [][2]string
	contract                             bool
	promised                             []Column
}

// Column is a column of a node.
type Column struct {
	Name string
	// Path is the path in the catalog if it is another one than the name, such as [version=2.0].[type=Order].[type=long].id.
	Path string
	// more are the paths of the other types of a union.
	more []string
	// Type is "" if it is not known.
	Type    string
	NotNull bool
	// Labels are the tags and terms.
	Labels []string

	// formerly are names that the column had, in lower case.
	formerly []string
	// values are the values of an enumeration, and number is the number of a field in Protobuf; nil and "" if they are not known.
	values []string
	number string

	form, cast string
	how        lineage.How
	star       bool
	sources    []lineage.Source
}

// unit is a text of SQL. It has a node for each statement, in their order; for dbt's code, it has one node, of the last
// statement.
type unit struct {
	file, code string
	ctes       map[string]string
	nodes      []*Node
	last       bool
	needs      []string
	// hash tells texts apart, "" until it is needed.
	hash string
}

// isTable reports whether others can read the node.
func (n *Node) isTable() bool {
	switch n.Type {
	case "test", "exposure", "statement", "analysis", "operation":
		return false
	}
	return true
}

// URN returns the first name in the catalog, "" for none.
func (n *Node) URN() string {
	if len(n.URNs) == 0 {
		return ""
	}
	return n.URNs[0]
}

// column finds a column, ignoring letter case.
func (n *Node) column(name string) *Column {
	at := slices.IndexFunc(n.Columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
	if at < 0 {
		return nil
	}
	return &n.Columns[at]
}

func newState(dialect string) *State {
	return &State{Dialect: dialect, Nodes: map[string]*Node{}, byName: map[string][]*Node{}}
}

// add adds a node. parts are the parts of its table's name.
func (s *State) add(n *Node, parts []string) {
	s.Nodes[n.ID] = n
	if n.table = parts; len(parts) > 0 {
		last := strings.ToLower(parts[len(parts)-1])
		s.byName[last] = append(s.byName[last], n)
	}
}

// find finds the node that a name of a table means, ignoring letter case: the one whose name ends in the same way, if
// there is only one.
func (s *State) find(parts []string) *Node {
	if len(parts) == 1 && s.Nodes[parts[0]] != nil {
		return s.Nodes[parts[0]] // a common table expression that stands for a node
	}
	var found *Node
	best := 0
	for _, n := range s.byName[strings.ToLower(parts[len(parts)-1])] {
		common := min(len(parts), len(n.table))
		if !slices.EqualFunc(parts[len(parts)-common:], n.table[len(n.table)-common:], strings.EqualFold) {
			continue
		}
		switch {
		case common > best || common == best && found != nil && found.Type == "source" && n.Type != "source":
			found, best = n, common
		case common == best && n.Type != "source":
			return nil // the name may mean this table or another
		}
	}
	return found
}

// ids returns the ids of the nodes, sorted.
func (s *State) ids() []string { return slices.Sorted(maps.Keys(s.Nodes)) }

// ordered returns the units so that each comes after those whose tables it reads, as far as that is possible.
func (s *State) ordered() []*unit {
	of := map[string][]*unit{}
	for _, u := range s.units {
		for _, n := range u.nodes {
			of[n.ID] = append(of[n.ID], u)
		}
	}
	done, order := map[*unit]bool{}, make([]*unit, 0, len(s.units))
	var visit func(u *unit)
	visit = func(u *unit) {
		if done[u] {
			return
		}
		done[u] = true
		for _, id := range u.needs {
			for _, other := range of[id] {
				visit(other)
			}
		}
		order = append(order, u)
	}
	for _, u := range s.units {
		visit(u)
	}
	return order
}

// dependents returns the ids of the nodes that read a node, by the node's id.
func (s *State) dependents() map[string][]string {
	by := map[string][]string{}
	for _, id := range s.ids() {
		for _, from := range s.Nodes[id].Upstreams {
			if from != id && !slices.Contains(by[from], id) {
				by[from] = append(by[from], id)
			}
		}
	}
	return by
}
