package embedded

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/sqlite"
)

// referredColumns are the columns of the version, or of the time-series value, to which a
// change refers. The first one is its number.
const referredColumns = "%[1]s.seq, %[1]s.created_on, %[1]s.last_observed, %[1]s.run, %[1]s.registry, %[1]s.properties, %[1]s.value"

// beforeColumns are the columns of a version about the version that it replaced.
const beforeColumns = "%[1]s.last_run, %[1]s.made_on, %[1]s.made_by"

// changesAfter reads changes, with the versions and values to which they refer, in one
// statement, in the order of the log. changesAfter takes the latest version if the change
// refers to it, and archived versions otherwise.
var changesAfter = `SELECT c.seq, c.time, c.actor, c.kind, e.urn, e.type, c.aspect, c.value_seq,
		c.previous_seq, c.timestamp, c.timeseries_key, c.value, c.previous, c.system, c.previous_system, c.token, ` +
	fmt.Sprintf(referredColumns+", "+beforeColumns+", ", "l") + fmt.Sprintf(referredColumns+", "+beforeColumns+", ", "a") +
	fmt.Sprintf(referredColumns+", "+beforeColumns+", ", "p") +
	strings.Replace(fmt.Sprintf(referredColumns, "t"), "t.seq", "0", 1) + `, NULL, NULL, NULL
	FROM change c CROSS JOIN entity e ON e.id = c.entity
	LEFT JOIN latest l ON l.id = c.entity * 4096 + c.aspect AND l.seq IN (c.value_seq, c.previous_seq)
	LEFT JOIN version a ON a.aspect = c.entity * 4096 + c.aspect AND a.seq = CASE WHEN l.seq IS NOT c.value_seq THEN nullif(c.value_seq, 0) END
	LEFT JOIN version p ON p.aspect = c.entity * 4096 + c.aspect AND p.seq = nullif(c.previous_seq, 0)
	LEFT JOIN timeseries t ON t.entity = c.entity AND t.aspect = c.aspect AND t.timestamp = c.timestamp AND t.key = c.timeseries_key
	WHERE c.seq > ? ORDER BY c.seq LIMIT ?+0`

// These are the columns of changesAfter at which the blocks of a change begin: the latest
// version, two archived versions, and the value of a time series.
const (
	latestBlock = 16 + 10*iota
	valueBlock
	previousBlock
	seriesBlock
)

// errPageFull ends a page that has reached its size.
var errPageFull = errors.New("the page is full")

// fewChanges is the number of changes from which a page is probably full, so that the room for
// a full page is reserved. A page at the end of the log mostly has fewer.
const fewChanges = 32

// Changes returns changes after a cursor with their values.
func (s *Store) Changes(ctx context.Context, after string, limit int) ([]graphstore.Change, string, error) {
	from, err := s.readable(ctx, s.log, after)
	if err != nil {
		return nil, "", s.failure(err)
	}
	changes, size, cursor, first := []graphstore.Change{}, 0, after, int64(0)
	err = s.changes.each(ctx, changesAfter, func(r sqlite.Row) error {
		if first == 0 {
			first = r.Int(0)
		}
		c, err := s.changeOf(r)
		if err != nil {
			return err
		}
		if len(changes) == fewChanges {
			changes = slices.Grow(changes, max(limit-fewChanges, 0))
		}
		changes, after = append(changes, c), c.Cursor
		if size += len(c.Value) + len(c.Previous); size >= limits.MaxChangePageBytes {
			return errPageFull
		}
		return ctx.Err()
	}, from.seq, max(limit, 0))
	if err == nil || errors.Is(err, errPageFull) {
		err = s.stillReadable(ctx, from, first, cursor)
	}
	if err != nil {
		return nil, "", s.failure(err)
	}
	return changes, after, nil
}

// changeOf converts a row of changesAfter.
func (s *Store) changeOf(r sqlite.Row) (c graphstore.Change, err error) {
	c = graphstore.Change{
		Cursor: position{r.Int(0), s.tokenOf(nullInt(r, 15))}.String(),
		Time:   r.Int(1), Kind: kindOfChange[int(r.Int(3))],
		URN: r.Text(4), Aspect: s.names.aspect(r.Int(6)),
		Seq: r.Int(7), PreviousSeq: r.Int(8), TimeSeriesTime: r.Int(9), TimeSeriesKey: r.Text(10),
		Value: rawText(r, 11), Previous: rawText(r, 12),
	}
	if err = s.names.fill(named{&c.Actor, r.Int(2)}, named{&c.EntityType, r.Int(5)}); err != nil {
		return c, err
	}
	if c.System, err = systemIn(r, 13); err != nil {
		return c, err
	}
	if c.PreviousSystem, err = systemIn(r, 14); err != nil {
		return c, err
	}
	if c.TimeSeriesKey != "" {
		return c, s.fillTimeSeriesChange(&c, r)
	}
	return c, c.FillVersions(func(seq int64) (graphstore.Aspect, bool, error) {
		for _, block := range []int{latestBlock, valueBlock, previousBlock} {
			if r[block] != nil && r.Int(block) == seq {
				a, err := s.names.referred(r[block:])
				return a, true, err
			}
		}
		return graphstore.Aspect{}, false, nil
	})
}

// referred converts the block of a version, or of a time-series value, to which a change
// refers.
func (n *names) referred(block sqlite.Row) (graphstore.Aspect, error) {
	a := graphstore.Aspect{Seq: block.Int(0), CreatedOn: block.Int(1), Value: rawText(block, 6)}
	a.System.LastObserved = block.Int(2)
	return a, n.fillSystem(&a.System, systemRow{
		run: block.Int(3), registry: block.Int(4), properties: nullText(block, 5),
		before: beforeRow{lastRun: nullInt(block, 7), madeOn: nullInt(block, 8), madeBy: nullInt(block, 9)},
	})
}

func (s *Store) fillTimeSeriesChange(c *graphstore.Change, r sqlite.Row) error {
	if c.Kind == graphstore.ChangeDelete || c.Value != nil {
		return nil
	}
	block := r[seriesBlock:]
	if block[6] == nil {
		c.ValuesPruned = true
		return nil
	}
	a, err := s.names.referred(block)
	c.Value = a.Value
	if c.System == nil {
		c.System = &a.System
	}
	return err
}

func nullInt(r sqlite.Row, column int) sql.NullInt64 {
	n, ok := r[column].(int64)
	return sql.NullInt64{Int64: n, Valid: ok}
}

func nullText(r sqlite.Row, column int) sql.NullString {
	text, ok := r[column].(string)
	return sql.NullString{String: text, Valid: ok}
}

func raw(text sql.NullString) json.RawMessage {
	if !text.Valid {
		return nil
	}
	return json.RawMessage(text.String)
}

// rawText returns a column with JSON, nil if it is NULL.
func rawText(r sqlite.Row, column int) json.RawMessage {
	return raw(nullText(r, column))
}

func systemIn(r sqlite.Row, column int) (*graphstore.SystemMetadata, error) {
	text, ok := r[column].(string)
	if !ok {
		return nil, nil
	}
	system := &graphstore.SystemMetadata{}
	return system, json.Unmarshal([]byte(text), system)
}
