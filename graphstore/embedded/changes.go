package embedded

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// kindOfChange is the inverse of changeKinds.
var kindOfChange = func() map[int]graphstore.ChangeKind {
	kinds := map[int]graphstore.ChangeKind{}
	for kind, number := range changeKinds {
		kinds[number] = kind
	}
	return kinds
}()

// versionColumns are those of a version that a change refers to.
const versionColumns = "%[1]s.seq, %[1]s.created_on, %[1]s.last_observed, %[1]s.run, %[1]s.registry, %[1]s.properties, %[1]s.value"

// beforeColumns are those of a version that say what was before it.
const beforeColumns = "%[1]s.last_run, %[1]s.made_on, %[1]s.made_by"

// changesAfter reads changes, and what they refer to, in one statement, in the order
// of the log: the latest version if the change refers to it, the archived versions,
// and the value of a time series.
var changesAfter = `SELECT c.seq, c.time, c.actor, c.kind, e.urn, e.type, c.aspect, c.value_seq,
		c.previous_seq, c.timestamp, c.timeseries_key, c.value, c.previous, c.system, c.previous_system, c.token, ` +
	fmt.Sprintf(versionColumns+", "+beforeColumns+", ", "l") + fmt.Sprintf(versionColumns+", "+beforeColumns+", ", "a") +
	fmt.Sprintf(versionColumns+", "+beforeColumns+", ", "p") +
	strings.Replace(fmt.Sprintf(versionColumns, "t"), "t.seq", "0", 1) + `, NULL, NULL, NULL
	FROM change c CROSS JOIN entity e ON e.id = c.entity
	LEFT JOIN latest l ON l.id = c.entity * 4096 + c.aspect AND l.seq IN (c.value_seq, c.previous_seq)
	LEFT JOIN version a ON a.aspect = c.entity * 4096 + c.aspect AND a.seq = nullif(c.value_seq, 0)
	LEFT JOIN version p ON p.aspect = c.entity * 4096 + c.aspect AND p.seq = nullif(c.previous_seq, 0)
	LEFT JOIN timeseries t ON t.entity = c.entity AND t.aspect = c.aspect AND t.timestamp = c.timestamp AND t.key = c.timeseries_key
	WHERE c.seq > ? ORDER BY c.seq LIMIT ?+0`

// Changes returns changes after a cursor with their values.
func (s *Store) Changes(ctx context.Context, after string, limit int) ([]graphstore.Change, string, error) {
	rows, _, err := s.changeRows(ctx, changesAfter, after, limit)
	if err != nil {
		return nil, "", s.failure(err)
	}
	defer rows.Close()
	changes := []graphstore.Change{}
	for size := 0; size < limits.MaxChangePageBytes && rows.Next(); {
		c, err := s.scanChange(rows)
		if err != nil {
			return nil, "", s.failure(err)
		}
		changes, after = append(changes, c), c.Cursor
		size += len(c.Value) + len(c.Previous)
	}
	return changes, after, s.failure(rows.Err())
}

// changeRows runs a query for up to limit changes after a cursor, and returns the
// position of the cursor too.
func (s *Store) changeRows(ctx context.Context, query, after string, limit int) (*sql.Rows, position, error) {
	from, err := s.readable(ctx, s.log, after)
	if err != nil {
		return nil, from, err
	}
	rows, err := s.log.QueryContext(ctx, query, from.seq, max(limit, 0))
	return rows, from, err
}

// changedAfter reads changes alone.
const changedAfter = `SELECT c.seq, c.time, c.actor, c.kind, e.urn, e.type, c.aspect, c.value_seq, c.previous_seq, c.timestamp, c.timeseries_key, c.token
	FROM change c CROSS JOIN entity e ON e.id = c.entity
	WHERE c.seq > ? ORDER BY c.seq LIMIT ?+0`

