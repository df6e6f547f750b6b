package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/testing/testsize"
)

const (
	behindHeader = "X-Headwater-Index-Behind"
	// noHurry is a long search wait, so that the speed of the machine does not decide the
	// test
	noHurry = "--search-wait=30s"
)

// finds searches for the n-th loadedDataset with a client that has written nothing. It
// reports whether the search finds it, and returns the header about the lag of the index.
func (s *server) finds(client *http.Client, n int) (found bool, behind string, err error) {
	status, answer, header, err := s.tryWith(client, http.MethodPost, "/entities?action=search",
		fmt.Sprintf(`{"input":"id:load.t%05d","entity":"dataset","start":0,"count":10}`, n))
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("dataset %d: %d %v", n, status, answer)
	}
	return at(answer, "value", "numEntities") == 1.0, header.Get(behindHeader), err
}

// TestSearchSeesEveryWrite: a search after an answered write finds the write, even on
// another connection. "make soak" tries a hundred thousand pairs.
func TestSearchSeesEveryWrite(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			s := start(t, append(b.flags(t), noHurry)...)
			s.awaitIndex(time.Minute) // a new index reports that it is incomplete
			const writers = 16
			pairs := testsize.Of(160, 100_000)
			reader := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: writers}, Timeout: time.Minute}
			var next, stale atomic.Int64
			var group sync.WaitGroup
			for range writers {
				group.Go(func() {
					for n := int(next.Add(1)); n <= pairs; n = int(next.Add(1)) {
						if status, answer, err := s.try(http.MethodPost, "/aspects?action=ingestProposal", loadedDataset(n)); err != nil || status != http.StatusOK {
							t.Errorf("dataset %d: %d %v %v", n, status, answer, err)
							return
						}
						found, behind, err := s.finds(reader, n)
						if err != nil {
							t.Error(err)
							return
						}
						if !found || behind != "" {
							stale.Add(1)
							t.Logf("dataset %d: found %t, behind %q", n, found, behind)
						}
					}
				})
			}
			group.Wait()
			if stale.Load() > 0 {
				t.Errorf("%d of %d searches did not find what was written before", stale.Load(), pairs)
			}
			s.stop()
		})
	}
}

// TestSearchesDuringALoad: while batches are written at full speed, no search is refused or
// starves. A search that does not find an earlier write has the header about the lag. "make
// bench" measures how long searches take.
func TestSearchesDuringALoad(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			s := start(t, append(b.flags(t), "--search-wait=200ms")...)
			s.awaitIndex(time.Minute)
			var loading sync.WaitGroup
			stop, answered := make(chan struct{}), make(chan int, 1)
			loading.Go(func() {
				n := 0
				for ; ; n += 100 {
					select {
					case <-stop:
						answered <- n
						return
					default:
					}
					if status, answer, err := s.try(http.MethodPost, "/aspects?action=ingestProposalBatch", loadedBatch(n, n+100)); err != nil || status != http.StatusOK {
						t.Errorf("batch at %d: %d %v %v", n, status, answer, err)
						answered <- n
						return
					}
				}
			})
			reader := &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
			const own = 50_000 // the loaded datasets have smaller numbers
			late := 0
			for n := range testsize.Of(15, 1000) {
				s.send(http.MethodPost, "/aspects?action=ingestProposal", loadedDataset(own+n))
				found, behind, err := s.finds(reader, own+n)
				if err != nil {
					t.Fatal(err)
				}
				if !found && behind == "" {
					t.Errorf("dataset %d is not found, and the answer does not say why", own+n)
				}
				if behind != "" {
					late++
				}
			}
			close(stop)
			loading.Wait()
			t.Logf("%d datasets were loaded, %d searches answered late", <-answered, late)
			s.awaitIndex(2 * time.Minute)
			s.stop()
		})
	}
}

// loadedBatch returns a batch with the datasets of loadedDataset.
func loadedBatch(from, to int) string {
	var items []byte
	for n := from; n < to; n++ {
		if n > from {
			items = append(items, ',')
		}
		items = fmt.Appendf(items, `{"entityType":"dataset","entityUrn":"urn:li:dataset:(urn:li:dataPlatform:hive,load.t%05d,PROD)","changeType":"UPSERT",
			"aspectName":"datasetProperties","aspect":{"value":"{\"description\":\"number %d\"}","contentType":"application/json"}}`, n, n)
	}
	return `{"proposals":[` + string(items) + `]}`
}

// TestIndexAfterKills: after a kill at any moment of a load, every answered write is
// stored, and soon after the restart the index equals the store.
func TestIndexAfterKills(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			flags := append(b.flags(t), noHurry)
			const size = 20
			next := 0
			for kill := range testsize.Of(2, 30) {
				s := start(t, flags...)
				var loading sync.WaitGroup
				var answered atomic.Int64
				loading.Go(func() {
					for n := next; ; n += size {
						status, _, err := s.try(http.MethodPost, "/aspects?action=ingestProposalBatch", loadedBatch(n, n+size))
						if err != nil || status != http.StatusOK {
							return
						}
						answered.Store(int64(n + size))
					}
				})
				time.Sleep(time.Duration(50+97*kill%400) * time.Millisecond) // the exact moment does not matter
				s.kill()
				loading.Wait()
				next = max(next, int(answered.Load())) + size // the batch in flight may be stored or not
				s = start(t, flags...)
				s.awaitIndex(time.Minute)
				for n := max(int(answered.Load())-size, 0); n < int(answered.Load()); n++ {
					if found, behind, err := s.finds(httpClient, n); err != nil || !found || behind != "" {
						t.Errorf("after kill %d dataset %d: found %t, behind %q, %v", kill, n, found, behind, err)
					}
				}
				s.sameAsStored()
				s.kill()
			}
		})
	}
}

// sameAsStored checks that the index finds as many datasets as are stored.
func (s *server) sameAsStored() {
	s.t.Helper()
	stored := at(s.action("listUrns", `{"entity":"dataset","start":0,"count":0}`), "total")
	if found := s.countDatasets(); found != stored {
		s.t.Errorf("the store has %v datasets, the index finds %v", stored, found)
	}
}
