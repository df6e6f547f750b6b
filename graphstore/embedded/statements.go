package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/headwater-io/headwater/internal/sqlite"
)

// These are column lists that several statements share.
const (
	stampColumns  = "created_on, created_by, last_observed, run, registry, properties, value"
	versionStamps = "created_on, created_by, last_observed, run, registry, properties, last_run, made_on, made_by, value"
	edgeColumns   = `src, type, dst, owner, aspect, path, since, since_run, since_actor,
		created_on, created_actor, updated_on, updated_actor, properties, via, resumed, resumed_actor`
	patchedProperties = "coalesce(json_patch(coalesce(properties, '{}'), ?), properties)"
	edgeIdentity      = "src = ? AND type = ? AND dst = ? AND owner = ? AND aspect = ? AND path = ?"
)

// statements are the writer's prepared statements.
type statements struct {
	closers []io.Closer

	edgeEnds, touching, beforeRun, beforeRegistry, endedAt *sql.Stmt

	begin, commit, rollback                                                          *command
	insertName, insertEntity, updateEntity, updateProperties                         *command
	setState, dropUntouched, revive                                                  *command
	insertLatest, updateLatest, putArchived, archiveLatest                           *command
	deleteLatest, deleteLatestRange                                                  *command
	deleteVersionRange, observe, restoreVersion                                      *command
	deleteEntityLatest, deleteEntityVersions                                         *command
	copyEnded, deleteEdge, updateEdge, insertEdge, ensureEdge, insertEnded           *command
	deleteEdgesFrom, deleteEdgesElsewhere, deleteEnded                               *command
	putTimeSeries, deleteTimeSeries, deleteEntityTimeSeries, insertChange            *command
	saveCursor, dropCursor                                                           *command
	insertRecord, insertRecordOf, touchRecord, updateRecord, deleteRecord, putRecord *command
	deleteChanges                                                                    *command
}

// command is a prepared statement whose errors are errors of the store.
type command struct{ *sqlite.Command }

func (c *command) run(args ...any) error {
	_, err := c.Run(args...)
	return storeError(err)
}

// count runs the command, and returns the number of rows that it changed.
func (c *command) count(args ...any) (int64, error) {
	n, err := c.Run(args...)
	return n, storeError(err)
}

func prepare(ctx context.Context, conn *sql.Conn) (statements, error) {
	var s statements
	for into, query := range s.queries() {
		stmt, err := conn.PrepareContext(ctx, query)
		if err != nil {
			return s, errors.Join(fmt.Errorf("%s: %w", query, err), s.close())
		}
		*into = stmt
		s.closers = append(s.closers, stmt)
	}
	for into, text := range s.commands() {
		c, err := sqlite.Prepare(ctx, conn, text)
		if err != nil {
			return s, errors.Join(err, s.close())
		}
		*into = &command{c}
		s.closers = append(s.closers, c)
	}
	return s, nil
}

// queries returns the statements that read.
func (s *statements) queries() map[**sql.Stmt]string {
	return map[**sql.Stmt]string{
		&s.beforeRun:      "SELECT seq, " + versionStamps + ` FROM version WHERE aspect = ? AND run <> ? ORDER BY seq DESC LIMIT 1`,
		&s.beforeRegistry: "SELECT seq, " + versionStamps + ` FROM version WHERE aspect = ? AND registry <> ? ORDER BY seq DESC LIMIT 1`,
		&s.endedAt: "SELECT " + statementColumns + `, x.until, x.until_run, x.until_actor
			FROM ended_edge x JOIN entity o ON o.id = x.owner` + statementEnds + `
			WHERE x.src = ?1 AND x.type = ?2 AND x.dst = ?3 AND x.owner = ?4 AND x.aspect = ?5 AND x.path = ?6
			AND x.since <= ?7 AND x.until >= ?7 ORDER BY x.until DESC, x.since DESC LIMIT 1`,
		&s.edgeEnds: `SELECT DISTINCT id FROM (
			SELECT dst AS id FROM edge WHERE src = ?1 AND owner = ?1
			UNION ALL SELECT dst FROM edge WHERE owner = ?1 AND owner <> src
			UNION ALL SELECT src FROM edge WHERE owner = ?1 AND owner <> src
			UNION ALL SELECT dst FROM ended_edge WHERE owner = ?1
			UNION ALL SELECT src FROM ended_edge WHERE owner = ?1)`,
		&s.touching: `SELECT EXISTS (SELECT 1 FROM edge WHERE src = ?1) OR EXISTS (SELECT 1 FROM edge WHERE dst = ?1)
			OR EXISTS (SELECT 1 FROM ended_edge WHERE src = ?1) OR EXISTS (SELECT 1 FROM ended_edge WHERE dst = ?1)`,
	}
}

