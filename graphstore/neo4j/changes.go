package neo4j

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// numberedChange is a change with its place in the log.
type numberedChange struct {
	graphstore.Change
	shard, seq, token int64
}

// Changes returns changes after a cursor with their values.
func (s *Store) Changes(ctx context.Context, after string, limit int) ([]graphstore.Change, string, error) {
	changes, next, err := s.changesAfter(ctx, "read/changes", after, map[string]any{"limit": limit, "bytes": limits.MaxChangePageBytes}, changeOf)
	if err != nil {
		return nil, next, err
	}
	return changes, next, s.fillMoved(ctx, changes)
}

// fillMoved fills in the values that seem to have been deleted: a version that is being archived is neither the latest nor
// an archived one for a moment, while a new version is committed.
func (s *Store) fillMoved(ctx context.Context, changes []graphstore.Change) error {
	var keys []row
	for i := range changes {
		if c := &changes[i]; lacksVersions(c) {
			keys = append(keys, row{"urn": c.URN, "name": c.Aspect, "seqs": []int64{c.Seq, c.PreviousSeq}})
		}
	}
	if len(keys) == 0 {
		return nil
	}
	found, err := rows(ctx, s, "read/versions_numbered", map[string]any{"keys": keys}, aspectRecord)
	if err != nil || len(found) == 0 {
		return err
	}
	type version struct {
		graphstore.AspectKey
		seq int64
	}
	stored := make(map[version]graphstore.Aspect, len(found))
	for _, a := range found {
		stored[version{graphstore.AspectKey{URN: a.URN, Name: a.Name}, a.Seq}] = a
	}
	for i := range changes {
		c := &changes[i]
		if !lacksVersions(c) {
			continue
		}
		c.ValuesPruned = false
		err := c.FillVersions(func(seq int64) (graphstore.Aspect, bool, error) {
			a, ok := stored[version{graphstore.AspectKey{URN: c.URN, Name: c.Aspect}, seq}]
			return a, ok, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// lacksVersions reports whether the values of a change are versions that were not found.
func lacksVersions(c *graphstore.Change) bool { return c.ValuesPruned && c.TimeSeriesKey == "" }

// ChangesWithoutValues returns changes after a cursor.
func (s *Store) ChangesWithoutValues(ctx context.Context, after string, limit int) ([]graphstore.Change, string, error) {
	changes, next, err := s.changesAfter(ctx, "read/changes_without_values", after, map[string]any{"limit": limit}, func(r *driver.Record) (graphstore.Change, error) {
		return storedChange(bag(properties(r, "change"))), nil
	})
	for i := range changes {
		changes[i].Cursor = ""
	}
	return changes, next, err
}

// A page takes at most limit/shardPart changes from one shard, but up to leastOfShard if limit
// allows. Otherwise it would read a whole page of every shard and drop nearly all of it, which
// takes longer the further a follower is behind. So a page may be short although more changes
// follow.
const (
	shardPart    = 16
	leastOfShard = 32
)

// logReads is the number of times that a page of the log is read from which changes are missing.
const logReads = 5

var errTrimmed = fmt.Errorf("the log was deleted while it was read: %w", graphstore.ErrLostCursor)

// changesAfter returns the changes that a statement with the parameters limit and after finds. While the beginning of the log
// is deleted, the database may leave out changes, and return changes that have lost properties. So a page after which
// something is deleted does not count. Where somebody else has deleted changes, the rest is the log.
func (s *Store) changesAfter(ctx context.Context, statement, after string, params map[string]any, read func(*driver.Record) (graphstore.Change, error)) ([]graphstore.Change, string, error) {
	limit := params["limit"].(int)
	for reads := 1; reads <= logReads; reads++ {
		at, err := s.readable(ctx, after)
		if err != nil || limit <= 0 {
			return []graphstore.Change{}, after, err
		}
		params["after"], params["each"] = at.seqs[:], min(limit, max(limit/shardPart, leastOfShard))
		found, err := rows(ctx, s, statement, params, func(r *driver.Record) (numberedChange, error) {
			c, err := read(r)
			b := bag(properties(r, "change"))
			token, ok := b["token"].(int64)
			if !ok { // the change is older than tokens
				token = at.identity
			}
			return numberedChange{c, b.integer("shard"), b.integer("seq"), token}, err
		})
		if err != nil {
			return nil, after, err
		}
		deleted, missing := incomplete(&at.position, found)
		if deleted || missing || at.trimmed && len(found) > 0 {
			if lost, err := s.trimmedAfter(ctx, &at.position); err != nil || lost {
				return nil, after, cmp.Or(err, errTrimmed)
			}
		}
		if deleted || missing && reads < logReads {
			continue
		}
		changes := make([]graphstore.Change, len(found))
		for i, n := range found {
			if n.shard < 0 || n.shard >= shards {
				return nil, after, fmt.Errorf("change in unknown shard %d", n.shard)
			}
			at.advance(int(n.shard), n.seq, n.token)
			changes[i] = n.Change
			changes[i].Cursor = at.String()
			after = changes[i].Cursor
		}
		return changes, after, nil
	}
	return nil, after, errTrimmed
}

// incomplete reports whether changes after a position have lost their numbers, and whether some are missing among them.
func incomplete(at *position, found []numberedChange) (deleted, missing bool) {
	seqs := at.seqs
	for i := range found {
		n := &found[i]
		if n.seq <= 0 || n.URN == "" || n.Kind == "" {
			return true, true
		}
		if n.shard >= 0 && n.shard < shards {
			missing = missing || n.seq != seqs[n.shard]+1
			seqs[n.shard] = n.seq
		}
	}
	return false, missing
}

// NewestChanges returns changes backwards from the end of a part of the log.
func (s *Store) NewestChanges(ctx context.Context, part graphstore.LogPart, limit int) ([]graphstore.Change, string, error) {
	var at position
	for i := range at.seqs {
		at.seqs[i] = 1 << 62
	}
	var after located
	var err error
	if part.UpTo != "" {
		at, err = parsePosition(part.UpTo)
	}
	if err == nil && part.After != "" {
		after, err = s.locate(ctx, part.After)
	}
	changes := []graphstore.Change{}
	if err != nil || limit <= 0 {
		return changes, "", err
	}
	params := map[string]any{"after": after.seqs[:], "upTo": at.seqs[:], "limit": limit, "each": min(limit, max(limit/shardPart, leastOfShard))}
	_, err = rows(ctx, s, "read/newest_changes", params, func(r *driver.Record) (struct{}, error) {
		b := bag(properties(r, "change"))
		if b.integer("seq") <= 0 || b.text("urn") == "" { // the change was deleted while the database answered
			return struct{}{}, nil
		}
		c, run := storedChange(b), text(r, "run")
		var logged graphstore.SystemMetadata
		if raw := b.raw("system"); raw != nil {
			if err := json.Unmarshal(raw, &logged); err != nil {
				return struct{}{}, err
			}
		}
		if run = cmp.Or(logged.RunID, run); run != "" {
			c.System = &graphstore.SystemMetadata{RunID: run}
		}
		shard := b.integer("shard")
		if shard < 0 || shard >= shards {
			return struct{}{}, fmt.Errorf("change in unknown shard %d", shard)
		}
		at.seqs[shard] = b.integer("seq") - 1
		changes = append(changes, c)
		return struct{}{}, nil
	})
	if err != nil || len(changes) == 0 {
		return []graphstore.Change{}, "", err
	}
	return changes, at.String(), nil
}

// storedChange returns the change that a node describes, without values.
func storedChange(b bag) graphstore.Change {
	return graphstore.Change{
		Time: b.integer("time"), Actor: b.text("actor"), Kind: graphstore.ChangeKind(b.text("kind")),
		URN: b.text("urn"), EntityType: b.text("entityType"), Aspect: b.text("aspect"),
		Seq: b.integer("valueSeq"), PreviousSeq: b.integer("previousSeq"),
		TimeSeriesTime: b.integer("timeSeriesTime"), TimeSeriesKey: b.text("timeSeriesKey"),
	}
}

// changeOf reads a change and the values to which it refers.
func changeOf(r *driver.Record) (graphstore.Change, error) {
	b := bag(properties(r, "change"))
	c := storedChange(b)
	c.Value, c.Previous = b.raw("value"), b.raw("previous")
	for name, into := range map[string]**graphstore.SystemMetadata{"system": &c.System, "previousSystem": &c.PreviousSystem} {
		if raw := b.raw(name); raw != nil {
			*into = &graphstore.SystemMetadata{}
			if err := json.Unmarshal(raw, *into); err != nil {
				return c, err
			}
		}
	}
	if c.TimeSeriesKey != "" {
		return c, fillTimeSeries(r, &c)
	}
	return c, fillVersions(r, &c)
}

func fillVersions(r *driver.Record, c *graphstore.Change) error {
	stored := map[int64]map[string]any{}
	for _, key := range []string{"archived", "latest", "previous"} {
		if p := properties(r, key); p != nil {
			stored[bag(p).integer("seq")] = p
		}
	}
	return c.FillVersions(func(seq int64) (graphstore.Aspect, bool, error) {
		p, ok := stored[seq]
		if !ok {
			return graphstore.Aspect{}, false, nil
		}
		a, err := aspectOf(p)
		return a, true, err
	})
}

func fillTimeSeries(r *driver.Record, c *graphstore.Change) error {
	if c.Kind == graphstore.ChangeDelete || c.Value != nil {
		return nil
	}
	p := properties(r, "value")
	if p == nil {
		c.ValuesPruned = true
		return nil
	}
	v, err := timeSeriesOf(p)
	c.Value = v.Value
	if c.System == nil {
		c.System = &v.System
	}
	return err
}

// NewestTime returns the latest time of the newest changes of all shards.
func (s *Store) NewestTime(ctx context.Context) (int64, error) {
	return one(ctx, s, "read/newest_time", nil, func(r *driver.Record) (int64, error) { return integer(r, "time"), nil })
}

// LoadCursor returns a follower's position, or "" if it has none.
func (s *Store) LoadCursor(ctx context.Context, follower string) (string, error) {
	return one(ctx, s, "read/cursor", map[string]any{"name": follower}, func(r *driver.Record) (string, error) { return text(r, "cursor"), nil })
}

// SaveCursor stores a follower's position.
func (s *Store) SaveCursor(ctx context.Context, follower, cursor string) error {
	if _, err := parsePosition(cursor); cursor != "" && err != nil {
		return err
	}
	statement, err := s.statements.Text("write/save_cursor")
	if err != nil {
		return err
	}
	return s.execWrite(ctx, statement, map[string]any{"name": follower, "cursor": cursor})
}

// DropCursor deletes a follower.
func (s *Store) DropCursor(ctx context.Context, follower string) error {
	statement, err := s.statements.Text("write/drop_cursor")
	if err != nil {
		return err
	}
	return s.execWrite(ctx, statement, map[string]any{"name": follower})
}

// Followers returns the followers whose names begin with a prefix.
func (s *Store) Followers(ctx context.Context, prefix string) ([]graphstore.Follower, error) {
	return rows(ctx, s, "read/followers", map[string]any{"prefix": prefix}, func(r *driver.Record) (graphstore.Follower, error) {
		return graphstore.Follower{Name: text(r, "name"), Cursor: text(r, "cursor"), Saved: integer(r, "saved")}, nil
	})
}

// shards is the number of counters of the change log. The base migration creates the same
// number.
const shards = 64

// shardOf returns the shard of all changes of an entity. One shard keeps them in order.
func shardOf(urn string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(urn)) // a hash accepts every write
	return int(h.Sum32() % shards)
}

// addChanges appends to the change log. addChanges locks the shards in the order of their
// numbers.
func (t *tx) addChanges(b *graphstore.Batch) error {
	if len(b.Changes) == 0 {
		return nil
	}
	rows, err := shardRows(b.Changes, t.token)
	if err != nil {
		return err
	}
	statement, err := t.s.statements.Rows("write/add_changes", nil)
	if err != nil {
		return err
	}
	params := batchOf(rows)
	params["now"] = t.now
	return t.execText(statement, params)
}

// shardRows returns the rows that append changes to their shards.
func shardRows(changes []graphstore.Change, token int64) ([]row, error) {
	byShard := map[int][]row{}
	for i := range changes {
		c := &changes[i]
		p := row{
			"time": c.Time, "actor": c.Actor, "kind": string(c.Kind), "urn": c.URN, "entityType": c.EntityType, "aspect": c.Aspect,
			"valueSeq": c.Seq, "previousSeq": c.PreviousSeq, "token": token,
		}
		if c.TimeSeriesKey != "" {
			p["timeSeriesTime"], p["timeSeriesKey"] = c.TimeSeriesTime, c.TimeSeriesKey
		}
		for name, value := range map[string]json.RawMessage{"value": c.Value, "previous": c.Previous} {
			if value != nil {
				p[name] = string(value)
			}
		}
		for name, system := range map[string]*graphstore.SystemMetadata{"system": c.System, "previousSystem": c.PreviousSystem} {
			if system == nil {
				continue
			}
			text, err := json.Marshal(system)
			if err != nil {
				return nil, err
			}
			p[name] = string(text)
		}
		shard := shardOf(c.URN)
		byShard[shard] = append(byShard[shard], p)
	}
	var rows []row
	for _, id := range slices.Sorted(maps.Keys(byShard)) {
		rows = append(rows, row{"id": id, "changes": byShard[id]})
	}
	return rows, nil
}
