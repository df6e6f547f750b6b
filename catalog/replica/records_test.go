package replica_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/replica"
	"github.com/headwater-io/headwater/graphstore"
)

// keptRecords has records in their order, as a topic of Kafka has them.
type keptRecords struct {
	*catalogtest.Harness
	random  *rand.Rand
	cursor  string
	pages   int64
	records []replica.Record
}

// read adds the records of a page, and sometimes adds some of them twice.
func (k *keptRecords) read() {
	k.T.Helper()
	page, err := k.Replica.Page(context.Background(), k.cursor, 1+k.random.IntN(40), 0)
	k.Want("", err)
	k.pages++
	made, err := k.Replica.Records(context.Background(), page, replica.Origin{Catalog: "c", Term: 1, Page: k.pages})
	k.Want("", err)
	if k.random.IntN(4) == 0 {
		k.records = append(k.records, made[:k.random.IntN(len(made)+1)]...)
	}
	k.records = append(k.records, made...)
	k.cursor = page.Next
}

// compact removes records that later records replace: none of them, some at random, or all.
func (k *keptRecords) compact() {
	last := map[string]int{}
	for i := range k.records {
		last[k.records[i].Key] = i
	}
	some := k.random.IntN(3) // 0 for none, 1 for some, 2 for all
	var left []replica.Record
	for i := range k.records {
		if last[k.records[i].Key] == i || some == 0 || some == 1 && k.random.IntN(2) == 0 {
			left = append(left, k.records[i])
		}
	}
	k.records = left
}

// Page makes a page of records. Its cursor is a number of records.
func (k *keptRecords) Page(_ context.Context, from string, limit int, _ time.Duration) (*replica.Page, error) {
	at := 0
	_, _ = fmt.Sscan(from, &at) // "" stands for the beginning
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(k.records[at:min(at+limit, len(k.records))]); err != nil {
		return nil, err
	}
	var records []replica.Record // the records as a topic returns them
	if err := json.Unmarshal(text.Bytes(), &records); err != nil {
		return nil, err
	}
	for i := range records {
		records[i].Key = k.records[at+i].Key
	}
	page, n := replica.Collect(records)
	page.Next = fmt.Sprint(at + n)
	return page, nil
}

func (k *keptRecords) SeriesAfter(context.Context, string, string, *graphstore.TimeSeriesPosition) (*replica.Series, error) {
	return nil, fmt.Errorf("a record is not complete")
}

// TestRecordsAreEnough: after any random writes, the records of the log make the same catalog,
// even if replaced records are left out, and wherever the replica was killed.
func TestRecordsAreEnough(t *testing.T) {
	t.Parallel()
	eachSeed(t, func(t *testing.T, seed uint64) {
		source := catalogtest.NewHarness(t)
		c := newChaos(source, seed)
		k := &keptRecords{Harness: source, random: c.random}
		for range 150 {
			c.step()
			if c.random.IntN(5) == 0 {
				k.read()
			}
		}
		for lag := int64(1); lag > 0; {
			k.read()
			var err error
			lag, err = source.Store.Lag(context.Background(), k.cursor)
			source.Want("", err)
		}
		k.compact()
		a := &applier{Harness: replicaOn(t, catalogtest.NewHarness(t).Store.Store), source: source, pages: k, random: c.random}
		for a.cursor != fmt.Sprint(len(k.records)) {
			a.step()
		}
		a.compare(c, "from records")
	})
}
