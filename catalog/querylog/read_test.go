package querylog_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog/querylog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testleaks"
)

func TestMain(m *testing.M) { testleaks.Main(m) }

// entriesOf reads a log in few words: an entry as "line statement|user|time|count|database|schema", an error as its text.
func entriesOf(r querylog.Reader, name, log string) []string {
	var list []string
	for e, err := range r.Entries(name, strings.NewReader(log)) {
		if err != nil {
			list = append(list, err.Error())
			continue
		}
		at := ""
		if !e.Time.IsZero() {
			at = e.Time.UTC().Format(time.RFC3339Nano)
		}
		list = append(list, fmt.Sprintf("%d %s|%s|%s|%d|%s|%s", e.Line, strings.TrimSpace(e.Statement), e.User, at, e.Count, e.Database, e.Schema))
	}
	return list
}

func TestForms(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(`{"sql": "select 1"}`)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		reader    querylog.Reader
		file, log string
		want      []string
	}{
		"CSV": {
			querylog.Reader{},
			"log.csv", "\ufeffQuery Text,USER_NAME,calls,Last-Run,datname,schema\n\"select\n1\",ada,3,2026-11-27 10:00:00+02,shop,public\nselect 2,,,,,\n",
			[]string{"2 select\n1|ada|2026-11-27T08:00:00Z|3|shop|public", "4 select 2|||1||"},
		},
		"CSV from standard input": {querylog.Reader{}, "-", "query,user\nselect 1,ada\n", []string{"2 select 1|ada||1||"}},
		"tabs":                    {querylog.Reader{}, "log.tsv", "query\tuser\nselect 1, 2\tada\n", []string{"2 select 1, 2|ada||1||"}},
		"semicolons":              {querylog.Reader{}, "-", "user;query\nada;select 1\n", []string{"2 select 1|ada||1||"}},
		"a row too short":         {querylog.Reader{}, "log.csv", "query,user\nselect 1\nselect 2,bo\n", []string{"line 2: the row has 1 fields, and the header 2", "3 select 2|bo||1||"}},
		"no statements":           {querylog.Reader{}, "log.csv", "user,time\nada,1\n", []string{`line 1: the log has no column of statements, such as "query"`}},
		"an unknown column":       {querylog.Reader{}, "log.csv", "qeury,user\nselect 1,ada\n", []string{`line 1: unknown column "qeury" of a query log (did you mean query?)`}},
		"an ignored column":       {querylog.Reader{Ignore: []string{"Warehouse Size"}}, "log.csv", "query,warehouse_size\nselect 1,XL\n", []string{"2 select 1|||1||"}},
		"all others ignored":      {querylog.Reader{Ignore: []string{"*"}}, "log.csv", "a,query,b\n1,select 1,2\n", []string{"2 select 1|||1||"}},
		"a name twice":            {querylog.Reader{}, "log.csv", "query,sql\nselect 1,select 1\n", []string{`line 1: the columns "query" and "sql" both name the statement; one of them must be ignored`}},
		"wrong values":            {querylog.Reader{}, "log.csv", "query,count,time\nselect 1,0,\nselect 1,1,soon\n", []string{`line 2: the count must be a whole number from 1 to 2147483647, not "0"`, `line 3: the time "soon" is not understood: times are as 2026-11-28T10:00:00Z, as 2026-11-28 10:00:00, as a day, or as seconds, milliseconds or microseconds since 1970`}},
		"JSON": {
			querylog.Reader{},
			"-", `{"query": "select 1", "user": "ada", "timestamp": 1795773600, "count": 2}` + "\n\n" + `{"query": null}` + "\n" + `{"query"` + "\n" + `{"query": ["x"]}` + "\n" + `{"query": "select 2", "count": null}`,
			[]string{"1 select 1|ada|2026-11-27T10:00:00Z|2||", "3 |||1||", "line 4: it is no JSON object: unexpected EOF", `line 5: "query" must be a text or a number`, "6 select 2|||1||"},
		},
		"JSON with an unknown name": {querylog.Reader{}, "-", `{"query": "select 1", "session_id": "x"}`, []string{`line 1: unknown column "session_id" of a query log`}},
		"SQL":                       {querylog.Reader{}, "log.sql", "select 1;\n\nselect 2,\n 3;  \nselect 4; select 5;\nselect 6", []string{"1 select 1;|||1||", "2 select 2,\n 3;|||1||", "5 select 4; select 5;|||1||", "6 select 6|||1||"}},
		"SQL without a name":        {querylog.Reader{}, "-", "select a,b from t;", []string{"1 select a,b from t;|||1||"}},
		"a form that is given":      {querylog.Reader{Form: querylog.FormSQL}, "-", "{\"a\": 1};", []string{`1 {"a": 1};|||1||`}},
		"gzipped":                   {querylog.Reader{}, "-", packed.String(), []string{"1 select 1|||1||"}},
		"a wrong quote":             {querylog.Reader{}, "log.csv", "query\nselect \"a\"\nselect 2\n", []string{"line 2: bare \" in non-quoted-field", "3 select 2|||1||"}},
		"empty":                     {querylog.Reader{}, "log.csv", "", nil},
		"a user of no URN":          {querylog.Reader{}, "log.csv", "query,user\nselect 1," + strings.Repeat("u", limits.MaxURNBytes) + "\n", nil},
	} {
		got := entriesOf(c.reader, c.file, c.log)
		if name == "a user of no URN" {
			if len(got) != 1 || !strings.HasPrefix(got[0], "line 2: ") {
				t.Errorf("%s: %q", name, got)
			}
			continue
		}
		if strings.Join(got, "\n--\n") != strings.Join(c.want, "\n--\n") {
			t.Errorf("%s:\n%q\nwant\n%q", name, got, c.want)
		}
	}
}

