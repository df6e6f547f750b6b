package lineage_test

import (
	"testing"

	"github.com/headwater-io/headwater/sql/lineage"
)

// TestFingerprint: each list has statements that are the same.
func TestFingerprint(t *testing.T) {
	for dialect, lists := range map[string][][]string{
		"postgres": {
			{"select a from t where b = 1", "SELECT a\n  FROM T -- all of it\nWHERE b = 'x';", "select a from t where b = $1", "select a from t where b = -2.5e3", "select a from t where b = $q$it's$q$"},
			{"select a from t where b - 1", "select a from t where b - 2"},
			{"select a from t where b in (1, 2, 3)", "select a from t where b in (?)", "select a from t where b IN ('x','y')"},
			{"select a from t where b in (select c from u)"},
			{"select f(1, 2) from t", "select f(3, 4) from t"},
			{"select f(1) from t"},
			{`select a from "T" where b = 1`},
			{"insert into t values (1, 'a'), (2, 'b'), (3, 'c')", "insert into t values (4, 'd')"},
			{"select a::text from t", "SELECT a :: text FROM t"},
			{"select t1.a from t1", "select T1.A from t1"},
			{"select a from t limit 10", "select a from t limit 20"},
			{"select 'a;b' from t;", "select '' from t"},
		},
		"bigquery": {
			{"select a from T where b = \"x\"", "SELECT a FROM T WHERE b = 'y'", "select a from T where b = @p1"},
			{"select a from t where b = 'x'"},
		},
		"snowflake": {{"select v:a from t where b = :b", "select v:a from t where b = 1"}, {"select v:c from t where b = 1"}},
		"tsql":      {{"select [a b] from t where c = @P0", "select [a b] from t where c = 3"}, {"select [a c] from t where c = 3"}},
	} {
		seen := map[string]string{}
		for _, list := range lists {
			first := lineage.Fingerprint(list[0], dialect)
			if other, found := seen[first]; found {
				t.Errorf("%s: %q and %q are one statement", dialect, other, list[0])
			}
			seen[first] = list[0]
			for _, other := range list[1:] {
				if lineage.Fingerprint(other, dialect) != first {
					t.Errorf("%s: %q and %q are two statements", dialect, list[0], other)
				}
			}
		}
	}
}

func FuzzFingerprint(f *testing.F) {
	f.Add("select a from t where b in (1, ?, $1) -- x", "postgres")
	f.Add("values (1),(2", "mysql")
	f.Fuzz(func(t *testing.T, text, dialect string) {
		if len(lineage.Fingerprint(text, dialect)) != 64 {
			t.Error("a fingerprint has another length")
		}
	})
}