// ChangesWithoutValues returns changes after a cursor.
func (s *Store) ChangesWithoutValues(ctx context.Context, after string, limit int) ([]graphstore.Change, string, error) {
	rows, at, err := s.changeRows(ctx, changedAfter, after, limit)
	if err != nil {
		return nil, "", s.failure(err)
	}
	defer rows.Close()
	changes := []graphstore.Change{}
	for rows.Next() {
		var (
			c                     graphstore.Change
			actor, typeID, aspect int64
			kind                  int
			key                   sql.NullString
			token                 sql.NullInt64
		)
		if err := rows.Scan(&at.seq, &c.Time, &actor, &kind, &c.URN, &typeID, &aspect, &c.Seq, &c.PreviousSeq, &c.TimeSeriesTime, &key, &token); err != nil {
			return nil, "", s.failure(err)
		}
		c.Actor, c.EntityType = s.names.text(actor), s.names.text(typeID)
		c.Aspect, c.Kind = strings.TrimPrefix(s.names.text(aspect), aspectPrefix), kindOfChange[kind]
		c.TimeSeriesKey = key.String
		at.token = s.tokenOf(token)
		changes = append(changes, c)
	}
	if len(changes) > 0 {
		after = at.String()
	}
	return changes, after, s.failure(rows.Err())
}

// changedBefore reads changes from the end of the log, with the run of what became the
// latest: as the log has it, or as the version or value has it that is still stored.
const changedBefore = `SELECT c.seq, c.time, c.actor, c.kind, e.urn, e.type, c.aspect, c.value_seq, c.previous_seq, c.timestamp, c.timeseries_key,
		c.system ->> 'runId', coalesce(
			(SELECT run FROM latest l WHERE l.id = c.entity * 4096 + c.aspect AND l.seq = c.value_seq AND l.created_on <= c.time),
			(SELECT run FROM version a WHERE a.aspect = c.entity * 4096 + c.aspect AND a.seq = nullif(c.value_seq, 0) AND a.created_on <= c.time),
			(SELECT run FROM timeseries t WHERE t.entity = c.entity AND t.aspect = c.aspect AND t.timestamp = c.timestamp AND t.key = c.timeseries_key), 0)
	FROM change c CROSS JOIN entity e ON e.id = c.entity
	WHERE c.seq < ? ORDER BY c.seq DESC LIMIT ?+0`

// NewestChanges returns changes from the end of the log.
func (s *Store) NewestChanges(ctx context.Context, before string, limit int) ([]graphstore.Change, string, error) {
	at := int64(math.MaxInt64)
	if before != "" {
		var err error
		if at, err = strconv.ParseInt(before, 10, 64); err != nil {
			return nil, "", fmt.Errorf("%.100q: %w", before, graphstore.ErrBadCursor)
		}
	}
	rows, err := s.log.QueryContext(ctx, changedBefore, at, max(limit, 0))
	if err != nil {
		return nil, "", s.failure(err)
	}
	defer rows.Close()
	changes, next := []graphstore.Change{}, ""
	for rows.Next() {
		var (
			c                          graphstore.Change
			actor, typeID, aspect, run int64
			kind                       int
			key, logged                sql.NullString
		)
		err := rows.Scan(&at, &c.Time, &actor, &kind, &c.URN, &typeID, &aspect, &c.Seq, &c.PreviousSeq, &c.TimeSeriesTime, &key, &logged, &run)
		if err != nil {
			return nil, "", s.failure(err)
		}
		c.Actor, c.EntityType = s.names.text(actor), s.names.text(typeID)
		c.Aspect, c.Kind = strings.TrimPrefix(s.names.text(aspect), aspectPrefix), kindOfChange[kind]
		c.TimeSeriesKey = key.String
		if run != 0 && logged.String == "" {
			logged.String = s.names.text(run)
		}
		if logged.String != "" {
			c.System = &graphstore.SystemMetadata{RunID: logged.String}
		}
		changes, next = append(changes, c), strconv.FormatInt(at, 10)
	}
	return changes, next, s.failure(rows.Err())
}

