// Package change compares the definitions of a project before and after a change, and names the nodes that the change
// breaks. It knows no store and no server: a State is made of the artifacts of dbt, of files of SQL, of a list of tables or
// of a catalog's answers, and Compare reads the SQL of both states.
//
// Compare is an overlay: the statements of the head are read against the columns of the head, and against the columns
// that the head no longer has. A statement that names one of the latter fails, whatever its author meant.
package change

// The kinds of changes.
const (
	TableAdded     = "tableAdded"
	TableRemoved   = "tableRemoved"
	ColumnAdded    = "columnAdded"
	ColumnDropped  = "columnDropped"
	ColumnRenamed  = "columnRenamed"
	ColumnRetyped  = "columnRetyped"
	Nullability    = "nullabilityChanged"
	MeaningChanged = "meaningChanged"
	LineageLost    = "lineageLost"
	RowsChanged    = "rowsChanged"
	Reordered      = "columnsReordered"
)

// Change is a difference between base and head.
type Change struct {
	// Kind is one of the constants. Table is the name of the table, and Column the column in base, "" for a change of the table.
	Kind   string `json:"kind"`
	Table  string `json:"table"`
	Column string `json:"column,omitempty"`
	// Path is the path of the column in the catalog if it is not its name.
	Path string `json:"path,omitempty"`
	// Sure is how certain the change is, from 0 to 1. How says why.
	Sure float64 `json:"sure"`
	How  string  `json:"how"`
	// NewName is the name of a renamed column in head. OldType and NewType are the types of a retyped column, or of one that may
	// or may not be null. Narrowed: values may no longer fit.
	NewName  string `json:"newName,omitempty"`
	OldType  string `json:"oldType,omitempty"`
	NewType  string `json:"newType,omitempty"`
	Narrowed bool   `json:"narrowed,omitempty"`
	// Because is the column upstream from which the change follows, "" for a change in the node itself.
	Because string `json:"because,omitempty"`
	// URN is the table in the catalog, "" if the state names none. File and Line are the place in the head.
	URN  string `json:"urn,omitempty"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`

	node string
}

// Node returns the id of the changed node.
func (c *Change) Node() string { return c.node }

// Loses reports whether the change takes a column away under its former name.
func (c *Change) Loses() bool { return c.Kind == ColumnDropped || c.Kind == ColumnRenamed }

// Owner is a person or a group that owns something.
type Owner struct {
	URN   string `json:"urn"`
	Name  string `json:"name,omitempty"`
	Email string `json:"email,omitempty"`
}

// Impact is something that a change affects.
type Impact struct {
	// URN is "" for a statement of a file that the catalog does not know.
	URN      string  `json:"urn"`
	Name     string  `json:"name"`
	Type     string  `json:"type"`
	Platform string  `json:"platform"`
	Owners   []Owner `json:"owners"`
	// Via leads from the changed column or table to this. Why is the reason as a sentence, without a full stop.
	Via []string `json:"via"`
	Why string   `json:"why"`
	// Column is the column that is read, Clause the place in the statement, as in "join". File and Line are the place in the project.
	Column string `json:"column,omitempty"`
	Clause string `json:"clause,omitempty"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	// Domains are the domains in the catalog. Outside: the project does not define it.
	Domains []string `json:"domains,omitempty"`
	Outside bool     `json:"outside,omitempty"`

	node string
}

// Node returns the id of the affected node, "" for something outside the project.
func (i *Impact) Node() string { return i.node }

// Hurt is a contract or an assertion that a change hurts. Effect is "certain" or "possible".
type Hurt struct {
	URN    string  `json:"urn"`
	Name   string  `json:"name"`
	Table  string  `json:"table"`
	Column string  `json:"column,omitempty"`
	Owners []Owner `json:"owners"`
	Effect string  `json:"effect"`
	Why    string  `json:"why"`
	File   string  `json:"file,omitempty"`
	Line   int     `json:"line,omitempty"`
}

// The effects.
const (
	Certain  = "certain"
	Possible = "possible"
)

// Personal is a column that values of personal data would newly reach.
type Personal struct {
	URN    string `json:"urn,omitempty"`
	Table  string `json:"table"`
	Column string `json:"column"`
	// From is the column with the label, and Label the tag or term that says so.
	From  string   `json:"from"`
	Label string   `json:"label"`
	Via   []string `json:"via"`
	File  string   `json:"file,omitempty"`
	Line  int      `json:"line,omitempty"`
}

// NotUnderstood is a part of the project of which nothing is known.
type NotUnderstood struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text,omitempty"`
	Why  string `json:"why"`
}

// Result is the answer of a comparison.
type Result struct {
	Changes         []Change   `json:"changes"`
	Certain         []Impact   `json:"certain"`
	Possible        []Impact   `json:"possible"`
	Contracts       []Hurt     `json:"contracts"`
	Assertions      []Hurt     `json:"assertions"`
	NewPersonalData []Personal `json:"newPersonalData"`
	// Forms and Properties are forms and structured properties that lose their subjects.
	Forms      []Hurt `json:"forms"`
	Properties []Hurt `json:"structuredProperties"`
	// Unused are tables and columns that nobody reads any more.
	Unused        []Unused        `json:"unused"`
	NotUnderstood []NotUnderstood `json:"notUnderstood"`
}
