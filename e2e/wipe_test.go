package e2e

import (
	"context"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// cypher runs one Cypher statement and returns its rows.
func cypher(t testing.TB, uri, statement string) []map[string]any {
	t.Helper()
	rows, err := cypherWith(uri, statement, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// cypherWith runs a Cypher statement with parameters and returns its rows.
func cypherWith(uri, statement string, parameters map[string]any) ([]map[string]any, error) {
	ctx := context.Background()
	driver, err := neo4j.NewDriverWithContext(uri, neo4j.NoAuth())
	if err != nil {
		return nil, err
	}
	defer driver.Close(ctx)
	session := driver.NewSession(ctx, neo4j.SessionConfig{})
	defer session.Close(ctx)
	result, err := session.Run(ctx, statement, parameters)
	if err != nil {
		return nil, err
	}
	records, err := result.Collect(ctx)
	if err != nil {
		return nil, err
	}
	rows := make([]map[string]any, len(records))
	for i, r := range records {
		rows[i] = r.AsMap()
	}
	return rows, nil
}

// wipe empties a database, including the record of the schema.
func wipe(t testing.TB, uri string) {
	t.Helper()
	cypher(t, uri, "MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS")
}
