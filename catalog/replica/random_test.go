package replica_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/replica"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
	"github.com/headwater-io/headwater/model"
)

// chaos makes random writes of all kinds to a few entities.
type chaos struct {
	*catalogtest.Harness
	random *rand.Rand
	name   string
	urns   []string
	// exports has lines of earlier exports, to be imported again.
	exports []string
}

func newChaos(h *catalogtest.Harness, seed uint64) *chaos {
	c := &chaos{Harness: h, random: rand.New(rand.NewPCG(seed, 1)), name: fmt.Sprintf("%x", seed)}
	for i := range 6 {
		c.urns = append(c.urns, fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,%s.t%d,PROD)", c.name, i))
	}
	return c
}

func (c *chaos) urn() string { return c.urns[c.random.IntN(len(c.urns))] }
func (c *chaos) run() string { return fmt.Sprintf("run%d-%s", c.random.IntN(4), c.name) }

// aspects are the versioned aspects of the entities.
var aspects = []string{"datasetProperties", "upstreamLineage", "globalTags", "status", "ownership", "structuredProperties", "deprecation", "datasetDeprecation"}

func (c *chaos) value(aspect string) string {
	n := c.random.IntN(3)
	switch aspect {
	case "datasetProperties":
		return fmt.Sprintf(`{"name":"n%d","description":"<b> & %d"}`, n, c.random.IntN(3))
	case "upstreamLineage":
		from, column := c.urn(), c.random.IntN(3)
		if n == 0 {
			return `{"upstreams":[]}`
		}
		return fmt.Sprintf(`{"upstreams":[{"dataset":"%s","type":"TRANSFORMED","auditStamp":{"time":%d,"actor":"urn:li:corpuser:ada"}}],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","downstreamType":"FIELD","upstreams":["urn:li:schemaField:(%s,c%d)"],"downstreams":["urn:li:schemaField:(%s,d)"]}]}`,
			from, c.random.IntN(3), from, column, c.urn())
	case "globalTags":
		return fmt.Sprintf(`{"tags":[{"tag":"urn:li:tag:t%d"},{"tag":"urn:li:tag:u%d"}]}`, n, c.random.IntN(3))
	case "ownership":
		return fmt.Sprintf(`{"owners":[{"owner":"urn:li:corpuser:u%d","type":"DATAOWNER"}],"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}`, n)
	case "deprecation", "datasetDeprecation": // both aspects set the same property of the node
		return fmt.Sprintf(`{"deprecated":%t,"note":"n","actor":"urn:li:corpuser:ada"}`, n == 0)
	case "structuredProperties":
		return fmt.Sprintf(`{"properties":[{"propertyUrn":"urn:li:structuredProperty:io.acme.p","values":[{"string":"v%d"}]}]}`, n)
	}
	return fmt.Sprintf(`{"removed":%t}`, n == 0)
}

// fits accepts refusals that depend on earlier writes.
func (c *chaos) fits(err error) {
	c.T.Helper()
	if err != nil && catalog.CodeOf(err) == catalog.Internal {
		c.T.Error(err)
	}
}

