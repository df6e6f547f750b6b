package querylog

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/sqllineage"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// Run returns the last run of a statement of a log.
func (s *Statement) Run() *sqllineage.Run {
	return &sqllineage.Run{Query: sqllineage.QueryURN(s.Fingerprint), Actor: s.Actor, At: s.Last}
}

// Usage counts by day who reads which datasets and columns.
type Usage struct {
	days map[datasetDay]*dayUsage
	// log is the log of the statements.
	log *Log
}

type datasetDay struct {
	dataset string
	day     int32
}

// dayUsage is the usage of a dataset on a day.
type dayUsage struct {
	total          int64
	users, columns map[string]int64
	queries        map[*Statement]int64
}

// NewUsage returns no usage of the statements of a log.
func (l *Log) NewUsage() *Usage { return &Usage{days: map[datasetDay]*dayUsage{}, log: l} }

// Add counts the runs of a statement as uses of the datasets that it reads. columns are the columns that it reads, by
// dataset. Runs without a time are in no day.
func (u *Usage) Add(s *Statement, datasets []string, columns map[string][]string) {
	for at, n := range s.uses {
		if at.day == noDay {
			continue
		}
		for _, dataset := range datasets {
			key := datasetDay{dataset, at.day}
			day := u.days[key]
			if day == nil {
				day = &dayUsage{users: map[string]int64{}, columns: map[string]int64{}, queries: map[*Statement]int64{}}
				u.days[key] = day
			}
			day.total += n
			day.queries[s] += n
			if name := u.log.users[at.user]; name != "" {
				day.users[name] += n
			}
			for _, column := range columns[dataset] {
				day.columns[column] += n
			}
		}
	}
}

// Proposals returns the usage of the datasets, one value for each dataset and day.
func (u *Usage) Proposals() iter.Seq[sqllineage.Proposal] {
	return func(yield func(sqllineage.Proposal) bool) {
		keys := slices.SortedFunc(maps.Keys(u.days), func(a, b datasetDay) int {
			return cmp.Or(cmp.Compare(a.dataset, b.dataset), cmp.Compare(a.day, b.day))
		})
		for _, key := range keys {
			day := u.days[key]
			p := sqllineage.Proposal{URN: key.dataset, EntityType: model.EntityDataset, Aspect: model.AspectDatasetUsageStatistics, Value: dayOf(key.day)}
			p.Value["totalSqlQueries"], p.Value["uniqueUserCount"] = atMost(day.total), len(day.users)
			p.Value["topSqlQueries"], p.Value["userCounts"] = day.top(), userCounts(day.users)
			fields := []any{}
			for _, c := range descending(day.columns) {
				fields = append(fields, catalog.Tree{"fieldPath": c.name, "count": atMost(c.count)})
			}
			p.Value["fieldCounts"] = fields
			if !yield(p) {
				return
			}
		}
	}
}

// top returns the beginnings of the statements that ran most often.
func (d *dayUsage) top() []any {
	statements := slices.SortedFunc(maps.Keys(d.queries), func(a, b *Statement) int {
		return cmp.Or(cmp.Compare(d.queries[b], d.queries[a]), strings.Compare(a.Text, b.Text), strings.Compare(a.Fingerprint, b.Fingerprint))
	})
	list := []any{}
	for _, s := range statements[:min(len(statements), limits.MaxLogTopQueries)] {
		list = append(list, shortened(s.Text))
	}
	return list
}

// cutMark ends a statement whose rest is left out.
const cutMark = " ..."

func shortened(text string) string {
	letters := 0
	end := 0
	for at := range text {
		if letters == limits.MaxLogQueryLetters-len(cutMark) {
			end = at
		}
		if letters == limits.MaxLogQueryLetters {
			return text[:end] + cutMark
		}
		letters++
	}
	return text
}

// userCounts returns counts in the form of the aspect. A user who is named by an e-mail address also has
// the address in a member of its own.
func userCounts(users map[string]int64) []any {
	list := []any{}
	for _, c := range descending(users) {
		urn, err := userURN(c.name)
		if err != nil { // Reader has refused it
			continue
		}
		one := catalog.Tree{"user": urn, "count": atMost(c.count)}
		if _, name, _ := strings.Cut(urn, ":corpuser:"); strings.Contains(name, "@") {
			one["userEmail"] = name
		}
		list = append(list, one)
	}
	return list
}

// dayOf returns the members of a value of a time series about a day.
func dayOf(day int32) catalog.Tree {
	const seconds = int64(24 * time.Hour / time.Second)
	return catalog.Tree{"timestampMillis": int64(day) * seconds * 1000, "eventGranularity": catalog.Tree{"unit": "DAY", "multiple": 1}, "partitionSpec": wholeTable()}
}

// wholeTable says that a value is not about a partition. It is the model's default, and clients write it.
func wholeTable() catalog.Tree {
	return catalog.Tree{"partition": "FULL_TABLE_SNAPSHOT", "type": "FULL_TABLE"}
}

