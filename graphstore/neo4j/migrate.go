package neo4j

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

// migrate applies the migrations that the database lacks. A repeated migration does nothing, so
// several servers may start at once, and a migration that was stopped in the middle starts
// over. The argument version is the number of applied migrations.
func (s *Store) migrate(ctx context.Context, version int) error {
	migrations := s.statements.Migrations()
	if version > len(migrations) {
		return fmt.Errorf("the database has schema %d, this binary supports up to %d: %w", version, len(migrations), graphstore.ErrNewerSchema)
	}
	record, err := s.statements.Text("schema/record")
	if err != nil || version == len(migrations) {
		return err
	}
	s.logger.InfoContext(ctx, "the schema of the database is being brought up to date", "from", version, "to", len(migrations))
	for i := version; i < len(migrations); i++ {
		for _, statement := range migrations[i] {
			if version == 0 && changesOldData(statement) {
				continue
			}
			if err := s.execMigration(ctx, statement); err != nil && !existsAlready(err) {
				return fmt.Errorf("migration %d: %w", i+1, err)
			}
		}
		if i+1 == describedSince && version > 0 {
			if err := s.describeAll(ctx); err != nil {
				return fmt.Errorf("migration %d: %w", i+1, err)
			}
		}
		if err := s.execWrite(ctx, record, map[string]any{"version": i + 1}); err != nil {
			return fmt.Errorf("migration %d: %w", i+1, err)
		}
	}
	return nil
}

// changesOldData reports whether a statement of a migration only changes data of earlier
// releases. A database without a schema has no such data, and would plan the statement in vain.
func changesOldData(statement string) bool { return strings.HasPrefix(statement, "MATCH ") }

// These bound the attempts of a statement of a migration that ends in a deadlock with another
// server, or in another transient failure, and the pause between attempts.
const (
	migrationTries = 30
	migrationPause = time.Second
)

// execMigration runs a statement of a migration. A statement that commits in batches cannot run
// in a transaction of the driver.
func (s *Store) execMigration(ctx context.Context, statement string) error {
	if !strings.Contains(statement, "IN TRANSACTIONS") {
		return s.execWrite(ctx, statement, nil)
	}
	for try := 1; ; try++ {
		err := s.runInBatches(ctx, statement)
		if !driver.IsRetryable(err) || try == migrationTries {
			return s.failure(ctx, err)
		}
		s.logger.InfoContext(ctx, "a statement of a migration runs again", "try", try, "error", err)
		if err := pause(ctx, migrationPause); err != nil {
			return err
		}
	}
}

func (s *Store) runInBatches(ctx context.Context, statement string) error {
	session := s.session(ctx, driver.AccessModeWrite)
	defer s.end(ctx, session)
	result, err := session.Run(ctx, statement, nil)
	if err == nil {
		_, err = result.Consume(ctx)
	}
	return err
}

// existsAlready reports whether another server has created the same index or constraint after
// the statement had checked for it.
func existsAlready(err error) bool {
	var server *driver.Neo4jError
	return errors.As(err, &server) && server.Code == "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"
}

const (
	// describedSince is the migration since which nodes have descriptions for people.
	describedSince = 7
	// describedAtOnce bounds the nodes whose aspects are in memory at once.
	describedAtOnce = 200
	// describedLogged is the number of nodes after which a line is logged.
	describedLogged = 100_000
	// numberedAtOnce bounds the values of time series that are in memory at once.
	numberedAtOnce = 100
)

// describeAll adds the descriptions for people to the nodes of an earlier release, in
// transactions of bounded size.
func (s *Store) describeAll(ctx context.Context) error {
	if s.people.Describe == nil {
		return nil
	}
	after, done := "", 0
	for {
		urns, err := s.ScanNodes(ctx, after, describedAtOnce)
		if err != nil || len(urns) == 0 {
			return err
		}
		if err := s.describeNodes(ctx, urns); err != nil {
			return err
		}
		after = urns[len(urns)-1]
		if done += len(urns); done%describedLogged < len(urns) && done >= describedLogged {
			s.logger.InfoContext(ctx, "the schema of the database is being migrated", "nodes", done)
		}
	}
}