func TestTimes(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-27T10:00:00Z": "2026-11-27T10:00:00Z", "2026-11-27T10:00:00.5+01:00": "2026-11-27T09:00:00.5Z", "2026-11-27 10:00:00.123456 UTC": "2026-11-27T10:00:00.123456Z",
		"2026-11-27 10:00:00 +0100": "2026-11-27T09:00:00Z", "2026-11-27 10:00": "2026-11-27T10:00:00Z", "2026-11-27": "2026-11-27T00:00:00Z",
		"1795773600": "2026-11-27T10:00:00Z", "1795773600000": "2026-11-27T10:00:00Z", "1795773600000000": "2026-11-27T10:00:00Z", "1795773600.25": "2026-11-27T10:00:00.25Z",
		"7": "", "NaN": "", "-1": "", "1e30": "", "2026-11-27 10:00:00 CET": "", "27.11.2026": "",
	} {
		got := entriesOf(querylog.Reader{}, "log.csv", "query;time\nselect 1;"+text+"\n")
		if good := len(got) == 1 && got[0] == "2 select 1||"+want+"|1||"; good != (want != "") {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// TestLimitOfEntries: an entry of limits.MaxLogEntryBytes is read, and a longer one is not. Entries after a longer line
// are read.
func TestLimitOfEntries(t *testing.T) {
	const around = len(`{"query": ""}`)
	for extra, want := range map[int]bool{0: true, 1: false} {
		text := strings.Repeat("x", limits.MaxLogEntryBytes-around+extra)
		got := entriesOf(querylog.Reader{}, "-", `{"query": "`+text+`"}`+"\n"+`{"query": "select 1"}`)
		if len(got) != 2 || strings.HasPrefix(got[0], "1 xxx") != want || got[1] != "2 select 1|||1||" {
			t.Errorf("a line with %d more: %d entries, %.80s", extra, len(got), got[0])
		}
		statement := strings.Repeat("x", limits.MaxLogEntryBytes-1+extra) + ";"
		got = entriesOf(querylog.Reader{Form: querylog.FormSQL}, "-", statement+"\nselect 1;\n")
		if len(got) != 2 || strings.HasPrefix(got[0], "1 xxx") != want {
			t.Errorf("a statement with %d more: %d entries, %.80s", extra, len(got), got[0])
		}
	}
	var open *querylog.EntryError
	for _, err := range (&querylog.Reader{}).Entries("log.csv", strings.NewReader("query\n\""+strings.Repeat("x\n", limits.MaxLogEntryBytes))) {
		if err == nil || errors.As(err, &open) || !strings.Contains(err.Error(), fmt.Sprint(limits.MaxLogEntryBytes)) {
			t.Errorf("a quote that is not closed: %v", err)
		}
	}
}