// atMost returns a count as aspects can hold it.
func atMost(n int64) int64 { return min(n, math.MaxInt32) }

// Queries returns how often the query of a statement ran, one value for each day.
func (s *Statement) Queries() []sqllineage.Proposal {
	totals, users := map[int32]int64{}, map[int32]map[string]int64{}
	for at, n := range s.uses {
		if at.day == noDay {
			continue
		}
		if users[at.day] == nil {
			users[at.day] = map[string]int64{}
		}
		totals[at.day] += n
		if name := s.log.users[at.user]; name != "" {
			users[at.day][name] += n
		}
	}
	var list []sqllineage.Proposal
	for _, day := range slices.Sorted(maps.Keys(totals)) {
		value := dayOf(day)
		value["queryCount"], value["uniqueUserCount"] = atMost(totals[day]), max(1, len(users[day]))
		if len(users[day]) > 0 {
			value["userCounts"] = userCounts(users[day])
		}
		list = append(list, sqllineage.Proposal{URN: sqllineage.QueryURN(s.Fingerprint), EntityType: model.EntityQuery, Aspect: model.AspectQueryUsageStatistics, Value: value})
	}
	return list
}

// operations are the kinds of operations of statements that write.
var operations = map[string]string{
	"insert": "INSERT", "update": "UPDATE", "merge": "UPDATE", "delete": "DELETE",
	"create table": "CREATE", "create view": "CREATE", "create materialized view": "CREATE",
}

// Operations returns a statement's operations on the datasets that it writes, at the moment when it ran last. It returns
// nothing if that moment is not known, or if the statement does not write.
func (s *Statement) Operations(kind string, datasets []string) []sqllineage.Proposal {
	if s.Last.IsZero() || operations[kind] == "" {
		return nil
	}
	var list []sqllineage.Proposal
	for _, dataset := range datasets {
		value := catalog.Tree{
			"timestampMillis": s.Last.UnixMilli(), "lastUpdatedTimestamp": s.Last.UnixMilli(), "operationType": operations[kind],
			"partitionSpec": wholeTable(), "sourceType": "DATA_PLATFORM", "queries": []any{sqllineage.QueryURN(s.Fingerprint)},
		}
		if s.Actor != "" {
			value["actor"] = s.Actor
		}
		list = append(list, sqllineage.Proposal{URN: dataset, EntityType: model.EntityDataset, Aspect: model.AspectOperation, Value: value})
	}
	return list
}

// Collector states the facts of a log: queries, lineage and usage.
type Collector struct {
	sql   *sqllineage.Collector
	usage *Usage
}

// NewCollector returns a collector of the statements of a log.
func (l *Log) NewCollector(g sqllineage.Given) *Collector {
	return &Collector{sqllineage.NewCollector(g), l.NewUsage()}
}

// Add adds a statement of a log with its lineage, and returns the aspects that follow from it except the lineage of
// tables and the usage of datasets. The text of the statement may be a script; then each part ran as often as the
// script.
func (c *Collector) Add(s *Statement, parts []lineage.Statement) []sqllineage.Proposal {
	var some []sqllineage.Proposal
	var reads []string
	columns := map[string][]string{}
	for i := range parts {
		part := &parts[i]
		some = append(some, c.sql.Add(part, s.Run())...)
		some = append(some, s.Operations(part.Kind, c.known(part.Writes))...)
		reads = append(reads, part.Reads...)
		for table, names := range sqllineage.ColumnsOf(part) {
			if urn, known := c.sql.URN(table); known {
				columns[urn] = append(columns[urn], names...)
			}
		}
	}
	if slices.ContainsFunc(some, func(p sqllineage.Proposal) bool { return p.EntityType == model.EntityQuery }) {
		some = append(some, s.Queries()...)
	}
	for urn, names := range columns {
		slices.Sort(names)
		columns[urn] = slices.Compact(names)
	}
	c.usage.Add(s, c.known(reads), columns)
	return some
}

// known returns the URNs of those tables that the catalog has, each once.
func (c *Collector) known(tables []string) []string {
	var urns []string
	for _, name := range tables {
		if urn, known := c.sql.URN(name); known && !slices.Contains(urns, urn) {
			urns = append(urns, urn)
		}
	}
	return urns
}

// Rest returns the usage of datasets, and the lineage of the tables that the statements write. The sequence ends at the
// first error, which is one of reading stored lineage.
func (c *Collector) Rest() iter.Seq2[*sqllineage.Proposal, error] {
	return func(yield func(*sqllineage.Proposal, error) bool) {
		for p := range c.usage.Proposals() {
			if !yield(&p, nil) {
				return
			}
		}
		for p, err := range c.sql.Lineage() {
			if !yield(p, err) {
				return
			}
		}
	}
}

// Unknown returns the tables so far that the catalog does not have, sorted.
func (c *Collector) Unknown() []string { return c.sql.Unknown() }