func (s *Store) describeNodes(ctx context.Context, urns []string) error {
	described := make([]row, len(urns))
	columns := s.newColumnRows()
	for i, urn := range urns {
		described[i] = s.describedRow(urn)
		columns.hang(urn)
	}
	shown, edges, err := s.shownOf(ctx, urns)
	if err != nil {
		return err
	}
	for _, r := range described {
		urn, _ := r["urn"].(string)
		of := shown[urn]
		r["properties"] = of.Properties
		if of.Properties == nil {
			r["properties"] = row{}
		}
		columns.addShown(urn, &of)
	}
	if err := s.execPortion(ctx, "schema/describe", described); err != nil {
		return err
	}
	for _, part := range portions(columns.rows()) {
		if err := s.execPortion(ctx, "write/columns", part); err != nil {
			return err
		}
	}
	labels, _ := columns.labelRows()
	for part := range slices.Chunk(labels, rowsAtOnce) {
		if err := s.execPortion(ctx, "write/add_labels", part); err != nil {
			return err
		}
	}
	if err := s.describeEdges(ctx, edges); err != nil {
		return err
	}
	for _, series := range s.people.Numbered {
		if err := s.numberValues(ctx, urns, series); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) execPortion(ctx context.Context, name string, rows []row) error {
	statement, err := s.statements.Text(name)
	if err != nil || len(rows) == 0 {
		return err
	}
	return s.execWrite(ctx, statement, map[string]any{"rows": rows})
}

// shownOf returns the properties for people that follow from the latest values of entities, and
// the statements of these values that have properties for people. A value that cannot be read
// is left out, because one value must not keep the server from starting.
func (s *Store) shownOf(ctx context.Context, urns []string) (map[string]graphstore.Shown, []graphstore.EdgeStatement, error) {
	shown := map[string]graphstore.Shown{}
	if s.people.Show == nil {
		return shown, nil, nil
	}
	found, err := s.LatestAspects(ctx, urns, s.people.Aspects)
	if err != nil {
		return nil, nil, err
	}
	var edges []graphstore.EdgeStatement
	for urn, aspects := range found {
		var all graphstore.Shown
		for i := range aspects {
			one, marked, err := s.people.Show(&aspects[i])
			if err != nil {
				s.logger.WarnContext(ctx, "a stored aspect cannot be read; people see nothing of it in the graph until it is written again",
					"urn", aspects[i].URN, "aspect", aspects[i].Name, "error", err)
				continue
			}
			all.Add(&one)
			edges = append(edges, marked...)
		}
		shown[urn] = all
	}
	return shown, edges, nil
}

// describeEdges adds the properties for people to current relationships.
func (s *Store) describeEdges(ctx context.Context, edges []graphstore.EdgeStatement) error {
	byType := rowsByType(toRows(edges, func(e *graphstore.EdgeStatement) row {
		r := identityRow(&e.EdgeID)
		r["properties"] = e.Shown
		return r
	}))
	for _, edgeType := range slices.Sorted(maps.Keys(byType)) {
		statement, err := s.statements.WithTypes("write/update_edges", []string{edgeType})
		if err != nil {
			return err
		}
		for part := range slices.Chunk(byType[edgeType], rowsAtOnce) {
			if err := s.execWrite(ctx, statement, map[string]any{"rows": part}); err != nil {
				return err
			}
		}
	}
	return nil
}

// numberValues adds their numbers to the values of a time series, and the newest numbers to the
// entities.
func (s *Store) numberValues(ctx context.Context, urns []string, series string) error {
	params := map[string]any{"urns": urns, "aspect": series}
	having, err := rows(ctx, s, "schema/with_series", params, func(r *driver.Record) (string, error) { return text(r, "urn"), nil })
	if err != nil {
		return err
	}
	newest := make([]row, 0, len(having))
	for _, urn := range having {
		newest = append(newest, row{"urn": urn, "aspect": series})
		q := graphstore.TimeSeriesQuery{URN: urn, Aspect: series, Limit: numberedAtOnce}
		for {
			values, err := s.TimeSeries(ctx, q)
			if err != nil {
				return err
			}
			var numbered []row
			for i := range values {
				if numbers := s.numbers(series, values[i].Value); len(numbers) > 0 {
					numbered = append(numbered, row{"urn": urn, "aspect": series, "key": values[i].Key, "numbers": numbers})
				}
			}
			if err := s.execPortion(ctx, "schema/number", numbered); err != nil {
				return err
			}
			if len(values) < numberedAtOnce {
				break
			}
			last := &values[len(values)-1]
			q.After = &graphstore.TimeSeriesPosition{Timestamp: last.Timestamp, Key: last.Key}
		}
	}
	return s.execPortion(ctx, "write/newest_profile", newest)
}
