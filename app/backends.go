package app

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/headwater-io/headwater/app/config"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/graphstore/neo4j"
	"github.com/headwater-io/headwater/indexer"
	searchfile "github.com/headwater-io/headwater/indexer/embedded"
	"github.com/headwater-io/headwater/indexer/typesense"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/parser"
)

func (s *server) openStore(ctx context.Context, registry *model.Registry) (graphstore.Store, error) {
	var (
		store graphstore.Store
		err   error
	)
	if s.settings.Graph == config.Embedded {
		store, err = s.openEmbedded(ctx, registry)
	} else {
		store, err = s.openNeo4j(ctx, registry)
	}
	if err != nil {
		return nil, fmt.Errorf("graph store %s: %w", s.settings.GraphRedacted(), err)
	}
	s.atClose("graph store", func(context.Context) error { return store.Close() })
	return store, nil
}

func (s *server) openEmbedded(ctx context.Context, registry *model.Registry) (graphstore.Store, error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	aspects := []string{catalog.RollbacksSeries, catalog.RolledBackSeries}
	for _, e := range registry.Entities() {
		aspects = append(append(aspects, e.KeyAspect), e.Aspects...)
	}
	return embedded.Open(ctx, embedded.Options{Dir: s.settings.Data, Readers: s.settings.Readers, Logger: s.logger, Now: s.past.Now, Aspects: aspects})
}

func (s *server) openNeo4j(ctx context.Context, registry *model.Registry) (graphstore.Store, error) {
	address, err := s.settings.Neo4j()
	if err != nil {
		return nil, err
	}
	labels := map[string]string{}
	for _, e := range registry.Entities() {
		labels[e.Name] = e.Label
	}
	kinds, mirrored := lineage.GraphKinds(registry)
	store, err := neo4j.Open(ctx, neo4j.Options{
		URI: address.URI, User: address.User, Password: address.Password, Database: address.Database,
		OpenTimeout: openTimeout, MaxConnections: s.settings.GraphPool, CAFile: s.settings.GraphCA, Logger: s.logger, Now: s.past.Now,
		Labels: labels, RelationshipTypes: registry.RelationshipNames(), Kinds: kinds, Mirrored: mirrored,
		ForPeople: write.ForPeople(registry), PlanLater: s.settings.Sample,
	})
	if err != nil {
		return nil, err
	}
	s.setPassword, s.planGroups = store.SetPassword, store.PlanGroups
	return store, nil
}

func (s *server) openIndex(ctx context.Context, schema *indexer.Schema) (indexer.Index, error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	var (
		index indexer.Index
		err   error
	)
	if s.settings.Search == config.Embedded {
		index, err = searchfile.Open(ctx, searchfile.Options{Dir: s.settings.Data, Fingerprint: schema.Fingerprint(), Memory: s.settings.SearchMemory, Logger: s.logger})
	} else {
		index, err = s.openTypesense(ctx, schema)
	}
	if err != nil {
		return nil, fmt.Errorf("search index %s: %w", s.settings.SearchRedacted(), err)
	}
	s.atClose("search index", func(context.Context) error { return index.Close() })
	return index, nil
}

// damageOf describes the damage that an index found in its files when it was opened, or
// returns "".
func damageOf(index indexer.Index) string {
	if x, ok := index.(*searchfile.Index); ok {
		return x.Damage()
	}
	return ""
}

func (s *server) openTypesense(ctx context.Context, schema *indexer.Schema) (indexer.Index, error) {
	address, err := s.settings.Typesense()
	if err != nil {
		return nil, err
	}
	names := schema.Names()
	index, err := typesense.Open(ctx, typesense.Options{
		Nodes: address.Nodes, Key: address.Key, Prefix: s.settings.SearchPrefix, Fingerprint: schema.Fingerprint(),
		Facets: names.Facets, Numbers: names.Numbers, SortKeys: names.SortKeys, Completions: names.Completions,
	})
	if err != nil {
		return nil, err
	}
	s.setKey = index.SetKey
	return index, nil
}

// newCatalog puts the catalog together, and the authentication of its callers.
func (s *server) newCatalog(b *backends, build Build) (*services.Services, *authentication, error) {
	permits, protect := s.permissions(b.store)
	sealer, err := s.secretsKeys()
	if err != nil {
		return nil, nil, err
	}
	var names naming.Settings
	if s.settings.OpenLineage != "" {
		if names, err = naming.ReadFile(s.settings.OpenLineage); err != nil {
			return nil, nil, err
		}
	}
	texts := parser.New(cmp.Or(s.settings.SQLCache, filepath.Join(s.settings.Data, "sql")))
	s.atClose("SQL parser", func(context.Context) error { return texts.Close() })
	cat := services.New(services.Options{
		Registry: b.registry, Store: b.observed, Shown: s.shown(b.registry, b.observed, b.searched), Now: s.past.Now, Retention: retention(s.settings.Retention), Logger: s.logger, Walks: s.settings.Walks, ReplicaOf: s.settings.Follow, ReadOnly: s.settings.ReadOnly, Alone: s.settings.Graph == config.Embedded,
		Sender: s.hookSender(build), Protect: protect, Secrets: sealer, SQL: texts, IngestionJitter: s.settings.IngestionJitter, FadingAfter: s.settings.LineageFading, Names: names, RunEvents: s.settings.RunEvents,
		Index: &follower.Index{
			Index: b.searched, Wait: s.settings.SearchWait, Damage: damageOf(b.index),
		},
	})
	known, err := s.authenticate(b.keys, cat, b.store, permits)
	return cat, known, err
}
