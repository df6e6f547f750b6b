package graphstore

import "encoding/json"

// ForPeople computes the properties for people who read the graph directly. Stores that nobody
// reads directly ignore it.
type ForPeople struct {
	// Describe returns the description of an entity of which only the URN is known.
	Describe func(urn string) Description
	// Show returns the properties for people that follow from the latest value of an aspect, and
	// the statements of the aspect that have properties for people. Aspects names the aspects that
	// have any.
	Show    func(a *Aspect) (Shown, []EdgeStatement, error)
	Aspects []string
	// Numbers returns the numbers that a value of a time series shows; the numbers of the newest
	// value are also shown at the entity. Numbers returns nil for none. Numbered lists the series
	// that show numbers.
	Numbers  func(series string, value json.RawMessage) map[string]any
	Numbered []string
	// Records are the time series that the catalog keeps for itself.
	Records []string
}

// Description is the part of an entity's properties for people that follows from its URN.
type Description struct {
	// Name is never empty.
	Name string
	// QualifiedName and Platform are "" if the URN does not name them. Platform is the id of a
	// platform, such as snowflake.
	QualifiedName, Platform string
	// FieldPath and Holder are set for a column: its path as the schema writes it, and the URN of
	// its entity. They are "" for any other entity.
	FieldPath, Holder string
}

// Shown is the effect of a change of an aspect on the properties for people.
// The reasons are in docs/decisions/0057-graph-for-people.md.
type Shown struct {
	// Properties are properties of the entity's node; a nil value removes a property.
	Properties map[string]any
	// Columns lists new and changed columns of the entity's schema, LostColumns the URNs of
	// columns that the schema no longer has.
	Columns     []Column
	LostColumns []string
	// Edited lists columns whose edited description has changed.
	Edited []EditedColumn
	// Labels lists tags and terms that columns gain or lose.
	Labels []ColumnLabel
}

// Column is a column of a schema.
type Column struct {
	URN string
	// DataType is a word such as STRING. NativeType is the name of the type in the source.
	DataType, NativeType string
	Nullable             bool
	Description          string
}

// EditedColumn is a column with the description that people wrote, "" for none.
type EditedColumn struct{ URN, Description string }

// ColumnLabel is a tag or term of a column, stated by an aspect of an entity. An aspect states
// each label of a column once.
type ColumnLabel struct {
	Column, Label string
	// Term tells that the label is a glossary term; otherwise it is a tag.
	Term          bool
	Owner, Aspect string
	Lost          bool
}

// Empty reports whether the change has no effect.
func (s *Shown) Empty() bool {
	return len(s.Properties)+len(s.Columns)+len(s.LostColumns)+len(s.Edited)+len(s.Labels) == 0
}

// Add appends the effect of a later change.
func (s *Shown) Add(later *Shown) {
	for name, value := range later.Properties {
		if s.Properties == nil {
			s.Properties = map[string]any{}
		}
		s.Properties[name] = value
	}
	s.Columns = append(s.Columns, later.Columns...)
	s.LostColumns = append(s.LostColumns, later.LostColumns...)
	s.Edited = append(s.Edited, later.Edited...)
	s.Labels = append(s.Labels, later.Labels...)
}
