package announced

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/model"
)

// seen is a loss of a dataset that a change of the log shows.
type seen struct {
	kind string
	// column is the plain path of the column, "" for the whole dataset. newName and newType are its name and type now.
	column, newName, newType string
	// field is the URN of the column.
	field string
	// breaks: the loss is recorded if nobody announced it.
	breaks bool
	text   string
}

// seenIn returns the losses of a dataset that a change of the log shows: columns that were removed or renamed, that have another type or
// may no longer be null, lineage that was lost, and the removal of the dataset.
func seenIn(c *catalog.Change, events []changeevents.Event) []seen {
	var found []seen
	for i := range events {
		e := &events[i]
		one := seen{text: e.Description, breaks: e.Breaks(), field: e.Text("fieldUrn"), column: columnOf(e.Text("fieldUrn"))}
		switch {
		case e.Category == changeevents.CategorySchema && c.Value != nil: // a schema that was deleted shows nothing
			switch e.ColumnChange() {
			case changeevents.OperationRemove:
				one.kind = columnDropped
			case changeevents.ModificationRename:
				one.kind, one.newName = columnRenamed, model.PlainPath(e.RenamedTo())
			case changeevents.ModificationType:
				one.kind, one.newType = columnRetyped, e.Text("nativeDataType")
			}
		case e.Category == changeevents.CategoryLifecycle && e.Breaks():
			one.kind = tableRemoved
		case e.Category == changeevents.CategoryLineage && e.LosesUpstream():
			one.kind, one.column = lineageLost, columnOf(e.EntityURN)
			if one.column != "" {
				one.field = e.EntityURN
			}
		}
		if one.kind != "" {
			found = append(found, one)
		}
	}
	if c.Aspect == model.AspectSchemaMetadata {
		found = append(found, nullabilityOf(c)...)
	}
	return found
}

// columnOf returns the plain path of a column by its URN, "" for another URN.
func columnOf(urn string) string {
	if _, path, ok := model.ColumnOf(model.StoredURN(urn)); ok {
		return model.PlainPath(path)
	}
	return ""
}

// The words of package change for whether a column may be null.
const (
	mayBeNull = "null"
	notNull   = "not null"
)

// nullabilityOf returns the columns that may be null now and could not before, or the other way round. It breaks nothing by
// itself.
func nullabilityOf(c *catalog.Change) []seen {
	before, now := nullableColumns(c.Previous), nullableColumns(c.Value)
	var found []seen
	for _, column := range now.order {
		nullable := now.nullable[column]
		if was, known := before.nullable[column]; known && was != nullable {
			one := seen{kind: nullability, column: column, newType: notNull, text: "Column " + column + " may no longer be null"}
			if nullable {
				one.newType, one.text = mayBeNull, "Column "+column+" may be null"
			}
			found = append(found, one)
		}
	}
	return found
}

type columns struct {
	nullable map[string]bool
	order    []string
}

func nullableColumns(schema json.RawMessage) columns {
	var decoded struct {
		Fields []struct {
			FieldPath string `json:"fieldPath"`
			Nullable  bool   `json:"nullable"`
		} `json:"fields"`
	}
	found := columns{nullable: map[string]bool{}}
	if json.Unmarshal(schema, &decoded) != nil {
		return found // there was no schema
	}
	for _, f := range decoded.Fields {
		path := model.PlainPath(f.FieldPath)
		if _, twice := found.nullable[path]; !twice {
			found.order = append(found.order, path)
		}
		found.nullable[path] = f.Nullable
	}
	return found
}

// fit says how a member fits the losses that the log shows.
type fit int

const (
	fitsNot fit = iota
	// explains: the member is a reason for the loss, and has not arrived with the loss.
	explains
	arrives
)

// fits compares a member with a loss of one of its datasets that the log shows. A renamed column and a dropped one are the same loss:
// the check and the catalog may guess differently.
func (m *Member) fits(s *seen) fit {
	same := strings.EqualFold(m.Column, s.column) || m.Path != "" && strings.EqualFold(model.PlainPath(m.Path), s.column)
	loses := m.Kind == columnDropped || m.Kind == columnRenamed
	var is bool
	switch s.kind {
	case columnDropped, columnRenamed:
		is = loses && same
	case columnRetyped:
		is = m.Kind == columnRetyped && same
	case nullability:
		is = m.Kind == nullability && same && (m.NewType == "" || m.NewType == s.newType)
	case tableRemoved:
		is = m.Kind == tableRemoved
	case lineageLost:
		if m.Kind != lineageLost {
			if loses || m.Kind == tableRemoved || m.Kind == meaningChanged || m.Kind == rowsChanged {
				return explains
			}
			return fitsNot
		}
		is = same || s.column == "" || m.Column == ""
	}
	if is {
		return arrives
	}
	return fitsNot
}

// arrivesEver reports whether the catalog can show that a member has happened.
func (m *Member) arrivesEver() bool { return m.Kind != meaningChanged && m.Kind != rowsChanged }

// expects reports whether a change that is logged at a moment may be one of these.
func (i *Info) expects(at int64) bool {
	switch i.State {
	case StateAnnounced, StatePartly, StateArrived: // another dataset of the same table may follow
		return i.ExpiresAt == 0 || at <= i.ExpiresAt
	}
	return false
}

// match adds the arrivals of the losses that the log shows of a dataset. It reports for each loss whether it was announced, and whether
// an arrival was added. Matching the same change again adds nothing.
func (i *Info) match(a Arrival, shown []seen) (announced []bool, added bool) {
	announced = make([]bool, len(shown))
	expected := i.expects(a.Time)
	for k := range shown {
		for n := range i.Changes {
			m := &i.Changes[n]
			how := fitsNot
			if slices.Contains(m.Datasets, a.Dataset) {
				how = m.fits(&shown[k])
			}
			if how == fitsNot {
				continue
			}
			at := slices.IndexFunc(m.Arrivals, func(o Arrival) bool { return o.Dataset == a.Dataset })
			switch {
			case at >= 0 && (m.Arrivals[at].Change == a.Change || m.Kind == tableRemoved):
				announced[k] = true // the loss was matched before; a removed table may be deleted for good
			case !expected:
			case how == explains:
				announced[k] = true
			case at < 0:
				m.Arrivals = append(m.Arrivals, a.of(&shown[k]))
				announced[k], added = true, true
			}
		}
	}
	if added {
		i.State = i.progress()
	}
	return announced, added
}

// of returns the arrival of one thing that a change of the log shows.
func (a Arrival) of(s *seen) Arrival {
	a.Field, a.Description = s.field, s.text
	return a
}

// progress returns the state that follows from the arrivals.
func (i *Info) progress() string {
	arrived, expected := 0, 0
	for k := range i.Changes {
		switch m := &i.Changes[k]; {
		case len(m.Arrivals) > 0:
			arrived++
		case m.arrivesEver():
			expected++
		}
	}
	switch {
	case arrived == 0:
		return StateAnnounced
	case expected > 0:
		return StatePartly
	}
	return StateArrived
}