// step makes one random write.
func (c *chaos) step() {
	c.T.Helper()
	ctx, urn := context.Background(), c.urn()
	options := catalog.WriteOptions{Actor: fmt.Sprintf("urn:li:corpuser:a%d", c.random.IntN(3))}
	switch n := c.random.IntN(100); {
	case n < 50:
		aspect := aspects[c.random.IntN(len(aspects))]
		p := catalogtest.InRun(c.run(), urn, aspect, c.value(aspect))
		p.System.LastObserved = c.random.Int64N(1000)
		_, err := c.Ingest(ctx, p, options)
		c.fits(err)
	case n < 56:
		p := catalogtest.InRun(c.run(), urn, "globalTags", fmt.Sprintf(`[{"op":"add","path":"/tags/urn:li:tag:x%d","value":{"tag":"urn:li:tag:x%d"}}]`, n, n))
		p.ChangeType, p.Aspect.ContentType = write.Patch, "application/json-patch+json"
		_, err := c.Ingest(ctx, p, options)
		c.fits(err)
	case n < 64:
		p := catalogtest.InRun("", urn, aspects[c.random.IntN(len(aspects))], "")
		p.ChangeType, p.Aspect = write.Delete, nil
		_, err := c.Ingest(ctx, p, options)
		c.fits(err)
	case n < 67:
		_, err := c.Removal.Delete(ctx, catalogtest.URN(urn), false, options)
		c.fits(err)
	case n < 70:
		_, err := c.MarkRemoved(ctx, []model.URN{catalogtest.URN(urn)}, write.Mark{Removed: n == 67}, options)
		c.fits(err)
	case n < 82:
		for range 1 + c.random.IntN(5) {
			_, err := c.Ingest(ctx, catalogtest.InRun(c.run(), urn, "datasetProfile", fmt.Sprintf(`{"timestampMillis":%d,"rowCount":%d,"partitionSpec":{"partition":"p%d","type":"PARTITION"}}`,
				1+c.random.IntN(20), c.random.IntN(100), c.random.IntN(3))), options)
			c.fits(err)
		}
	case n < 85:
		from := int64(1 + c.random.IntN(20))
		c.fits(c.DeleteValues(ctx, graphstore.TimeSeriesRange{URN: urn, Aspect: "datasetProfile", From: from, To: from + 5}, options.Actor))
	case n < 91:
		_, err := c.Removal.Rollback(ctx, removal.RollbackRequest{Origin: catalogtest.OfRun(c.run()), Hard: n < 87, Limit: c.random.IntN(20)}, options)
		c.fits(err)
	case n < 94:
		_, err := c.Removal.DeleteReferences(ctx, catalogtest.URN(urn), false, options)
		c.fits(err)
	case n < 96:
		c.exports = c.Exported()
	default:
		c.importAgain(options)
	}
}

// importAgain imports some lines of an earlier export.
func (c *chaos) importAgain(options catalog.WriteOptions) {
	i := c.Transfer.NewImport(transfer.ImportOptions{Replace: c.random.IntN(2) == 0}, options)
	for _, text := range c.exports {
		var line transfer.ExportLine
		c.Want("", json.Unmarshal([]byte(text), &line))
		if c.random.IntN(2) == 0 {
			c.fits(i.Add(context.Background(), &line))
		}
	}
	_, err := i.Finish(context.Background())
	c.fits(err)
}

// rollbackRecords returns the versions and records that rollbacks store and exports leave out.
func rollbackRecords(h *catalogtest.Harness, urns []string) string {
	h.T.Helper()
	var all []graphstore.TimeSeriesValue
	for _, urn := range append([]string{"urn:li:dataHubUpgrade:headwater-rollbacks"}, urns...) {
		for _, aspect := range []string{catalog.RolledBackSeries, catalog.RollbacksSeries} {
			values, err := h.Store.TimeSeries(context.Background(), graphstore.TimeSeriesQuery{URN: urn, Aspect: aspect, Limit: 1000})
			h.Want("", err)
			all = append(all, values...)
		}
	}
	return catalogtest.MustJSON(h.T, all)
}

func nodes(h *catalogtest.Harness, urns []string) []graphstore.Entity {
	h.T.Helper()
	found, err := h.Store.Entities(context.Background(), urns)
	h.Want("", err)
	existing := found[:0]
	for _, n := range found {
		if n.Exists {
			existing = append(existing, n)
		}
	}
	return existing
}

// replicaOn returns an empty replica.
func replicaOn(t *testing.T, store graphstore.Store) *catalogtest.Harness {
	f := &catalogtest.Faulty{Store: store}
	return &catalogtest.Harness{Services: services.New(services.Options{Store: f, Now: testclock.Now, ReplicaOf: "http://source"}), T: t, Store: f}
}

// applier applies pages, and sometimes dies: at a random transaction, or before the cursor is
// saved.
type applier struct {
	*catalogtest.Harness
	source *catalogtest.Harness
	// pages is the Source from which the replica gets pages. If pages is nil, the replica gets
	// pages from source.
	pages  replica.Source
	random *rand.Rand
	cursor string
}

var errKilled = fmt.Errorf("killed")

