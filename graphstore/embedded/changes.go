package embedded

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"

	"github.com/headwater-io/headwater/graphstore"
)

// kindOfChange is the inverse of changeKinds.
var kindOfChange = func() map[int]graphstore.ChangeKind {
	kinds := map[int]graphstore.ChangeKind{}
	for kind, number := range changeKinds {
		kinds[number] = kind
	}
	return kinds
}()

// changeRows runs a query for up to limit changes after a cursor. changeRows also returns the
// position of the cursor.
func (s *Store) changeRows(ctx context.Context, query, after string, limit int) (*sql.Rows, position, error) {
	from, err := s.readable(ctx, s.log, after)
	if err != nil {
		return nil, from, err
	}
	rows, err := s.log.QueryContext(ctx, query, from.seq, max(limit, 0))
	return rows, from, err
}

// changedAfter reads changes without the versions to which they refer.
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
	changes, from, first := []graphstore.Change{}, at, int64(0)
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
		if err := s.names.fill(named{&c.Actor, actor}, named{&c.EntityType, typeID}); err != nil {
			return nil, "", s.failure(err)
		}
		c.Aspect, c.Kind = s.names.aspect(aspect), kindOfChange[kind]
		c.TimeSeriesKey = key.String
		if at.token = s.tokenOf(token); first == 0 {
			first = at.seq
		}
		changes = append(changes, c)
	}
	if err := rows.Err(); err != nil {
		return nil, "", s.failure(err)
	}
	if err := s.stillReadable(ctx, from, first, after); err != nil {
		return nil, "", s.failure(err)
	}
	if len(changes) > 0 {
		after = at.String()
	}
	return changes, after, nil
}

// changedUpTo reads changes backwards from the end of a part of the log, each with the run of
// the version that became the latest. The run is in the log itself, or in the version or value
// if it is still stored.
const changedUpTo = `SELECT c.seq, c.time, c.actor, c.kind, e.urn, e.type, c.aspect, c.value_seq, c.previous_seq, c.timestamp, c.timeseries_key,
		c.system ->> 'runId', coalesce(
			(SELECT run FROM latest l WHERE l.id = c.entity * 4096 + c.aspect AND l.seq = c.value_seq AND l.created_on <= c.time),
			(SELECT run FROM version a WHERE a.aspect = c.entity * 4096 + c.aspect AND a.seq = nullif(c.value_seq, 0) AND a.created_on <= c.time),
			(SELECT run FROM timeseries t WHERE t.entity = c.entity AND t.aspect = c.aspect AND t.timestamp = c.timestamp AND t.key = c.timeseries_key), 0)
	FROM change c CROSS JOIN entity e ON e.id = c.entity
	WHERE c.seq > ? AND c.seq <= ? ORDER BY c.seq DESC LIMIT ?+0`

// NewestChanges returns changes backwards from the end of a part of the log.
func (s *Store) NewestChanges(ctx context.Context, part graphstore.LogPart, limit int) ([]graphstore.Change, string, error) {
	upTo, after := position{seq: math.MaxInt64}, position{}
	var err error
	if part.UpTo != "" {
		upTo, err = s.parseCursor(part.UpTo)
	}
	if err == nil && part.After != "" {
		after, err = s.located(ctx, s.log, part.After)
	}
	if err != nil {
		return nil, "", s.failure(err)
	}
	leave, err := s.lists.lane.Enter(ctx) // the lane of listings, so that followers and writers do not wait behind this read
	if err != nil {
		return nil, "", err
	}
	defer leave()
	rows, err := s.lists.QueryContext(ctx, changedUpTo, after.seq, upTo.seq, max(limit, 0))
	if err != nil {
		return nil, "", s.failure(err)
	}
	defer rows.Close()
	changes, rest := []graphstore.Change{}, position{}
	for rows.Next() {
		var (
			c                          graphstore.Change
			actor, typeID, aspect, run int64
			kind                       int
			key, logged                sql.NullString
		)
		err := rows.Scan(&rest.seq, &c.Time, &actor, &kind, &c.URN, &typeID, &aspect, &c.Seq, &c.PreviousSeq, &c.TimeSeriesTime, &key, &logged, &run)
		if err != nil {
			return nil, "", s.failure(err)
		}
		if err := s.names.fill(named{&c.Actor, actor}, named{&c.EntityType, typeID}); err != nil {
			return nil, "", s.failure(err)
		}
		c.Aspect, c.Kind = s.names.aspect(aspect), kindOfChange[kind]
		c.TimeSeriesKey = key.String
		if run != 0 && logged.String == "" {
			if logged.String, err = s.names.text(run); err != nil {
				return nil, "", s.failure(err)
			}
		}
		if logged.String != "" {
			c.System = &graphstore.SystemMetadata{RunID: logged.String}
		}
		changes = append(changes, c)
	}
	if err := rows.Err(); err != nil || len(changes) == 0 {
		return changes, "", s.failure(err)
	}
	rest.seq--
	return changes, rest.String(), nil
}

// EndCursor returns the cursor after the newest change.
func (s *Store) EndCursor(ctx context.Context) (string, error) {
	p, err := s.newest(ctx, s.log)
	return p.String(), s.failure(err)
}

// newestTime reads the time of the newest change, 0 if there is none.
const newestTime = "SELECT coalesce((SELECT time FROM change ORDER BY seq DESC LIMIT 1), 0)"

// NewestTime returns the time of the newest change.
func (s *Store) NewestTime(ctx context.Context) (int64, error) {
	var newest int64
	err := s.readers.QueryRowContext(ctx, newestTime).Scan(&newest)
	return newest, s.failure(err)
}

// exactLag is the number of changes up to which Lag counts them one by one. Beyond, Lag returns
// the difference of their numbers, which misses no change but includes a few numbers of changes
// that were undone.
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

// changeKinds are the numbers by which the kinds of changes are stored.
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
