package sqllineage

import (
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// query proposes a query entity once, and returns its URN. Statements that differ only in literals are one query.
func (c *Collector) query(s *lineage.Statement, run *Run, reads, written []string) string {
	urn := QueryURN(lineage.Fingerprint(s.Text, c.given.Dialect))
	if run != nil {
		urn = run.Query
	}
	if c.queries[urn] {
		return urn
	}
	c.queries[urn] = true
	stamp := c.stamp(run)
	c.propose(urn, model.EntityQuery, model.AspectQueryProperties, catalog.Tree{
		"statement": catalog.Tree{"value": s.Text, "language": "SQL"}, "source": "SYSTEM", "created": stamp, "lastModified": stamp,
	})
	list := []any{}
	for _, subject := range c.subjects(s, reads, written) {
		list = append(list, catalog.Tree{"entity": subject})
	}
	c.propose(urn, model.EntityQuery, model.AspectQuerySubjects, catalog.Tree{"subjects": list})
	if c.given.Platform != "" {
		c.propose(urn, model.EntityQuery, model.AspectDataPlatformInstance, catalog.Tree{"platform": c.given.Platform})
	}
	return urn
}

// QueryURN returns the URN of the query with a fingerprint.
func QueryURN(fingerprint string) string { return "urn:li:query:" + fingerprint }

// subjects returns the subjects of a statement: each table that it reads with the columns that it reads of it, and the
// tables that it writes with the columns that it writes.
func (c *Collector) subjects(s *lineage.Statement, reads, written []string) []string {
	columns := map[string][]string{}
	for table, names := range ColumnsOf(s) {
		if urn, known := c.URN(table); known {
			columns[urn] = append(columns[urn], names...)
		}
	}
	var subjects []string
	add := func(subject string) {
		if !slices.Contains(subjects, subject) {
			subjects = append(subjects, subject)
		}
	}
	for _, urn := range reads {
		add(urn)
		for _, column := range columns[urn] {
			add(columnURN(urn, column))
		}
	}
	for _, urn := range written {
		add(urn)
		for _, o := range s.Columns {
			if o.Output != "*" {
				add(columnURN(urn, o.Output))
			}
		}
	}
	return subjects
}

// ColumnsOf returns the columns that a statement reads in any way, by table, sorted. "*" is not among them.
func ColumnsOf(s *lineage.Statement) map[string][]string {
	columns := map[string][]string{}
	add := func(table, column string) {
		if column != "*" && !slices.Contains(columns[table], column) {
			columns[table] = append(columns[table], column)
		}
	}
	for _, o := range s.Columns {
		for _, from := range o.Sources {
			add(from.Table, from.Column)
		}
	}
	for _, r := range s.ColumnsRead {
		add(r.Table, r.Column)
	}
	for _, names := range columns {
		slices.Sort(names)
	}
	return columns
}