// scanChange reads a row of changesAfter.
func (s *Store) scanChange(rows *sql.Rows) (graphstore.Change, error) {
	var (
		c                                            graphstore.Change
		seq, actor, typeID, aspect                   int64
		kind                                         int
		key, value, previous, system, previousSystem sql.NullString
		token                                        sql.NullInt64
		latest, archived, before, series             referredRow
	)
	into := []any{
		&seq, &c.Time, &actor, &kind, &c.URN, &typeID, &aspect, &c.Seq,
		&c.PreviousSeq, &c.TimeSeriesTime, &key, &value, &previous, &system, &previousSystem, &token,
	}
	for _, r := range []*referredRow{&latest, &archived, &before, &series} {
		into = r.appendTo(into)
	}
	err := rows.Scan(into...)
	if err != nil {
		return c, err
	}
	c.Cursor = position{seq, s.tokenOf(token)}.String()
	c.Actor, c.EntityType = s.names.text(actor), s.names.text(typeID)
	c.Aspect, c.Kind = strings.TrimPrefix(s.names.text(aspect), aspectPrefix), kindOfChange[kind]
	c.TimeSeriesKey = key.String
	c.Value, c.Previous = raw(value), raw(previous)
	if c.System, err = parseSystem(system); err != nil {
		return c, err
	}
	if c.PreviousSystem, err = parseSystem(previousSystem); err != nil {
		return c, err
	}
	if c.TimeSeriesKey != "" {
		return c, s.fillTimeSeriesChange(&c, &series)
	}
	return c, c.FillVersions(func(seq int64) (graphstore.Aspect, bool, error) {
		for _, r := range []*referredRow{&latest, &archived, &before} {
			if r.value.Valid && r.seq.Int64 == seq {
				a, err := s.names.referred(r)
				return a, true, err
			}
		}
		return graphstore.Aspect{}, false, nil
	})
}

// referredRow holds versionColumns and beforeColumns of a row that may be missing.
type referredRow struct {
	seq, createdOn, lastObserved, run, registry sql.NullInt64
	properties, value                           sql.NullString
	before                                      beforeRow
}

func (r *referredRow) appendTo(into []any) []any {
	return append(into, &r.seq, &r.createdOn, &r.lastObserved, &r.run, &r.registry, &r.properties, &r.value, &r.before.lastRun, &r.before.madeOn, &r.before.madeBy)
}

// referred is what a change refers to: a version.
func (n *names) referred(r *referredRow) (graphstore.Aspect, error) {
	a := graphstore.Aspect{Seq: r.seq.Int64, CreatedOn: r.createdOn.Int64, Value: raw(r.value)}
	a.System.LastObserved = r.lastObserved.Int64
	return a, n.fillSystem(&a.System, systemRow{run: r.run.Int64, registry: r.registry.Int64, properties: r.properties, before: r.before})
}

func (s *Store) fillTimeSeriesChange(c *graphstore.Change, r *referredRow) error {
	if c.Kind == graphstore.ChangeDelete || c.Value != nil {
		return nil
	}
	if !r.value.Valid {
		c.ValuesPruned = true
		return nil
	}
	a, err := s.names.referred(r)
	c.Value = a.Value
	if c.System == nil {
		c.System = &a.System
	}
	return err
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

// EndCursor is the cursor after the newest change.
func (s *Store) EndCursor(ctx context.Context) (string, error) {
	p, err := s.newest(ctx, s.log)
	return p.String(), s.failure(err)
}

// newestTime reads the time of the newest change, 0 when there is none.
const newestTime = "SELECT coalesce((SELECT time FROM change ORDER BY seq DESC LIMIT 1), 0)"

// NewestTime is the time of the newest change.
func (s *Store) NewestTime(ctx context.Context) (int64, error) {
	var newest int64
	err := s.readers.QueryRowContext(ctx, newestTime).Scan(&newest)
	return newest, s.failure(err)
}

// exactLag is how many changes Lag counts one by one. Beyond that it uses the
// difference of their numbers, which misses nothing but includes a few numbers of
// changes that were undone.
const exactLag = 1000

const countAfter = "SELECT count(*) FROM (SELECT 1 FROM change WHERE seq > ? LIMIT ?+0)"

// Lag counts the changes after a cursor.
func (s *Store) Lag(ctx context.Context, after string) (int64, error) {
	from, err := s.located(ctx, s.log, after)
	if err != nil {
		return 0, s.failure(err)
	}
	var count int64
	if err := s.log.QueryRowContext(ctx, countAfter, from.seq, exactLag).Scan(&count); err != nil || count < exactLag {
		return count, s.failure(err)
	}
	to, err := s.newest(ctx, s.log)
	return max(to.seq-from.seq, count), s.failure(err)
}

// changeKinds are the stored numbers of the kinds of change.
var changeKinds = map[graphstore.ChangeKind]int{
	graphstore.ChangeUpsert: 1, graphstore.ChangeRestate: 2, graphstore.ChangeDelete: 3, graphstore.ChangeNote: 4,
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
