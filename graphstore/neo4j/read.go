package neo4j

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

// readAttempts bounds the attempts of a read that fails with a transient error of the server.
const readAttempts = 3

// rows runs a read statement by name and converts its records.
func rows[T any](ctx context.Context, s *Store, name string, params map[string]any, convert func(*driver.Record) (T, error)) ([]T, error) {
	text, err := s.statements.Text(name)
	if err != nil {
		return nil, err
	}
	return query(ctx, s, s.lanes.of(name), text, params, convert)
}

// query runs a read statement when there is a place in its lane. A single statement is its own
// transaction, which saves the round trips of opening and closing one.
func query[T any](ctx context.Context, s *Store, lane *graphstore.Lane, text string, params map[string]any, convert func(*driver.Record) (T, error)) ([]T, error) {
	return fetch(ctx, s, lane, manyRecords, text, params, convert)
}

// These are the numbers of records that the database sends at once: fewRecords where a record may
// be as large as an aspect and reading may end with any record.
const (
	manyRecords = 2000
	fewRecords  = 10
)

func fetch[T any](ctx context.Context, s *Store, lane *graphstore.Lane, atOnce int, text string, params map[string]any, convert func(*driver.Record) (T, error)) ([]T, error) {
	if s.closed.Load() {
		return nil, graphstore.ErrClosed
	}
	leave, err := lane.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	for range readAttempts {
		var found []T
		if found, err = attempt(ctx, s, atOnce, text, params, convert); err == nil || !driver.IsRetryable(err) {
			return found, s.failure(ctx, err)
		}
	}
	return nil, s.failure(ctx, err)
}

func attempt[T any](ctx context.Context, s *Store, atOnce int, text string, params map[string]any, convert func(*driver.Record) (T, error)) ([]T, error) {
	session := s.sessionOf(ctx, driver.AccessModeRead, atOnce)
	defer s.end(ctx, session)
	result, err := session.Run(ctx, text, params, bounds(ctx, 0)...)
	if err != nil {
		return nil, err
	}
	return collect(ctx, result, convert)
}

// rowsUpTo runs a read statement like rows, and ends with the value whose size reaches a bound;
// 0 is unbounded.
func rowsUpTo[T any](ctx context.Context, s *Store, name string, params map[string]any, bytes int, convert func(*driver.Record) (T, error), size func(*T) int) ([]T, error) {
	if bytes <= 0 {
		return rows(ctx, s, name, params, convert)
	}
	text, err := s.statements.Text(name)
	if err != nil {
		return nil, err
	}
	read := 0
	return fetch(ctx, s, s.lanes.of(name), fewRecords, text, params, func(r *driver.Record) (T, error) {
		item, err := convert(r)
		if read += size(&item); err == nil && read >= bytes {
			err = errEnough
		}
		return item, err
	})
}

// errEnough tells that the converted record is the last one that is wanted.
var errEnough = errors.New("enough was read")

// WithPrefix finds nodes by the beginning of their URN.
func (s *Store) WithPrefix(ctx context.Context, prefix string, limit int) ([]string, error) {
	if limit <= 0 {
		return []string{}, nil
	}
	return rows(ctx, s, "read/with_prefix", map[string]any{"prefix": prefix, "limit": limit},
		func(r *driver.Record) (string, error) { return text(r, "urn"), nil })
}

func collect[T any](ctx context.Context, result driver.ResultWithContext, convert func(*driver.Record) (T, error)) ([]T, error) {
	found := []T{}
	var record *driver.Record
	for result.NextRecord(ctx, &record) {
		item, err := convert(record)
		if err == errEnough { //nolint:errorlint // convert returns it itself
			return append(found, item), nil
		}
		if err != nil {
			return nil, err
		}
		found = append(found, item)
	}
	return found, result.Err()
}

// one returns the value of the first record, or the zero value if there is none.
func one[T any](ctx context.Context, s *Store, name string, params map[string]any, convert func(*driver.Record) (T, error)) (T, error) {
	var none T
	found, err := rows(ctx, s, name, params, convert)
	if err != nil || len(found) == 0 {
		return none, err
	}
	return found[0], nil
}

func integer(r *driver.Record, key string) int64 {
	value, _ := r.Get(key)
	n, _ := value.(int64)
	return n
}

func text(r *driver.Record, key string) string {
	value, _ := r.Get(key)
	t, _ := value.(string)
	return t
}

func properties(r *driver.Record, key string) map[string]any {
	value, _ := r.Get(key)
	m, _ := value.(map[string]any)
	return m
}

// bag has the properties of a node, and reads them by type.
type bag map[string]any

func (b bag) text(key string) string {
	t, _ := b[key].(string)
	return t
}

func (b bag) integer(key string) int64 {
	n, _ := b[key].(int64)
	return n
}

func (b bag) raw(key string) json.RawMessage {
	if t, ok := b[key].(string); ok && t != "" {
		return json.RawMessage(t)
	}
	return nil
}

