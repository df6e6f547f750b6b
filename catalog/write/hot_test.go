package write_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
)

// hotWrites is how many writes the test of a hot dataset does;
// HEADWATER_HOT_WRITES chooses another number.
func hotWrites(t *testing.T) int64 {
	n, err := strconv.ParseInt(os.Getenv("HEADWATER_HOT_WRITES"), 10, 64)
	if err != nil {
		return 640
	}
	t.Logf("%d writes", n)
	return n
}

// TestHotDataset: all writes of 32 writers to one dataset succeed, including patches and aspects
// with edges, and the properties of the dataset get the versions 1 to k.
func TestHotDataset(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		c := services.New(services.Options{Store: store, Retention: write.Retention{}})
		defer store.Close()
		urn := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,hot.%d,PROD)", time.Now().UnixNano())
		writes := hotWrites(t)
		var next, properties atomic.Int64
		var group sync.WaitGroup
		began := time.Now()
		for range 32 {
			group.Go(func() {
				for n := next.Add(1); n <= writes; n = next.Add(1) {
					p := catalogtest.Proposal(write.Upsert, urn, "datasetProperties", fmt.Sprintf(`{"description":"%d"}`, n))
					switch n % 8 {
					case 0:
						p = catalogtest.Proposal(write.Upsert, urn, "ownership", fmt.Sprintf(`{"owners":[{"owner":"urn:li:corpuser:u%d","type":"DATAOWNER"}],"lastModified":%s}`, n%64, catalogtest.Stamp))
					case 1:
						p = catalogtest.Proposal(write.Patch, urn, "globalTags", fmt.Sprintf(`[{"op":"add","path":"/tags/urn:li:tag:t%d","value":{"tag":"urn:li:tag:t%d"}}]`, n%40, n%40))
					default:
						properties.Add(1)
					}
					if _, err := c.Ingest(context.Background(), p, catalog.WriteOptions{}); err != nil {
						t.Errorf("write %d: %v", n, err)
						return
					}
				}
			})
		}
		group.Wait()
		spent := time.Since(began)
		t.Logf("%d writes in %s, %.0f a second", writes, spent, float64(writes)/spent.Seconds())
		key := graphstore.AspectKey{URN: urn, Name: "datasetProperties"}
		seqs := map[int64]bool{}
		values := map[string]bool{}
		for start := 0; start < int(writes); start += 1000 {
			versions, err := store.AspectVersions(context.Background(), key, graphstore.Page{Start: start, Count: 1000})
			if err != nil {
				t.Fatal(err)
			}
			for i := range versions {
				seqs[versions[i].Seq], values[string(versions[i].Value)] = true, true
			}
		}
		k := properties.Load()
		if int64(len(seqs)) != k || int64(len(values)) != k || !seqs[1] || !seqs[k] {
			t.Errorf("%d versions with %d values, want the versions 1 to %d", len(seqs), len(values), k)
		}
	})
}