func (a *applier) step() {
	a.T.Helper()
	a.Store.FailUpdateAt, a.Store.FailCommitAt = 0, 0
	switch a.random.IntN(4) {
	case 0:
		a.Store.FailCommitAt = a.Store.Updates.Load() + 1 + a.random.Int64N(3)
	case 1:
		a.Store.FailUpdateAt = a.Store.Updates.Load() + 1 + a.random.Int64N(3)
	}
	moved, pages := a.cursor, a.pages
	if pages == nil {
		pages = a.source.Replica
	}
	err := a.Replica.Step(context.Background(), pages, &moved, 1+a.random.IntN(40), 0, func() error {
		if a.random.IntN(4) == 0 {
			return errKilled
		}
		return nil
	})
	switch {
	case err == nil:
		a.cursor = moved
	case err == errKilled, catalog.CodeOf(err) == catalog.Unavailable: //nolint:errorlint // errKilled is an error of this test
	default:
		a.T.Fatal(err)
	}
	a.Store.FailUpdateAt, a.Store.FailCommitAt = 0, 0
}

// isLevel asks the store, because Page also makes a page if there are no changes.
func (a *applier) isLevel() bool {
	a.T.Helper()
	lag, err := a.source.Store.Lag(context.Background(), a.cursor)
	if errors.Is(err, graphstore.ErrBadCursor) && strings.HasPrefix(a.cursor, "snapshot.") {
		return false
	}
	a.Want("", err)
	return lag == 0
}

// level applies pages until no change is left.
func (a *applier) level() {
	a.T.Helper()
	for !a.isLevel() {
		a.step()
	}
}

// compare fails unless the replica equals its source.
func (a *applier) compare(c *chaos, when string) {
	a.T.Helper()
	if diff := cmp.Diff(c.Exported(), a.Exported()); diff != "" {
		a.T.Fatalf("%s: exports (-source +replica):\n%s", when, diff)
	}
	if diff := cmp.Diff(rollbackRecords(c.Harness, c.urns), rollbackRecords(a.Harness, c.urns)); diff != "" {
		a.T.Fatalf("%s: what rollbacks kept (-source +replica):\n%s", when, diff)
	}
	if diff := cmp.Diff(nodes(c.Harness, c.urns), nodes(a.Harness, c.urns)); diff != "" {
		a.T.Fatalf("%s: nodes (-source +replica):\n%s", when, diff)
	}
}

// TestRandomWritesAreRepeated: after any random writes, and wherever the replica was killed, a
// replica that is level equals its source. A replica of this replica equals the source too.
func TestRandomWritesAreRepeated(t *testing.T) {
	t.Parallel()
	// With the two seeds, a key was once written after the aspect that overrides it.
	eachSeed(t, func(t *testing.T, seed uint64) { repeatRandom(t, seed, 8, 25) }, 1795400548190459478, 1795400591991536420)
}

// eachSeed runs a test with the given seeds, and with new seeds.
func eachSeed(t *testing.T, test func(t *testing.T, seed uint64), seeds ...uint64) {
	first := testseed.Of(t)
	for n := range testsize.Of(3, 60) {
		seeds = append(seeds, first+uint64(n))
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { test(t, seed) })
	}
}

var fewVersions = write.Retention{{Entity: write.Any, Aspect: write.Any}: 2}

func repeatRandom(t *testing.T, seed uint64, rounds, steps int) {
	source := catalogtest.NewHarness(t)
	if seed%2 == 0 { // half of the seeds prune versions before the replica reads them
		source.Services = services.New(services.Options{Store: source.Store, Now: testclock.Now, Retention: fewVersions})
	}
	c := newChaos(source, seed)
	first := &applier{Harness: replicaOn(t, catalogtest.NewHarness(t).Store.Store), source: source, random: c.random}
	second := &applier{Harness: replicaOn(t, catalogtest.NewHarness(t).Store.Store), source: first.Harness, random: c.random}
	for round := range rounds {
		for range steps {
			c.step()
			if c.random.IntN(4) == 0 {
				first.step()
			}
			if c.random.IntN(8) == 0 {
				second.step()
			}
		}
		first.level()
		first.compare(c, fmt.Sprintf("round %d", round))
		if round%3 == 2 {
			second.level()
			second.compare(c, fmt.Sprintf("round %d, the replica of the replica", round))
		}
	}
}
