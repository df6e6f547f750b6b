package querylog_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/querylog"
	"github.com/headwater-io/headwater/catalog/sqllineage"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

func entry(statement, user string, day int, count int64) *querylog.Entry {
	e := &querylog.Entry{Line: 1, Statement: statement, User: user, Count: count}
	if day > 0 {
		e.Time = time.Date(2026, 11, day, 10, 0, 0, 0, time.UTC)
	}
	return e
}

// TestCounts: statements that differ in literals are one, with the text, the time and the user of the last run.
func TestCounts(t *testing.T) {
	log := querylog.New("postgres")
	log.Add(entry("select a from t where b = 1", "ada", 27, 2))
	log.Add(entry("SELECT a FROM t WHERE b = 2;", "bo@x.example", 28, 1))
	log.Add(entry("select a from t where b = 3", "ada", 26, 4))
	log.Add(entry("select 1", "", 0, 1))
	log.Add(entry("  ", "", 0, 1))
	other := entry("select a from t where b = 1", "", 27, 1)
	other.Database = "shop"
	log.Add(other)
	var got []string
	for _, s := range log.Statements() {
		got = append(got, fmt.Sprintf("%d %s %s %s %v", s.Count, s.Text, s.Database, s.Actor, s.Users()))
	}
	want := []string{
		"7 SELECT a FROM t WHERE b = 2;  urn:li:corpuser:bo@x.example [{ada 6} {bo@x.example 1}]", "1 select 1   []", "1 select a from t where b = 1 shop  []",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if log.Entries != 6 || log.Undated != 1 || !slices.Equal(log.LeftOut, []querylog.LeftOut{{Reason: "they have no statement", Entries: 1, Line: 1}}) {
		t.Errorf("%d entries, %d without a time, left out %v", log.Entries, log.Undated, log.LeftOut)
	}
}

// TestLimitsOfLogs: limits.MaxLogStatements, MaxLogTextBytes, MaxLogUses and MaxSQLBytes, each at its edge.
func TestLimitsOfLogs(t *testing.T) {
	for name, c := range map[string]struct {
		entry  func(i int) *querylog.Entry
		most   int
		reason string
	}{
		"statements": {func(i int) *querylog.Entry { return entry(fmt.Sprintf("select a%d", i), "", 0, 1) }, limits.MaxLogStatements, "different statements"},
		"texts":      {func(i int) *querylog.Entry { return entry(strings.Repeat("x", limits.MaxSQLBytes+1-i), "", 0, 1) }, 0, "more than 1048576 bytes"},
		"uses":       {func(i int) *querylog.Entry { return entry("select 1", fmt.Sprint(i), 27, 1) }, limits.MaxLogUses, "pairs of a statement"},
	} {
		log := querylog.New("postgres")
		for i := range c.most {
			log.Add(c.entry(i))
		}
		if len(log.LeftOut) > 0 {
			t.Fatalf("%s: left out %v", name, log.LeftOut)
		}
		log.Add(c.entry(c.most))
		if len(log.LeftOut) != 1 || !strings.Contains(log.LeftOut[0].Reason, c.reason) {
			t.Errorf("%s: left out %v", name, log.LeftOut)
		}
	}
	log := querylog.New("postgres")
	text := func(i int) string {
		return fmt.Sprintf("select a%02d", i) + strings.Repeat("x", limits.MaxSQLBytes-len("select a00"))
	}
	for i := range limits.MaxLogTextBytes / limits.MaxSQLBytes {
		log.Add(entry(text(i), "", 0, 1))
	}
	if len(log.LeftOut) > 0 {
		t.Fatal(log.LeftOut)
	}
	log.Add(entry("select 1", "", 0, 1))
	log.Add(entry(text(0), "", 0, 1)) // a statement that is known needs no more room
	if len(log.LeftOut) != 1 || log.LeftOut[0].Entries != 1 || !strings.Contains(log.LeftOut[0].Reason, "67108864 bytes") {
		t.Errorf("left out %v", log.LeftOut)
	}
}

func urn(table string) string {
	return "urn:li:dataset:(urn:li:dataPlatform:postgres," + table + ",PROD)"
}

// stated returns the aspects that a log states, by the entity, the aspect and the time.
func stated(t *testing.T, log *querylog.Log, parts func(s *querylog.Statement) []lineage.Statement) map[string]catalog.Tree {
	t.Helper()
	c := log.NewCollector(sqllineage.Given{
		URN:    func(table string) (string, bool) { return urn(table), table != "gone" },
		Stored: func(string) (catalog.Tree, error) { return nil, nil },
		Actor:  "urn:li:corpuser:_ingestion", Now: time.UnixMilli(5000), Platform: "urn:li:dataPlatform:postgres",
	})
	found := map[string]catalog.Tree{}
	registry := model.Default()
	note := func(p *sqllineage.Proposal) {
		value, err := json.Marshal(p.Value)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := registry.Parse(registry.Dialects()[0], p.Aspect, value); err != nil {
			t.Errorf("%s of %s: %v", p.Aspect, p.URN, err)
		}
		key := p.EntityType + " " + p.Aspect
		if p.EntityType == model.EntityDataset {
			key = p.URN + " " + p.Aspect
		}
		if at, ok := p.Value["timestampMillis"]; ok {
			key += fmt.Sprintf(" %d", at)
		}
		found[key] = p.Value
	}
	for _, s := range log.Statements() {
		for _, p := range c.Add(s, parts(s)) {
			note(&p)
		}
	}
	for p, err := range c.Rest() {
		if err != nil {
			t.Fatal(err)
		}
		note(p)
	}
	if got := c.Unknown(); !slices.Equal(got, []string{"gone"}) {
		t.Errorf("unknown %v", got)
	}
	return found
}

func TestUsage(t *testing.T) {
	log := querylog.New("postgres")
	log.Add(entry("insert into b select x from a where y = 1", "ada", 27, 2))
	log.Add(entry("insert into b select x from a where y = 2", "bo@x.example", 27, 1))
	log.Add(entry("insert into b select x from a where y = 2", "", 28, 1))
	long := entry("select z from a, gone -- "+strings.Repeat("ü", limits.MaxLogQueryLetters), "", 27, 1)
	log.Add(long)
	found := stated(t, log, func(s *querylog.Statement) []lineage.Statement {
		if strings.HasPrefix(s.Text, "select") {
			return []lineage.Statement{{Kind: "select", Text: s.Text, Reads: []string{"a", "gone"}, Columns: []lineage.Output{{Output: "z", Sources: []lineage.Source{{Table: "a", Column: "z"}, {Table: "gone", Column: "z"}}}}}}
		}
		return []lineage.Statement{{
			Kind: "insert", Text: s.Text, Reads: []string{"a"}, Writes: []string{"b"},
			Columns:     []lineage.Output{{Output: "x", Sources: []lineage.Source{{Table: "a", Column: "x"}}}},
			ColumnsRead: []lineage.Read{{Table: "a", Column: "y", Clause: lineage.ClauseFilter}, {Table: "a", Column: "x", Clause: lineage.ClauseFilter}},
		}}
	})
	day := time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC).UnixMilli()
	usage := found[fmt.Sprintf("%s %s %d", urn("a"), model.AspectDatasetUsageStatistics, day)]
	top, _ := usage["topSqlQueries"].([]any)
	if len(top) != 2 || len([]rune(top[1].(string))) != limits.MaxLogQueryLetters || !strings.HasSuffix(top[1].(string), "ü ...") {
		t.Errorf("top %.100v", top)
	}
	delete(usage, "topSqlQueries")
	if diff := cmp.Diff(catalog.Tree{
		"timestampMillis": day, "eventGranularity": catalog.Tree{"unit": "DAY", "multiple": 1}, "partitionSpec": catalog.Tree{"partition": "FULL_TABLE_SNAPSHOT", "type": "FULL_TABLE"},
		"totalSqlQueries": int64(4), "uniqueUserCount": 2,
		"userCounts": []any{
			catalog.Tree{"user": "urn:li:corpuser:ada", "count": int64(2)},
			catalog.Tree{"user": "urn:li:corpuser:bo@x.example", "count": int64(1), "userEmail": "bo@x.example"},
		},
		"fieldCounts": []any{
			catalog.Tree{"fieldPath": "x", "count": int64(3)}, catalog.Tree{"fieldPath": "y", "count": int64(3)}, catalog.Tree{"fieldPath": "z", "count": int64(1)},
		},
	}, usage); diff != "" {
		t.Error(diff)
	}
	at := time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC).UnixMilli()
	operation := found[fmt.Sprintf("%s %s %d", urn("b"), model.AspectOperation, at)]
	if operation["operationType"] != "INSERT" || operation["actor"] != "urn:li:corpuser:bo@x.example" {
		t.Errorf("operation %v of %v", operation, found)
	}
	runs := found[fmt.Sprintf("query %s %d", model.AspectQueryUsageStatistics, day)]
	if runs["queryCount"] == nil || found["query queryProperties"] == nil || found["query querySubjects"] == nil {
		t.Errorf("got %v", found)
	}
	if found[urn("b")+" upstreamLineage"] == nil {
		t.Error("the table that is written has no lineage")
	}
}

// TestLimitOfTopQueries: the usage of a day names limits.MaxLogTopQueries statements, those that ran most often.
func TestLimitOfTopQueries(t *testing.T) {
	log := querylog.New("postgres")
	for i := range limits.MaxLogTopQueries + 1 {
		log.Add(entry(fmt.Sprintf("select c%d from a, gone", i), "", 27, int64(100-i)))
	}
	found := stated(t, log, func(s *querylog.Statement) []lineage.Statement {
		return []lineage.Statement{{Kind: "select", Text: s.Text, Reads: []string{"a", "gone"}}}
	})
	day := time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC).UnixMilli()
	top, _ := found[fmt.Sprintf("%s %s %d", urn("a"), model.AspectDatasetUsageStatistics, day)]["topSqlQueries"].([]any)
	if len(top) != limits.MaxLogTopQueries || top[0] != "select c0 from a, gone" {
		t.Errorf("got %v", top)
	}
}