func (b bag) system() (graphstore.SystemMetadata, error) {
	system := graphstore.SystemMetadata{
		LastObserved: b.integer("lastObserved"), RunID: b.text("runId"),
		RegistryName: b.text("registryName"), RegistryVersion: b.text("registryVersion"),
		PipelineName: b.text("pipelineName"), SchemaVersion: b.integer("schemaVersion"),
	}
	system.LastRunID = b.text("lastRunId")
	if by := b.text("aspectCreatedBy"); by != "" {
		system.AspectCreated = &graphstore.Stamp{Time: b.integer("aspectCreatedOn"), Actor: by}
	}
	if raw := b.raw("systemProperties"); raw != nil {
		return system, json.Unmarshal(raw, &system.Properties)
	}
	return system, nil
}

func aspectOf(properties map[string]any) (graphstore.Aspect, error) {
	b := bag(properties)
	a := graphstore.Aspect{
		URN: b.text("urn"), Name: b.text("name"), Version: b.integer("version"), Seq: b.integer("seq"),
		Value: b.raw("value"), CreatedOn: b.integer("createdOn"), CreatedBy: b.text("createdBy"),
	}
	var err error
	a.System, err = b.system()
	return a, err
}

func aspectRecord(r *driver.Record) (graphstore.Aspect, error) {
	return aspectOf(properties(r, "aspect"))
}

// ownProperties are the properties of a node that belong to the store, besides the properties
// whose names begin with an underscore.
var ownProperties = []string{
	"urn", "entityType", "exists", "removed", "inSchema",
	"platformId", "subtypes", "customProperties", "structuredProperties", "rowCount", "columnCount", "sizeInBytes", "profiledOn",
}

// ownColumnProperties are further properties of columns that belong to the store.
var ownColumnProperties = []string{"dataType", "nativeType", "nullable", "description", "editedDescription"}

// Entities returns the nodes of the URNs that have one.
func (s *Store) Entities(ctx context.Context, urns []string) ([]graphstore.Entity, error) {
	if len(urns) == 0 {
		return []graphstore.Entity{}, nil
	}
	return rows(ctx, s, "read/entities", map[string]any{"urns": urns}, func(r *driver.Record) (graphstore.Entity, error) {
		b := bag(properties(r, "entity"))
		e := graphstore.Entity{URN: b.text("urn"), Type: b.text("entityType"), Exists: b["exists"] == true, Removed: b["removed"] == true}
		e.Properties = givenProperties(b, e.Exists)
		return e, nil
	})
}

// givenProperties returns the properties that were written, nil for none. The properties of a
// placeholder belong to the store, for people who read the graph.
func givenProperties(b bag, exists bool) map[string]any {
	if !exists {
		return nil
	}
	for _, name := range ownProperties {
		delete(b, name)
	}
	if b["fieldPath"] != nil {
		for _, name := range ownColumnProperties {
			delete(b, name)
		}
	}
	maps.DeleteFunc(b, func(name string, _ any) bool { return strings.HasPrefix(name, "_") })
	if len(b) == 0 {
		return nil
	}
	return b
}

func byURN(aspects []graphstore.Aspect) map[string][]graphstore.Aspect {
	found := map[string][]graphstore.Aspect{}
	for _, a := range aspects {
		found[a.URN] = append(found[a.URN], a)
	}
	return found
}

// findVersion finds a version. The function run runs a statement. The version property in the
// database is the outside number.
func findVersion(key graphstore.AspectKey, number int64, run func(statement string, params map[string]any) ([]graphstore.Aspect, error)) (graphstore.Aspect, bool, error) {
	return graphstore.FindVersion(number, func(place graphstore.VersionPlace) (graphstore.Aspect, bool, error) {
		statement, stored := "read/version", graphstore.VersionNumber(place.Seq, place.Latest)
		if place.FromEnd < 0 {
			statement, stored = "read/version_from_end", place.FromEnd
		}
		found, err := run(statement, map[string]any{"urn": key.URN, "name": key.Name, "version": stored})
		return first(found), err == nil && len(found) > 0, err
	})
}

// AspectVersion returns one version.
func (s *Store) AspectVersion(ctx context.Context, key graphstore.AspectKey, version int64) (graphstore.Aspect, bool, error) {
	return findVersion(key, version, func(statement string, params map[string]any) ([]graphstore.Aspect, error) {
		if params["version"] == graphstore.LatestVersion {
			found, err := s.LatestAspects(ctx, []string{key.URN}, []string{key.Name})
			return found[key.URN], err
		}
		return rows(ctx, s, statement, params, aspectRecord)
	})
}

func first[T any](items []T) T {
	var none T
	if len(items) == 0 {
		return none
	}
	return items[0]
}

// ListEntities returns the entities of a type that exist.
func (s *Store) ListEntities(ctx context.Context, entityType string, page graphstore.Page) ([]string, int64, error) {
	total, err := one(ctx, s, "read/count_entities", map[string]any{"type": entityType},
		func(r *driver.Record) (int64, error) { return integer(r, "total"), nil })
	if err != nil || page.Count <= 0 {
		return []string{}, total, err
	}
	urns, err := rows(ctx, s, "read/list_entities", map[string]any{"type": entityType, "start": max(page.Start, 0), "count": page.Count},
		func(r *driver.Record) (string, error) { return text(r, "urn"), nil })
	return urns, total, err
}

