package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"golang.org/x/sync/errgroup"
)

// rawNeo4j does the work with the bare driver.
type rawNeo4j struct {
	driver neo4j.DriverWithContext
}

func openRawNeo4j(uri, user, password string) (*rawNeo4j, error) {
	auth := neo4j.NoAuth()
	if user != "" {
		auth = neo4j.BasicAuth(user, password, "")
	}
	driver, err := neo4j.NewDriverWithContext(uri, auth)
	return &rawNeo4j{driver}, err
}

func (r *rawNeo4j) query(ctx context.Context, cypher string, params map[string]any) (*neo4j.EagerResult, error) {
	return neo4j.ExecuteQuery(ctx, r.driver, cypher, params, neo4j.EagerResultTransformer)
}

// emptyNeo4j opens and empties the database for measurements.
func (b *bench) emptyNeo4j(ctx context.Context) (*rawNeo4j, error) {
	raw, err := openRawNeo4j(b.neo4j, "", "")
	if err != nil {
		return nil, err
	}
	return raw, raw.wipe(ctx)
}

// wipe empties the database. Constraints and indexes stay.
func (r *rawNeo4j) wipe(ctx context.Context) error {
	session := r.driver.NewSession(ctx, neo4j.SessionConfig{})
	defer session.Close(ctx)
	result, err := session.Run(ctx, "MATCH (n) CALL { WITH n DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS", nil)
	if err == nil {
		_, err = result.Consume(ctx)
	}
	return err
}

// image has all data of the database, grouped by the statement that writes it again.
type image struct {
	groups []writeGroup
	nodes  int
	edges  int
}

type writeGroup struct {
	cypher string
	rows   []map[string]any
}

// read reads the image of the data that Headwater stored.
func (r *rawNeo4j) read(ctx context.Context) (*image, error) {
	nodes, err := r.query(ctx, `MATCH (n) OPTIONAL MATCH (e:Entity)-[:HAS_ASPECT]->(n)
		RETURN labels(n) AS labels, properties(n) AS props, e.urn AS owner`, nil)
	if err != nil {
		return nil, err
	}
	entities, owned, others := map[string][]map[string]any{}, map[string][]map[string]any{}, map[string][]map[string]any{}
	img := &image{nodes: len(nodes.Records)}
	for _, record := range nodes.Records {
		row := record.AsMap()
		var labels []string
		for _, l := range row["labels"].([]any) {
			labels = append(labels, l.(string))
		}
		slices.Sort(labels)
		pattern := "n:`" + strings.Join(labels, "`:`") + "`"
		switch {
		case row["owner"] != nil:
			img.edges++
			owned[pattern] = append(owned[pattern], map[string]any{"owner": row["owner"], "props": row["props"]})
		case slices.Contains(labels, "Entity"):
			entities[pattern] = append(entities[pattern], map[string]any{"props": row["props"]})
		default:
			others[pattern] = append(others[pattern], map[string]any{"props": row["props"]})
		}
	}
	img.add("UNWIND $rows AS row CREATE (%s) SET n = row.props", entities)
	img.add("UNWIND $rows AS row CREATE (%s) SET n = row.props", others)
	img.add("UNWIND $rows AS row MATCH (e:Entity {urn: row.owner}) CREATE (e)-[:HAS_ASPECT]->(%s) SET n = row.props", owned)

	edges, err := r.query(ctx, `MATCH (a:Entity)-[r]->(b:Entity)
		RETURN type(r) AS type, properties(r) AS props, a.urn AS source, b.urn AS destination`, nil)
	if err != nil {
		return nil, err
	}
	byType := map[string][]map[string]any{}
	for _, record := range edges.Records {
		row := record.AsMap()
		img.edges++
		pattern := "r:`" + row["type"].(string) + "`"
		byType[pattern] = append(byType[pattern], row)
	}
	img.add(`UNWIND $rows AS row MATCH (a:Entity {urn: row.source}) MATCH (b:Entity {urn: row.destination})
		CREATE (a)-[%s]->(b) SET r = row.props`, byType)
	return img, nil
}

func (img *image) add(format string, rows map[string][]map[string]any) {
	for _, pattern := range slices.Sorted(maps.Keys(rows)) {
		img.groups = append(img.groups, writeGroup{fmt.Sprintf(format, pattern), rows[pattern]})
	}
}

// write writes an image: a thousand rows in each transaction, nodes before edges, two
// transactions at a time.
func (r *rawNeo4j) write(ctx context.Context, img *image) error {
	for _, g := range img.groups {
		parallel, ctx := errgroup.WithContext(ctx)
		parallel.SetLimit(2)
		for rows := range slices.Chunk(g.rows, 1000) {
			parallel.Go(func() error { return r.run(ctx, g.cypher, map[string]any{"rows": rows}) })
		}
		if err := parallel.Wait(); err != nil {
			return err
		}
	}
	return nil
}

func (r *rawNeo4j) run(ctx context.Context, cypher string, params map[string]any) error {
	session := r.driver.NewSession(ctx, neo4j.SessionConfig{})
	defer session.Close(ctx)
	_, err := session.ExecuteWrite(ctx, func(tx neo4j.ManagedTransaction) (any, error) {
		result, err := tx.Run(ctx, cypher, params)
		if err != nil {
			return nil, err
		}
		return result.Consume(ctx)
	})
	return err
}

// upsertCypher is one durable write of a new value: the former latest version becomes an
// archived one, the new one is linked, and the change is recorded.
const upsertCypher = `
MATCH (e:Entity {urn: $urn})
OPTIONAL MATCH (old:Aspect {urn: $urn, name: $name, version: 0})
FOREACH (o IN CASE WHEN old IS NULL THEN [] ELSE [old] END | SET o.version = o.seq)
WITH e, coalesce(old.seq, 0) + 1 AS seq
CREATE (e)-[:HAS_ASPECT]->(:Aspect:DatasetProperties {urn: $urn, name: $name, version: 0, seq: seq, value: $value,
	createdOn: timestamp(), createdBy: $actor, runId: 'bench', lastObserved: timestamp()})
CREATE (:RawChange {urn: $urn, aspect: $name, seq: seq, time: timestamp(), actor: $actor})`

func (r *rawNeo4j) upsert(ctx context.Context, urn, aspect, value string) error {
	return r.run(ctx, upsertCypher, map[string]any{
		"urn": urn, "name": aspect, "value": value, "actor": "urn:li:corpuser:bench",
	})
}

// readAspect and oneHop are single reads, each in its own transaction, like a request.
func (r *rawNeo4j) readAspect(ctx context.Context, urn, aspect string) error {
	return r.one(ctx, "MATCH (a:Aspect {urn: $urn, name: $name, version: 0}) RETURN a.value, a.createdOn, a.createdBy",
		map[string]any{"urn": urn, "name": aspect})
}

func (r *rawNeo4j) oneHop(ctx context.Context, urn string) error {
	return r.one(ctx, "MATCH (:Entity {urn: $urn})-[:DownstreamOf]->(b) RETURN DISTINCT b.urn ORDER BY b.urn",
		map[string]any{"urn": urn})
}

func (r *rawNeo4j) one(ctx context.Context, cypher string, params map[string]any) error {
	session := r.driver.NewSession(ctx, neo4j.SessionConfig{AccessMode: neo4j.AccessModeRead})
	defer session.Close(ctx)
	_, err := session.ExecuteRead(ctx, func(tx neo4j.ManagedTransaction) (any, error) {
		result, err := tx.Run(ctx, cypher, params)
		if err != nil {
			return nil, err
		}
		return result.Collect(ctx)
	})
	return err
}