// commands returns the statements that write.
//
// A statement that writes several rows and may fail in the middle first copies every page that
// it changes, so that it can be undone alone. These copies took a third of a batch load. In
// this store, a failed statement undoes the whole transaction. So INSERT … SELECT has OR FAIL,
// which needs no copies, and INSERT OR REPLACE is used only for rare writes.
func (s *statements) commands() map[**command]string {
	return map[**command]string{
		&s.begin:        "BEGIN IMMEDIATE",
		&s.commit:       "COMMIT",
		&s.rollback:     "ROLLBACK",
		&s.insertName:   "INSERT INTO name (id, text) VALUES (?, ?)",
		&s.insertEntity: "INSERT INTO entity (id, urn, type, state, removed, properties) VALUES (?, ?, ?, ?, ?, ?)",
		&s.updateEntity: `UPDATE entity SET state = ?, removed = coalesce(?, removed), type = ?,
			properties = ` + patchedProperties + ` WHERE id = ?`,
		&s.updateProperties: "UPDATE entity SET properties = " + patchedProperties +
			" WHERE id = ? AND state = ? AND type = ? AND removed = coalesce(?, removed)",
		&s.setState: "UPDATE entity SET state = ?2, removed = 0, properties = NULL WHERE id = ?1 AND state <> ?2",
		&s.insertLatest: "INSERT INTO latest (seq, " + versionStamps + `, id)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		&s.updateLatest: `UPDATE latest SET seq = ?, created_on = ?, created_by = ?, last_observed = ?, run = ?, registry = ?, properties = ?,
			last_run = ?, made_on = ?, made_by = ?, value = ? WHERE id = ?`,
		&s.putArchived: "INSERT INTO version (seq, " + versionStamps + `, aspect)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		&s.archiveLatest:        "INSERT OR FAIL INTO version (aspect, seq, " + versionStamps + ") SELECT id, seq, " + versionStamps + " FROM latest WHERE id = ?",
		&s.deleteLatest:         "DELETE FROM latest WHERE id = ?",
		&s.deleteLatestRange:    "DELETE FROM latest WHERE id = ? AND seq BETWEEN ? AND ?",
		&s.deleteVersionRange:   "DELETE FROM version WHERE aspect = ? AND seq BETWEEN ? AND ?",
		&s.observe:              "UPDATE latest SET last_observed = ? WHERE id = ?",
		&s.restoreVersion:       "INSERT OR FAIL INTO latest (id, seq, " + versionStamps + ") SELECT aspect, seq, " + versionStamps + " FROM version WHERE aspect = ? AND seq = ?",
		&s.deleteEntityLatest:   "DELETE FROM latest WHERE id BETWEEN ? AND ?",
		&s.deleteEntityVersions: "DELETE FROM version WHERE aspect BETWEEN ? AND ?",
		&s.copyEnded: "INSERT OR FAIL INTO ended_edge (" + edgeColumns + ", until, until_run, until_actor) SELECT " +
			strings.Replace(edgeColumns, "since", "min(since, ?)", 1) + ", ?, ?, ? FROM edge WHERE " + edgeIdentity,
		&s.deleteEdge: "DELETE FROM edge WHERE " + edgeIdentity,
		&s.updateEdge: `UPDATE edge SET created_on = ?, created_actor = ?, updated_on = ?, updated_actor = ?,
			properties = ?, via = ? WHERE ` + edgeIdentity,
		&s.insertEdge: "INSERT INTO edge (" + edgeColumns + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		&s.ensureEdge: "INSERT INTO edge (" + edgeColumns + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		&s.insertEnded: "INSERT INTO ended_edge (" + edgeColumns + `, until, until_run, until_actor)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		&s.deleteEdgesFrom:      "DELETE FROM edge WHERE src = ?1 AND owner = ?1",
		&s.deleteEdgesElsewhere: "DELETE FROM edge WHERE owner = ?1 AND owner <> src",
		&s.deleteEnded:          "DELETE FROM ended_edge WHERE owner = ?",
		&s.putTimeSeries: "INSERT OR REPLACE INTO timeseries (entity, aspect, timestamp, key, " + stampColumns + `)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		&s.deleteTimeSeries: `DELETE FROM timeseries WHERE entity = ?1 AND (?2 = 0 OR aspect = ?2)
			AND timestamp BETWEEN ?3 AND ?4 AND (?5 = 0 OR run = ?5)`,
		&s.deleteEntityTimeSeries: "DELETE FROM timeseries WHERE entity = ?",
		&s.insertChange: `INSERT INTO change (seq, time, actor, kind, entity, aspect, value_seq, previous_seq, timestamp,
			timeseries_key, value, previous, system, previous_system, token) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		&s.saveCursor:   "INSERT OR REPLACE INTO follower (name, cursor, saved) VALUES (?, ?, ?)",
		&s.dropCursor:   "DELETE FROM follower WHERE name = ?",
		&s.insertRecord: "INSERT INTO record (value, revision, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		&s.putRecord:    "INSERT INTO record (value, revision, name) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value, revision = excluded.revision",
		&s.insertRecordOf: `INSERT INTO record (value, revision, name) SELECT ?1, ?2, ?3
			WHERE (SELECT count(*) FROM record WHERE name >= ?4 AND name < ?4 || char(1114111)) < ?5
			ON CONFLICT DO NOTHING`,
		&s.touchRecord:   "UPDATE record SET name = name WHERE name = ?",
		&s.updateRecord:  "UPDATE record SET value = ?, revision = ? WHERE name = ? AND revision = ?",
		&s.deleteRecord:  "DELETE FROM record WHERE name = ? AND revision = ?",
		&s.deleteChanges: "DELETE FROM change WHERE seq <= ?",
		&s.dropUntouched: "UPDATE entity SET state = 0 WHERE id = ? AND state = 1",
		&s.revive:        "UPDATE entity SET state = 1 WHERE id = ? AND state = 0",
	}
}

func (s *statements) close() error {
	var errs []error
	for _, c := range s.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
