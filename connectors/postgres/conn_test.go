package postgres

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/connectors/internal/relational"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

func TestReadArray(t *testing.T) {
	for text, want := range map[string][]string{
		`{}`: {}, `{a}`: {"a"}, `{a,b c}`: {"a", "b c"}, `{"a,b","","}{"}`: {"a,b", "", "}{"}, `{"d\"e","f\\g"}`: {`d"e`, `f\g`}, `{"NULL"}`: {"NULL"}, `{ä,"ü ö"}`: {"ä", "ü ö"},
	} {
		if got, err := readArray(text); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s is read as %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "a", "{", "{a", `{"a`, `{"a"`, `{"a"b}`, "{NULL}", "{a,NULL}", "{{a}}", "{a,}", "{,a}", "{a}b", "[0:0]={a}", `{a\`, `{"a\`} {
		if got, err := readArray(text); err == nil {
			t.Errorf("%s is read as %q", text, got)
		}
	}
}

func TestReadTime(t *testing.T) {
	for text, want := range map[string]time.Time{
		"2026-11-30 20:40:09+00":           time.Date(2026, 11, 30, 20, 40, 9, 0, time.UTC),
		"2026-11-30 20:40:09.123456-05":    time.Date(2026, 12, 1, 1, 40, 9, 123456000, time.UTC),
		"2026-11-30 20:40:09.5+05:30":      time.Date(2026, 11, 30, 15, 10, 9, 500000000, time.UTC),
		"1880-01-01 00:00:00+00:53:28":     time.Date(1879, 12, 31, 23, 6, 32, 0, time.UTC),
		"2026-11-30 20:40:09.000001+13:45": time.Date(2026, 11, 30, 6, 55, 9, 1000, time.UTC),
	} {
		if got, err := readTime(text); err != nil || !got.Equal(want) {
			t.Errorf("%s is read as %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "infinity", "2026-11-30", "30/11/2026 20:40:09+00"} {
		if got, err := readTime(text); err == nil {
			t.Errorf("%q is read as %s", text, got)
		}
	}
}

func TestNamed(t *testing.T) {
	if got := named("a\x00b", `c"d`); got != `"ab"."c""d"` {
		t.Error(got)
	}
}

// TestConn reads the values of a real database: each type that the connector asks for, NULL, rows, mistakes.
func TestConn(t *testing.T) {
	c, r := read(map[string]any{"host_port": testservers.Postgres(t), "username": "postgres"})
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	opened, err := (&driver{c}).Open(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	db := opened.(*database)
	var (
		text          string
		number        int64
		id            uint32
		yes, no       bool
		some, nothing *string
		count, none   *int64
		at, never     *time.Time
		list, empty   []string
		absent        = []string{"former"}
	)
	err = db.conn.one(t.Context(), []any{&text, &number, &id, &yes, &no, &some, &nothing, &count, &none, &at, &never, &list, &empty, &absent},
		`SELECT 'ä', -9223372036854775808, 4294967295::oid, true, false, 'x', NULL::text, 7::int, NULL::bigint, '2026-11-30 20:40:09.25+02'::timestamptz,
		NULL::timestamptz, ARRAY['a,b', '"', '\', '', 'NULL', '{}'], ARRAY[]::text[], NULL::text[]`)
	if err != nil {
		t.Fatal(err)
	}
	if text != "ä" || number != -9223372036854775808 || id != 4294967295 || !yes || no || *some != "x" || nothing != nil || *count != 7 || none != nil ||
		!at.Equal(time.Date(2026, 11, 30, 18, 40, 9, 250000000, time.UTC)) || never != nil {
		t.Error(text, number, id, yes, no, *some, nothing, *count, none, at, never)
	}
	if !cmp.Equal(list, []string{"a,b", `"`, `\`, "", "NULL", "{}"}) || empty == nil || len(empty) != 0 || absent != nil {
		t.Errorf("%q %v %v", list, empty, absent)
	}
	var numbers []int64
	err = db.conn.each(t.Context(), []any{&number}, func() { numbers = append(numbers, number) }, "SELECT n FROM generate_series($1::int, $2::int) AS n", "1", "3")
	if err != nil || !cmp.Equal(numbers, []int64{1, 2, 3}) {
		t.Error(numbers, err)
	}
	for query, into := range map[string]any{
		"SELECT NULL::text": &text, "SELECT 'x'": &number, "SELECT 1, 2": &number, "SELECT 1 WHERE false": &number, "SELECT 1": &relational.Table{}, "SELECT nothing": &number,
	} {
		if err := db.conn.one(t.Context(), []any{into}, query); err == nil {
			t.Errorf("%s has no error", query)
		}
	}
	if err := db.conn.do(t.Context(), "CREATE TABLE never (id int)"); err == nil {
		t.Error("the connection can write")
	}
}
