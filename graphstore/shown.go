package graphstore

import "encoding/json"

// ForPeople says what people see who read the graph directly. Stores that nobody reads
// ignore it.
type ForPeople struct {
	// Describe says what they see of an entity of which only the URN is known.
	Describe func(urn string) Description
	// Show says what the latest value of an aspect shows them, and of which edges; Aspects
	// are those that show something.
	Show    func(a *Aspect) (Shown, []EdgeStatement, error)
	Aspects []string
	// Numbers are the numbers that they see of a value of a time series and, if it is the
	// newest one, of its entity; nil for none. Numbered are the series that have any.
	Numbers  func(series string, value json.RawMessage) map[string]any
	Numbered []string
	// Records are the time series that the catalog keeps for itself.
	Records []string
}

// Description is what people who read the graph directly see of an entity, as far as
// its URN tells.
type Description struct {
	// Name is never empty.
	Name string
	// QualifiedName and Platform are empty where a URN names neither. Platform is the id of a
	// platform, such as snowflake.
	QualifiedName, Platform string
	// FieldPath and Holder are those of a column: its path as its schema has it, and
	// the URN of the entity that it belongs to. They are empty for anything else.
	FieldPath, Holder string
}

// Shown is what the change of an aspect changes for people who read the graph directly.
// The reasons are in docs/decisions/0057-graph-for-people.md.
type Shown struct {
	// Properties are those of the entity's node; a nil value removes a property.
	Properties map[string]any
	// Columns are columns that the entity's schema has, if they are new or have changed;
	// LostColumns are the URNs of those that it no longer has.
	Columns     []Column
	LostColumns []string
	// Edited are columns about which people wrote, or no longer do.
	Edited []EditedColumn
	// Labels are tags and terms that columns gain and lose.
	Labels []ColumnLabel
}

// Column is a column of a schema.
type Column struct {
	URN string
	// DataType is a word such as STRING, NativeType what the source calls the type.
	DataType, NativeType string
	Nullable             bool
	Description          string
}

// EditedColumn is a column with the description that people wrote, "" for none.
type EditedColumn struct{ URN, Description string }

// ColumnLabel is a tag or term of a column, stated by an aspect of an entity. An aspect
// states each once.
type ColumnLabel struct {
	Column, Label string
	// Term: the label is a glossary term, and no tag.
	Term          bool
	Owner, Aspect string
	Lost          bool
}

// Empty reports whether nothing changes.
func (s *Shown) Empty() bool {
	return len(s.Properties)+len(s.Columns)+len(s.LostColumns)+len(s.Edited)+len(s.Labels) == 0
}

// Add appends what a later change changes.
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
