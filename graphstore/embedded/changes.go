package embedded

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
)

// kindOfChange undoes changeKinds.
var kindOfChange = func() map[int]graphstore.ChangeKind {
	kinds := map[int]graphstore.ChangeKind{}
	for kind, number := range changeKinds {
		kinds[number] = kind
	}
	return kinds
}()

// Changes returns changes after a cursor with their values.
func (s *Store) Changes(ctx context.Context, after string, limit int) ([]graphstore.Change, string, error) {
	// One snapshot for the changes and the versions they refer to.
	tx, err := s.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, "", s.failure(err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	from, err := s.located(ctx, tx, after)
	if err != nil {
		return nil, "", s.failure(err)
	}
	changes, rows, err := s.changeRows(ctx, tx, from.seq, limit)
	if err != nil {
		return nil, "", s.failure(err)
	}
	for i := range changes {
		if err := s.fillChange(ctx, tx, &changes[i], rows[i]); err != nil {
			return nil, "", s.failure(err)
		}
		after = changes[i].Cursor
	}
	return changes, after, nil
}

// changeRow holds the references of a change.
type changeRow struct{ entity, aspect int64 }

func (s *Store) changeRows(ctx context.Context, q querier, after int64, limit int) ([]graphstore.Change, []changeRow, error) {
	rows, err := q.QueryContext(ctx, `SELECT c.seq, c.time, c.actor, c.kind, c.entity, e.urn, e.type, c.aspect, c.value_seq,
		c.previous_seq, c.timestamp, c.timeseries_key, c.value, c.previous, c.system, c.previous_system, c.token
		FROM change c JOIN entity e ON e.id = c.entity WHERE c.seq > ? ORDER BY c.seq LIMIT ?`, after, max(limit, 0))
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	changes, references := []graphstore.Change{}, []changeRow{}
	for rows.Next() {
		var (
			c                                            graphstore.Change
			r                                            changeRow
			seq, actor, typeID                           int64
			kind                                         int
			key, value, previous, system, previousSystem sql.NullString
			token                                        sql.NullInt64
		)
		if err := rows.Scan(&seq, &c.Time, &actor, &kind, &r.entity, &c.URN, &typeID, &r.aspect, &c.Seq,
			&c.PreviousSeq, &c.TimeSeriesTime, &key, &value, &previous, &system, &previousSystem, &token); err != nil {
			return nil, nil, err
		}
		c.Cursor = position{seq, s.tokenOf(token)}.String()
		c.Actor, c.EntityType = s.names.text(actor), s.names.text(typeID)
		c.Aspect, c.Kind = strings.TrimPrefix(s.names.text(r.aspect), aspectPrefix), kindOfChange[kind]
		c.TimeSeriesKey = key.String
		c.Value, c.Previous = raw(value), raw(previous)
		if c.System, err = parseSystem(system); err != nil {
			return nil, nil, err
		}
		if c.PreviousSystem, err = parseSystem(previousSystem); err != nil {
			return nil, nil, err
		}
		changes, references = append(changes, c), append(references, r)
	}
	return changes, references, rows.Err()
}

func raw(text sql.NullString) json.RawMessage {
	if !text.Valid {
		return nil
	}
	return json.RawMessage(text.String)
}

func parseSystem(text sql.NullString) (*graphstore.SystemMetadata, error) {
	if !text.Valid {
		return nil, nil
	}
	system := &graphstore.SystemMetadata{}
	return system, json.Unmarshal([]byte(text.String), system)
}

// fillChange reads the values that the change refers to.
func (s *Store) fillChange(ctx context.Context, q querier, c *graphstore.Change, r changeRow) error {
	if c.TimeSeriesKey != "" {
		return s.fillTimeSeriesChange(ctx, q, c, r)
	}
	id := r.entity*maxAspectNames + r.aspect
	return c.FillVersions(func(seq int64) (a graphstore.Aspect, ok bool, err error) {
		err = s.names.scanAspect(&a, q.QueryRowContext(ctx, `SELECT seq, `+stampColumns+` FROM latest WHERE id = ?1 AND seq = ?2
			UNION ALL SELECT seq, `+stampColumns+` FROM version WHERE aspect = ?1 AND seq = ?2`, id, seq))
		if errors.Is(err, sql.ErrNoRows) {
			return a, false, nil
		}
		return a, true, err
	})
}

func (s *Store) fillTimeSeriesChange(ctx context.Context, q querier, c *graphstore.Change, r changeRow) error {
	if c.Kind == graphstore.ChangeDelete || c.Value != nil {
		return nil
	}
	var a graphstore.Aspect
	err := s.names.scanAspect(&a, q.QueryRowContext(ctx, "SELECT 0, "+stampColumns+
		" FROM timeseries WHERE entity = ? AND aspect = ? AND timestamp = ? AND key = ?",
		r.entity, r.aspect, c.TimeSeriesTime, c.TimeSeriesKey))
	if errors.Is(err, sql.ErrNoRows) {
		c.ValuesPruned = true
		return nil
	}
	c.Value = a.Value
	if c.System == nil {
		c.System = &a.System
	}
	return err
}

// EndCursor is the cursor after the newest change.
func (s *Store) EndCursor(ctx context.Context) (string, error) {
	p, err := s.newest(ctx, s.readers)
	return p.String(), s.failure(err)
}

// Lag counts the changes after a cursor.
func (s *Store) Lag(ctx context.Context, after string) (int64, error) {
	from, err := s.located(ctx, s.readers, after)
	if err != nil {
		return 0, s.failure(err)
	}
	var count int64
	err = s.readers.QueryRowContext(ctx, "SELECT count(*) FROM change WHERE seq > ?", from.seq).Scan(&count)
	return count, s.failure(err)
}

// LoadCursor returns a follower's position, "" when it has none.
func (s *Store) LoadCursor(ctx context.Context, follower string) (string, error) {
	var cursor string
	err := s.readers.QueryRowContext(ctx, "SELECT cursor FROM follower WHERE name = ?", follower).Scan(&cursor)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return cursor, s.failure(err)
}

// SaveCursor keeps a follower's position.
func (s *Store) SaveCursor(ctx context.Context, follower, cursor string) error {
	if _, err := s.parseCursor(cursor); err != nil {
		return err
	}
	return s.Update(ctx, nil, func(t graphstore.Tx) error {
		inner, ok := t.(*tx)
		if !ok {
			return fmt.Errorf("unexpected transaction %T", t)
		}
		inner.written = true
		return inner.w.stmts.saveCursor.run(follower, cursor)
	})
}

// changeKinds are the stored numbers of the kinds of change.
var changeKinds = map[graphstore.ChangeKind]int{
	graphstore.ChangeUpsert: 1, graphstore.ChangeRestate: 2, graphstore.ChangeDelete: 3,
}

func (t *tx) addChange(c *graphstore.Change) error {
	if err := t.refuse(c.URN); err != nil {
		return err
	}
	kind, ok := changeKinds[c.Kind]
	if !ok {
		return fmt.Errorf("unknown kind of change %q", c.Kind)
	}
	entity, err := t.entity(c.URN, c.EntityType)
	if err != nil {
		return err
	}
	aspect, err := t.internAspect(c.Aspect)
	if err != nil {
		return err
	}
	actor, err := t.intern(c.Actor)
	if err != nil {
		return err
	}
	system, err := systemText(c.System)
	if err != nil {
		return err
	}
	previousSystem, err := systemText(c.PreviousSystem)
	if err != nil {
		return err
	}
	if t.token == 0 {
		t.token = newToken()
	}
	seq := t.w.nextChange
	t.w.nextChange++
	var key any
	if c.TimeSeriesKey != "" {
		key = c.TimeSeriesKey
	}
	return t.w.stmts.insertChange.run(seq, c.Time, actor, kind, entity, aspect, c.Seq, c.PreviousSeq, c.TimeSeriesTime, key,
		nullable(c.Value), nullable(c.Previous), system, previousSystem, t.token)
}

func systemText(system *graphstore.SystemMetadata) (any, error) {
	if system == nil {
		return nil, nil
	}
	text, err := json.Marshal(system)
	return string(text), err
}
