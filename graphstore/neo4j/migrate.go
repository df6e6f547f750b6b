package neo4j

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

// migrate applies the migrations that were not applied to the database yet. They do
// nothing when repeated, so several servers may start at once, and one that was stopped
// in the middle of a migration starts it over. The version is the number of those that
// were applied.
func (s *Store) migrate(ctx context.Context, version int) error {
	migrations := s.statements.Migrations()
	if version > len(migrations) {
		return fmt.Errorf("the database has schema %d, this binary supports up to %d: %w", version, len(migrations), graphstore.ErrNewerSchema)
	}
	record, err := s.statements.Text("schema/record")
	if err != nil || version == len(migrations) {
		return err
	}
	for i := version; i < len(migrations); i++ {
		for _, statement := range migrations[i] {
			if err := s.execMigration(ctx, statement); err != nil && !existsAlready(err) {
				return fmt.Errorf("migration %d: %w", i+1, err)
			}
		}
		if i+1 == describedSince {
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

// A statement of a migration that ended in a deadlock with another server, or in another
// transient failure, runs again after a pause, so many times in all.
const (
	migrationTries = 30
	migrationPause = time.Second
)

// execMigration runs a statement of a migration. One that commits in batches cannot run
// in a transaction of the driver, which would run it again after transient failures.
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

// existsAlready reports that another server created the same index or constraint
// after the statement had checked for it.
func existsAlready(err error) bool {
	var server *driver.Neo4jError
	return errors.As(err, &server) && server.Code == "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"
}

const (
	// describedSince is the migration since which every node has a name, and every
	// column of a schema a node.
	describedSince = 5
	// describedAtOnce bounds the nodes whose schemas are in memory at once.
	describedAtOnce = 200
	// describedLogged is after how many nodes a line is logged.
	describedLogged = 100_000
)

// schemas is how the columns of a stored schema are listed.
type schemas struct {
	aspect string
	list   func(urn string, schema json.RawMessage) ([]string, error)
}

// describeAll gives the nodes of an earlier release their names, and the schemas their
// columns, in transactions of bounded size.
func (s *Store) describeAll(ctx context.Context) error {
	if s.description == nil {
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
	if err := s.addSchemas(ctx, urns, columns); err != nil {
		return err
	}
	statement, err := s.statements.Text("schema/describe")
	if err != nil {
		return err
	}
	if err := s.execWrite(ctx, statement, map[string]any{"rows": described}); err != nil {
		return err
	}
	if statement, err = s.statements.Text("write/columns"); err != nil {
		return err
	}
	rows, _ := columns.rows()
	for _, part := range portions(rows) {
		if err := s.execWrite(ctx, statement, map[string]any{"rows": part}); err != nil {
			return err
		}
	}
	return nil
}

// addSchemas adds the columns of the schemas that some entities have. A schema that cannot
// be read is left out: a single one must not keep the server from starting.
func (s *Store) addSchemas(ctx context.Context, urns []string, columns columnRows) error {
	if s.schemas.list == nil {
		return nil
	}
	urns = slices.DeleteFunc(slices.Clone(urns), func(urn string) bool { return s.describe(urn).Holder != "" })
	if len(urns) == 0 {
		return nil
	}
	found, err := s.LatestAspects(ctx, urns, []string{s.schemas.aspect})
	if err != nil {
		return err
	}
	for _, aspects := range found {
		for i := range aspects {
			list, err := s.schemas.list(aspects[i].URN, aspects[i].Value)
			if err != nil {
				s.logger.WarnContext(ctx, "a stored schema cannot be read; its columns get no nodes until it is written again",
					"urn", aspects[i].URN, "aspect", aspects[i].Name, "error", err)
				continue
			}
			for _, column := range list {
				columns.of(aspects[i].URN)[column] = true
			}
		}
	}
	return nil
}
