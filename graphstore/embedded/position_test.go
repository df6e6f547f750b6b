package embedded_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// TestUpgradeToIdentities opens a file of the release before changes had an identity. Its
// changes are still read, its cursors are refused, and an older copy of the file that is
// upgraded too is another log.
func TestUpgradeToIdentities(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	put := func(dir string, from, to int) (cursors []string) {
		t.Helper()
		s := open(t, dir)
		for n := from; n < to; n++ {
			urn := fmt.Sprintf("urn:li:tag:%d", n)
			err := s.Update(ctx, []string{urn}, func(tx graphstore.Tx) error {
				return tx.Write(graphstore.Batch{
					Nodes:       []graphstore.NodeUpdate{{URN: urn, Type: "tag", Exists: true}},
					PutVersions: []graphstore.Aspect{{URN: urn, Name: "status", Seq: 1, Value: []byte(`{}`)}},
					Changes:     []graphstore.Change{{Time: 1, Kind: graphstore.ChangeUpsert, URN: urn, EntityType: "tag", Aspect: "status", Seq: 1}},
				})
			})
			if err != nil {
				t.Fatal(err)
			}
			end, err := s.EndCursor(ctx)
			if err != nil {
				t.Fatal(err)
			}
			cursors = append(cursors, end)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return cursors
	}
	put(dir, 0, 5)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "headwater.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(ctx, undo0010+undo0009+undo0006+undo0005+"DROP TABLE record; ALTER TABLE change DROP COLUMN token; DROP TABLE log_origin; DROP INDEX entity_gone; ALTER TABLE follower DROP COLUMN saved;  PRAGMA user_version = 2")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	older := filepath.Join(t.TempDir(), "older")
	if err := os.CopyFS(older, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	changes, last, err := s.Changes(ctx, "", 10)
	if err != nil || len(changes) != 5 {
		t.Fatalf("%d changes, %v", len(changes), err)
	}
	if rest, _, err := s.Changes(ctx, changes[2].Cursor, 10); err != nil || len(rest) != 2 {
		t.Errorf("after the third: %d, %v", len(rest), err)
	}
	number, _, _ := strings.Cut(last, ".")
	if _, _, err := s.Changes(ctx, number, 10); !errors.Is(err, graphstore.ErrLostCursor) {
		t.Errorf("a cursor of an earlier release: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	lost := append(put(dir, 5, 8), last)
	put(older, 10, 14)
	s = open(t, older)
	defer s.Close()
	for _, cursor := range lost {
		if _, _, err := s.Changes(ctx, cursor, 10); !errors.Is(err, graphstore.ErrLostCursor) {
			t.Errorf("cursor %s of the other copy: %v", cursor, err)
		}
	}
}

// undo0010 undoes the tenth migration.
const undo0010 = "DROP INDEX timeseries_of_all; "

// undo0009 undoes the ninth migration.
const undo0009 = `ALTER TABLE edge DROP COLUMN resumed; ALTER TABLE edge DROP COLUMN resumed_actor;
	ALTER TABLE ended_edge DROP COLUMN resumed; ALTER TABLE ended_edge DROP COLUMN resumed_actor; `

// undo0006 undoes the sixth migration.
const undo0006 = `ALTER TABLE edge DROP COLUMN via; ALTER TABLE ended_edge DROP COLUMN via; `

// undo0005 undoes the fifth migration.
const undo0005 = `ALTER TABLE latest DROP COLUMN last_run; ALTER TABLE latest DROP COLUMN made_on; ALTER TABLE latest DROP COLUMN made_by;
	ALTER TABLE version DROP COLUMN last_run; ALTER TABLE version DROP COLUMN made_on; ALTER TABLE version DROP COLUMN made_by; `
