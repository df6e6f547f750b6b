// Package report writes the result of the gate for changes: for a pull request, for code scanning (SARIF) and for the reports
// of tests (JUnit).
package report

import (
	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/catalog/change/gate"
)

// Report is the result of the gate.
type Report struct {
	*change.Result
	Verdict *gate.Verdict `json:"verdict"`
	// Incomplete names the questions that were not answered, "" if all were.
	Incomplete string `json:"incomplete,omitempty"`
	// Prefix is the directory of the project in its repository, "" for the root.
	Prefix string `json:"-"`
	// Page is the address of the catalog for people, "" without links. Version is the version of the program.
	Page string `json:"-"`
	// Draws tells that the page of the catalog can draw the change. Drawn is the encoded change for the address of that
	// page, "" if it is too long for an address.
	Draws bool   `json:"-"`
	Drawn string `json:"-"`
	// Announced is the URN of the announced change, "" if nothing was announced.
	Announced string `json:"-"`
	Version   string `json:"-"`
}

// subject is the table or the column of a change.
func subject(c *change.Change) string {
	if c.Column == "" {
		return c.Table
	}
	return c.Table + "." + c.Column
}

// Sentence says a change in words.
func Sentence(c *change.Change) string {
	name := subject(c)
	switch c.Kind {
	case change.TableAdded:
		return name + " is new"
	case change.TableRemoved:
		return name + " is removed"
	case change.ColumnAdded:
		return name + " is new"
	case change.ColumnDropped:
		return name + " is dropped"
	case change.ColumnRenamed:
		return name + " is renamed to " + c.NewName
	case change.ColumnRetyped:
		if c.OldType == c.NewType {
			return name + " may have other values"
		}
		return name + " changes its type from " + c.OldType + " to " + c.NewType
	case change.Nullability:
		return name + " was " + c.OldType + " and is " + c.NewType
	case change.MeaningChanged:
		return name + " changes its meaning"
	case change.LineageLost:
		return name + " loses sources"
	case change.RowsChanged:
		return "the rows of " + name + " change"
	}
	return "the columns of " + name + " change places"
}

// place is a file with a line, below the prefix.
func (r *Report) place(file string) string {
	if file == "" || r.Prefix == "" {
		return file
	}
	return r.Prefix + "/" + file
}

// changeOf returns the change that causes an impact, or nil if the report does not list that change.
func (r *Report) changeOf(i *change.Impact) *change.Change {
	for k := range r.Changes {
		if c := &r.Changes[k]; subject(c) == i.Column {
			return c
		}
	}
	return nil
}
