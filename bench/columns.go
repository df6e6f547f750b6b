package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
	store "github.com/headwater-io/headwater/graphstore/neo4j"
	"github.com/headwater-io/headwater/indexer"
	searchfile "github.com/headwater-io/headwater/indexer/embedded"
	"github.com/headwater-io/headwater/model"
)

// columnsCatalog is a catalog of datasets with columnsOfEach columns. One dataset of ten has two
// columns with the tag of many; rareDatasets of them have two columns with the rare tag.
type columnsCatalog struct{ datasets int }

const (
	columnsOfEach = 20
	rareDatasets  = 10
	tagOfMany     = "urn:li:tag:pii"
	rareTag       = "urn:li:tag:rare"
	// columnsPage is how many columns one answer has.
	columnsPage = 50
	// columnsTarget is the wanted ratio of the rate of searches for columns to the rate of raw walks.
	columnsTarget = 0.2
)

func (c columnsCatalog) urn(i int) string { return workload(c).urn(i) }

// schema returns the schema of a dataset.
func (c columnsCatalog) schema(i int) (json.RawMessage, error) {
	fields := make([]any, columnsOfEach)
	for n := range fields {
		field := map[string]any{
			"fieldPath": fmt.Sprintf("column_%d", n), "nativeDataType": "varchar(100)", "description": "catalogued",
			"type": map[string]any{"type": map[string]any{"com.linkedin.schema.StringType": map[string]any{}}},
		}
		var tags []any
		if n < 2 && i%10 == 0 {
			tags = append(tags, map[string]any{"tag": tagOfMany})
		}
		if n < 2 && i%(c.datasets/rareDatasets) == 0 {
			tags = append(tags, map[string]any{"tag": rareTag})
		}
		if tags != nil {
			field["globalTags"] = map[string]any{"tags": tags}
		}
		fields[n] = field
	}
	return json.Marshal(map[string]any{
		"schemaName": "x", "platform": "urn:li:dataPlatform:hive", "version": 0, "hash": "",
		"platformSchema": map[string]any{"com.linkedin.schema.OtherSchema": map[string]any{"rawSchema": ""}}, "fields": fields,
	})
}

