package sqlite

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
)

// TestPrepared runs prepared statements again after they have failed, and after their rows
// were not read to the end.
func TestPrepared(t *testing.T) {
	db, err := Open(filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT, bytes BLOB)"); err != nil {
		t.Fatal(err)
	}
	insert, err := Prepare(t.Context(), conn, "INSERT INTO t VALUES (?, ?, CAST(? AS BLOB))")
	if err != nil {
		t.Fatal(err)
	}
	defer insert.Close()
	for i, text := range []any{"one", nil, "three"} {
		if n, err := insert.Run(i+1, text, text); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		if _, err := insert.Run(i+1, text, text); !IsDuplicate(err) {
			t.Fatalf("a second row %d: %v", i+1, err)
		}
	}
	query, err := PrepareQuery(t.Context(), conn, "SELECT id, text, bytes FROM t WHERE id >= ? ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	defer query.Close()
	enough := errors.New("enough")
	for _, after := range []struct {
		from, rows int
		want       []string
		err        error
	}{
		{1, 9, []string{"one/one", "/", "three/three"}, nil},
		{1, 1, []string{"one/one"}, enough},
		{3, 9, []string{"three/three"}, nil},
		{4, 9, nil, nil},
	} {
		var got []string
		err := query.Each(func(row Row) error {
			if row.Int(0) != int64(after.from+len(got)) {
				t.Errorf("row %d has the id %d", len(got), row.Int(0))
			}
			got = append(got, row.Text(1)+"/"+string(row.Bytes(2)))
			if len(got) == after.rows {
				return enough
			}
			return nil
		}, after.from)
		if !slices.Equal(got, after.want) || !errors.Is(err, after.err) || (err == nil) != (after.err == nil) {
			t.Errorf("from %d: %q, %v", after.from, got, err)
		}
	}
	if _, err := PrepareQuery(t.Context(), conn, "SELECT nothing FROM nowhere"); err == nil {
		t.Error("a query that cannot be prepared is prepared")
	}
}
