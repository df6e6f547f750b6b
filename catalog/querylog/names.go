package querylog

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/nearest"
)

// member is a member of an entry.
type member int

const (
	ofQuery member = iota
	ofUser
	ofTime
	ofCount
	ofDatabase
	ofSchema
	ignored
)

// names are the names that logs give to the members, as they are documented.
var names = map[member][]string{
	ofQuery:    {"query", "query_text", "sql", "sql_text", "statement", "text"},
	ofUser:     {"user", "user_name", "usename", "user_email", "email", "actor", "principal"},
	ofTime:     {"time", "timestamp", "last_run", "last_executed", "start_time", "executed_at", "creation_time", "date", "day"},
	ofCount:    {"count", "calls", "runs", "executions", "query_count"},
	ofDatabase: {"database", "database_name", "datname", "db"},
	ofSchema:   {"schema", "schema_name", "default_schema"},
}

// meanings describe the members, for messages.
var meanings = map[member]string{
	ofQuery: "statement", ofUser: "user", ofTime: "time", ofCount: "count", ofDatabase: "database", ofSchema: "schema",
}

// plainName returns a name without the parts that logs spell differently: letter case, blanks, "_" and "-".
func plainName(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "", "\ufeff", "").Replace(strings.ToLower(name))
}

var members = func() map[string]member {
	all := map[string]member{}
	for m, list := range names {
		for _, name := range list {
			all[plainName(name)] = m
		}
	}
	return all
}()

// Column is a column that a log may have.
type Column struct {
	// Meaning describes the column, and Names are its possible names.
	Meaning string
	Names   []string
}

// Columns are the columns that a log may have, that of statements first.
func Columns() []Column {
	var list []Column
	for m := ofQuery; m < ignored; m++ {
		list = append(list, Column{meanings[m], names[m]})
	}
	return list
}

// Names are the names of columns that a log may have, sorted, without names that differ from another one only in
// letter case, "_", "-" and blanks.
func Names() []string { return slices.Sorted(flat(maps.Values(names))) }

func flat(lists func(func([]string) bool)) func(func(string) bool) {
	return func(yield func(string) bool) {
		for list := range lists {
			for _, name := range list {
				if !yield(name) {
					return
				}
			}
		}
	}
}

// ErrColumn says that a column of a log has an unknown name.
var ErrColumn = errors.New("unknown column")

// everything is the name of Ignore that stands for all names that are unknown.
const everything = "*"

// memberOf returns the member that a name stands for. An error says that the name is unknown, and which is nearest.
func (r *Reader) memberOf(name string) (member, error) {
	plain := plainName(name)
	if slices.ContainsFunc(r.Ignore, func(other string) bool { return plainName(other) == plain }) {
		return ignored, nil
	}
	if m, known := members[plain]; known {
		return m, nil
	}
	if slices.Contains(r.Ignore, everything) {
		return ignored, nil
	}
	near := nearest.Question(nearest.Names(strings.ReplaceAll(strings.TrimSpace(name), " ", "_"), slices.Values(Names())))
	return ignored, fmt.Errorf("%w %q of a query log%s", ErrColumn, name, near)
}

// twice says that two names stand for one member.
func twice(m member, one, other string) error {
	return fmt.Errorf("the columns %q and %q both name the %s; one of them must be ignored", one, other, meanings[m])
}