// load writes the catalog and waits until the index has it.
func (c columnsCatalog) load(ctx context.Context, rules *services.Services) error {
	var batch []write.Proposal
	flush := func() error {
		items, err := rules.IngestBatch(ctx, batch, catalog.WriteOptions{})
		for i := range items {
			err = errors.Join(err, items[i].Err)
		}
		batch = nil
		return err
	}
	for i := range c.datasets {
		schema, err := c.schema(i)
		if err != nil {
			return err
		}
		owners := fmt.Sprintf(`{"owners":[{"owner":"urn:li:corpuser:user%d","type":"TECHNICAL_OWNER"}]}`, i%50)
		for aspect, value := range map[string]json.RawMessage{"schemaMetadata": schema, "ownership": json.RawMessage(owners)} {
			batch = append(batch, write.Proposal{
				EntityType: "dataset", EntityURN: c.urn(i), AspectName: aspect, ChangeType: write.Upsert,
				Aspect: &write.GenericAspect{Value: value, ContentType: "application/json"},
			})
		}
		if len(batch) >= 2*batchDatasets/7 {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	for range 20 { // the index may need longer than one wait
		if rules.Follower.Await(ctx) == nil {
			return nil
		}
	}
	return errors.New("the index does not follow")
}

// onColumns compares searches for columns with a walk on the bare store for the same columns and
// their owners: the edges of the tag, the schemas of the datasets, and the owners of a page.
func (b *bench) onColumns(ctx context.Context) error {
	for _, size := range b.columnsSizes {
		c := columnsCatalog{size}
		file, err := embedded.Open(ctx, embedded.Options{Dir: filepath.Join(b.dir, fmt.Sprintf("columns-%d", size))})
		if err != nil {
			return err
		}
		if err := errors.Join(b.columnsOn(ctx, "embedded", c, file), file.Close()); err != nil {
			return err
		}
		if b.neo4j == "" {
			fmt.Println("no Neo4j: its comparisons are left out")
			continue
		}
		raw, err := b.emptyNeo4j(ctx)
		if err != nil {
			return err
		}
		server, err := openNeo4jStore(ctx, b.neo4j)
		if err != nil {
			return errors.Join(err, raw.driver.Close(ctx))
		}
		if err := errors.Join(b.columnsOn(ctx, "neo4j", c, server), server.Close(), raw.driver.Close(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// openNeo4jStore opens the store on Neo4j as a server does.
func openNeo4jStore(ctx context.Context, uri string) (graphstore.Store, error) {
	registry := model.Default()
	kinds, mirrored := lineage.GraphKinds(registry)
	labels := map[string]string{}
	for _, e := range registry.Entities() {
		labels[e.Name] = e.Label
	}
	return store.Open(ctx, store.Options{
		URI: uri, Labels: labels, RelationshipTypes: registry.RelationshipNames(), Kinds: kinds, Mirrored: mirrored,
		ForPeople: write.ForPeople(registry),
	})
}

func (b *bench) columnsOn(ctx context.Context, where string, c columnsCatalog, graph graphstore.Store) (err error) {
	index, err := searchfile.Open(ctx, searchfile.Options{
		Dir: filepath.Join(b.dir, fmt.Sprintf("columns-index-%s-%d", where, c.datasets)), Fingerprint: indexer.NewSchema(model.Default()).Fingerprint(),
	})
	if err != nil {
		return err
	}
	rules := services.New(services.Options{Store: graph, Index: &follower.Index{Index: index}})
	follow, stop := context.WithCancel(ctx)
	var following sync.WaitGroup
	following.Go(func() { rules.Follower.Follow(follow) })
	defer func() {
		stop()
		following.Wait()
		rules.Stop()
		err = errors.Join(err, index.Close())
	}()
	if err := c.load(ctx, rules); err != nil {
		return err
	}
	for _, tag := range []struct {
		name, urn string
		columns   int
	}{{"a rare tag", rareTag, 2 * rareDatasets}, {"a tag of a tenth", tagOfMany, c.datasets / 5}} {
		label, _, err := rules.ParseURN(tag.urn)
		if err != nil {
			return err
		}
		ours := func(ctx context.Context, _ int) error {
			found, err := rules.Lineage.FindColumns(ctx, lineage.ColumnsRequest{Labels: []model.URN{label}, Count: columnsPage})
			if err == nil && (found.Total != tag.columns || len(found.Columns[0].Owners) != 1) {
				err = fmt.Errorf("found %d columns of %d", found.Total, tag.columns)
			}
			return err
		}
		theirs := func(ctx context.Context, _ int) error {
			n, err := walkToColumns(ctx, graph, tag.urn)
			if err == nil && n != tag.columns {
				err = fmt.Errorf("the raw walk found %d columns of %d", n, tag.columns)
			}
			return err
		}
		n := max(10, 2000/tag.columns)
		side := func(op func(context.Context, int) error) func(int) (figure, error) {
			return func(int) (figure, error) { return measure(ctx, 1, n, op) }
		}
		name := fmt.Sprintf("%s: columns with %s, %d datasets", where, tag.name, c.datasets)
		if err := b.add(name, columnsTarget, side(ours), side(theirs)); err != nil {
			return err
		}
	}
	return nil
}

// walkToColumns reads the columns with a tag from a store alone, and the owners of a page of them.
func walkToColumns(ctx context.Context, graph graphstore.Store, tag string) (int, error) {
	found, err := graph.Edges(ctx, graphstore.EdgeQuery{
		URNs: []string{tag}, Direction: graphstore.Incoming, Types: []string{model.RelationshipSchemaFieldTaggedWith}, Page: graphstore.Page{Count: 10_000},
	})
	if err != nil {
		return 0, err
	}
	var datasets []string
	for _, edge := range found[tag].Edges {
		datasets = append(datasets, edge.Source)
	}
	columns := 0
	for some := range slices.Chunk(datasets, 200) {
		stored, err := graph.LatestAspects(ctx, some, []string{model.AspectSchemaMetadata})
		if err != nil {
			return 0, err
		}
		for _, aspects := range stored {
			var schema struct {
				Fields []struct {
					FieldPath  string
					GlobalTags struct{ Tags []struct{ Tag string } }
				}
			}
			if err := json.Unmarshal(aspects[0].Value, &schema); err != nil {
				return 0, err
			}
			for _, field := range schema.Fields {
				for _, one := range field.GlobalTags.Tags {
					if strings.EqualFold(one.Tag, tag) {
						columns++
					}
				}
			}
		}
	}
	_, err = graph.Edges(ctx, graphstore.EdgeQuery{
		URNs: datasets[:min(columnsPage/2, len(datasets))], Direction: graphstore.Outgoing, Types: []string{model.RelationshipOwnedBy}, Page: graphstore.Page{Count: 10},
	})
	return columns, err
}