// ScanEntities lists the entities of all types by URN.
func (s *Store) ScanEntities(ctx context.Context, after string, limit int) ([]string, error) {
	if limit <= 0 {
		return []string{}, nil
	}
	return rows(ctx, s, "read/scan_entities", map[string]any{"after": after, "limit": limit},
		func(r *driver.Record) (string, error) { return text(r, "urn"), nil })
}

// ScanNodes lists all nodes by URN.
func (s *Store) ScanNodes(ctx context.Context, after string, limit int) ([]string, error) {
	if limit <= 0 {
		return []string{}, nil
	}
	return rows(ctx, s, "read/scan_nodes", map[string]any{"after": after, "limit": limit},
		func(r *driver.Record) (string, error) { return text(r, "urn"), nil })
}

// LatestTimeSeries returns the newest values of aspects.
func (s *Store) LatestTimeSeries(ctx context.Context, urns, aspects []string) (map[string][]graphstore.TimeSeriesValue, error) {
	found := map[string][]graphstore.TimeSeriesValue{}
	if len(urns) == 0 || len(aspects) == 0 {
		return found, nil
	}
	values, err := rows(ctx, s, "read/latest_time_series", map[string]any{"urns": urns, "aspects": aspects},
		func(r *driver.Record) (graphstore.TimeSeriesValue, error) {
			return timeSeriesOf(properties(r, "value"))
		})
	for _, v := range values {
		found[v.URN] = append(found[v.URN], v)
	}
	return found, err
}

// CountAspects counts the latest versions of an aspect by URN pattern. The database compares
// only plain texts, which takes linear time and stops when the caller leaves; neither is true
// of a regular expression. This process matches the rest of the pattern, one URN at a time.
func (s *Store) CountAspects(ctx context.Context, aspect, urnLike string) (int64, error) {
	params := map[string]any{"name": aspect, "prefix": "", "suffix": "", "contains": ""}
	like := graphstore.ParseLike("%")
	if urnLike != "" {
		like = graphstore.ParseLike(urnLike)
	}
	params["prefix"], params["suffix"], params["contains"] = like.Prefix(), like.Suffix(), like.Contains()
	if like.Plain() {
		return one(ctx, s, "read/count_aspects", params, func(r *driver.Record) (int64, error) { return integer(r, "total"), nil })
	}
	statement, err := s.statements.Text("read/aspect_urns")
	if err != nil {
		return 0, err
	}
	return s.countMatches(ctx, statement, params, like)
}

// countMatches counts the URNs that a statement returns and that match a pattern, without
// keeping them in memory.
func (s *Store) countMatches(ctx context.Context, statement string, params map[string]any, like *graphstore.Like) (int64, error) {
	if s.closed.Load() {
		return 0, graphstore.ErrClosed
	}
	var err error
	for range readAttempts {
		var n int64
		err = s.stream(ctx, s.lanes.lists, statement, params, 0, func(r *driver.Record) {
			if like.Match(text(r, "urn")) {
				n++
			}
		})
		if err == nil {
			return n, nil
		}
		if !driver.IsRetryable(err) {
			break
		}
	}
	return 0, s.failure(ctx, err)
}

// TimeSeries returns stored values by time.
func (s *Store) TimeSeries(ctx context.Context, q graphstore.TimeSeriesQuery) ([]graphstore.TimeSeriesValue, error) {
	if q.Limit <= 0 {
		return []graphstore.TimeSeriesValue{}, nil
	}
	from, to := graphstore.TimeBounds(q.From, q.To)
	params := map[string]any{
		"urn": q.URN, "aspect": q.Aspect, "from": from, "to": to, "afterTime": nil, "afterKey": nil, "limit": q.Limit,
	}
	if q.After != nil {
		params["afterTime"], params["afterKey"] = q.After.Timestamp, q.After.Key
	}
	name := "read/time_series_descending"
	if q.Ascending {
		name = "read/time_series_ascending"
	}
	return rowsUpTo(ctx, s, name, params, q.Bytes, func(r *driver.Record) (graphstore.TimeSeriesValue, error) {
		return timeSeriesOf(properties(r, "value"))
	}, func(v *graphstore.TimeSeriesValue) int { return len(v.Value) })
}

func timeSeriesOf(properties map[string]any) (graphstore.TimeSeriesValue, error) {
	b := bag(properties)
	v := graphstore.TimeSeriesValue{
		URN: b.text("urn"), Aspect: b.text("aspect"), Key: b.text("key"), Timestamp: b.integer("timestamp"),
		Value: b.raw("value"), CreatedOn: b.integer("createdOn"), CreatedBy: b.text("createdBy"),
	}
	var err error
	v.System, err = b.system()
	return v, err
}
