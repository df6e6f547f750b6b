package batches_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/client/batches"
)

// letters makes a record of each word. In "aS", the first letter is the key and the second
// the kind, P or S. A number after them is the record's size, by default 1.
func letters(text string) func() (batches.Record[string], error) {
	words := strings.Fields(text)
	return func() (batches.Record[string], error) {
		if len(words) == 0 {
			return batches.Record[string]{}, io.EOF
		}
		word := words[0]
		words = words[1:]
		r := batches.Record[string]{Key: word[:1], Size: 1, Value: word, Skip: word[1] == '-'}
		if word[1] == 'S' {
			r.Kind = 1
		}
		if len(word) > 2 {
			fmt.Sscan(word[2:], &r.Size)
		}
		return r, nil
	}
}

// TestGrouping checks which records are sent together, one batch at a time.
func TestGrouping(t *testing.T) {
	for name, c := range map[string]struct {
		records string
		want    []string
	}{
		"nothing":                      {"", nil},
		"full batches and a rest":      {"aP bP cP dP eP", []string{"aP bP cP", "dP eP"}},
		"kinds take turns":             {"aS bP cS dP eS fP", []string{"aS cS eS", "bP dP fP"}},
		"both kinds of each entity":    {"aS aP bS bP cS cP", []string{"aS bS cS", "aP bP cP"}},
		"an entity alone":              {"aP aP aP aP aP", []string{"aP aP aP", "aP aP"}},
		"an entity alone, alternating": {"aS aP aS aP", []string{"aS", "aP", "aS", "aP"}},
		"a hot entity among others": {
			"hS aP hP bP hS cP hP dP eP fP", []string{"aP bP cP", "dP eP fP", "hS", "hP", "hS", "hP"},
		},
		"what waits joins the others": {"aS aP bS cP cS dP", []string{"cP dP", "aS bS cS", "aP"}},
		"bytes":                       {"aP4 bP4 cP4 dP1", []string{"aP4 bP4", "cP4 dP1"}},
		"an oversized record alone":   {"aP1 bP99 cP1", []string{"aP1", "bP99", "cP1"}},
		"oversized of one entity":     {"aP99 aP99 aS1", []string{"aP99", "aP99", "aS1"}},
		"refused when read":           {"a- aP b- bP", []string{"a-", "b-", "aP bP"}},
	} {
		t.Run(name, func(t *testing.T) {
			var sent []string
			err := batches.Run(context.Background(), batches.Bounds{Records: 3, Bytes: 9, InFlight: 1}, batches.Work[string]{
				Next: letters(c.records),
				Send: func(context.Context, int, []string) error { return nil },
				Sent: func(batch []string, _ int) error {
					sent = append(sent, strings.Join(batch, " "))
					return nil
				},
			})
			if err != nil || !slices.Equal(sent, c.want) {
				t.Errorf("sent %q, want %q; %v", sent, c.want, err)
			}
		})
	}
}

// load is a file of numbered records, with a log of what was sent.
type load struct {
	t       *testing.T
	bounds  batches.Bounds
	records []batches.Record[int]
	read    int

	lock    sync.Mutex
	flying  map[string]bool
	last    map[string]int
	written map[int]int
	batches int
	through int
	// overtaken counts the batches that ended before an older one.
	overtaken int
	open      []int
}

func newLoad(t *testing.T, bounds batches.Bounds, count int, make func(n int) batches.Record[int]) *load {
	l := &load{t: t, bounds: bounds, flying: map[string]bool{}, last: map[string]int{}, written: map[int]int{}}
	for n := range count {
		r := make(n)
		r.Value = n
		l.records = append(l.records, r)
	}
	return l
}

func (l *load) next() (batches.Record[int], error) {
	if l.read == len(l.records) {
		return batches.Record[int]{}, io.EOF
	}
	l.read++
	return l.records[l.read-1], nil
}

// begin checks that no record of a batch is sent before an earlier record with the same key
// is done.
func (l *load) begin(kind int, batch []int) {
	l.lock.Lock()
	defer l.lock.Unlock()
	size, own := 0, map[string]bool{}
	for _, n := range batch {
		r := l.records[n]
		size += r.Size
		if r.Kind != kind || l.flying[r.Key] {
			l.t.Errorf("record %d is sent as kind %d while records of %s are in flight: %t", n, kind, r.Key, l.flying[r.Key])
		}
		if last, ok := l.last[r.Key]; ok && last > n {
			l.t.Errorf("record %d of %s is sent after record %d", n, r.Key, last)
		}
		l.last[r.Key], own[r.Key] = n, true
	}
	for key := range own {
		l.flying[key] = true
	}
	l.batches++
	l.open = append(l.open, batch[0])
	if len(batch) > l.bounds.Records || size > l.bounds.Bytes && len(batch) > 1 {
		l.t.Errorf("a batch of %d records with %d bytes", len(batch), size)
	}
}

func (l *load) end(batch []int) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.open[0] != batch[0] {
		l.overtaken++
	}
	l.open = slices.DeleteFunc(l.open, func(n int) bool { return n == batch[0] })
	for _, n := range batch {
		delete(l.flying, l.records[n].Key)
		l.written[n]++
	}
}

// sent checks that all records up to the mark are written.
func (l *load) sent(_ []int, through int) error {
	l.lock.Lock()
	defer l.lock.Unlock()
	for ; l.through < through; l.through++ {
		if l.written[l.through] == 0 && !l.records[l.through].Skip {
			l.t.Errorf("the mark is %d, but record %d is not written", through, l.through)
		}
	}
	return nil
}

func (l *load) run(ctx context.Context, send func(ctx context.Context, batch []int) error) error {
	return batches.Run(ctx, l.bounds, batches.Work[int]{Next: l.next, Sent: l.sent, Send: func(ctx context.Context, kind int, batch []int) error {
		l.begin(kind, batch)
		err := send(ctx, batch)
		if err == nil {
			l.end(batch)
		}
		return err
	}})
}

// TestOrder sends random files to a server that answers out of order. Every record is sent
// once, records of a key stay in order, and the mark is always right.
func TestOrder(t *testing.T) {
	overtaken := 0
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		bounds := batches.Bounds{Records: 1 + random.IntN(20), Bytes: 1 + random.IntN(400), InFlight: 1 + random.IntN(6)}
		keys := 1 + random.IntN(300)
		l := newLoad(t, bounds, random.IntN(2000), func(int) batches.Record[int] {
			key := random.IntN(keys)
			if random.IntN(4) == 0 {
				key = 0 // many records have this key
			}
			return batches.Record[int]{Key: fmt.Sprint(key), Kind: random.IntN(2), Size: 1 + random.IntN(50), Skip: random.IntN(40) == 0}
		})
		if err := l.run(context.Background(), func(context.Context, []int) error {
			for range rand.IntN(30) {
				runtime.Gosched()
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		overtaken += l.overtaken
		for n, r := range l.records {
			if want := map[bool]int{false: 1}[r.Skip]; l.written[n] != want {
				t.Errorf("record %d was sent %d times, want %d", n, l.written[n], want)
			}
		}
		if l.through != len(l.records) {
			t.Errorf("the mark ends at %d of %d", l.through, len(l.records))
		}
		if t.Failed() {
			t.Fatalf("seed %d: %+v, %d records, %d keys", seed, bounds, len(l.records), keys)
		}
	}
	if overtaken == 0 {
		t.Error("no batch ended before an older one")
	}
}

// TestFullBatches: there are no more requests than full batches, and as many of them are in
// flight as permitted.
func TestFullBatches(t *testing.T) {
	bounds := batches.Bounds{Records: 100, Bytes: 1 << 20, InFlight: 4}
	for name, c := range map[string]struct {
		record func(n int) batches.Record[int]
		most   int
	}{
		"alternating kinds":          {func(n int) batches.Record[int] { return batches.Record[int]{Key: fmt.Sprint(n), Kind: n % 2} }, 50},
		"a snapshot, then proposals": {func(n int) batches.Record[int] { return batches.Record[int]{Key: fmt.Sprint(n / 5), Kind: min(n%5, 1)} }, 52},
		"a hot entity":               {func(n int) batches.Record[int] { return batches.Record[int]{Key: fmt.Sprint(n % 100), Kind: 0} }, 50},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLoad(t, bounds, 5000, c.record)
			if err := l.run(context.Background(), func(context.Context, []int) error { return nil }); err != nil || l.batches > c.most {
				t.Errorf("%d batches, want at most %d; %v", l.batches, c.most, err)
			}
		})
	}
	l := newLoad(t, bounds, 400, func(n int) batches.Record[int] { return batches.Record[int]{Key: fmt.Sprint(n)} })
	var together sync.WaitGroup
	together.Add(bounds.InFlight)
	if err := l.run(context.Background(), func(context.Context, []int) error {
		together.Done()
		together.Wait() // this hangs unless four batches are in flight
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestErrors: after an error, the batches in flight end and no other is sent. The mark does
// not pass a failed batch, even if later batches succeed.
func TestErrors(t *testing.T) {
	broken, bounds := errors.New("broken"), batches.Bounds{Records: 10, Bytes: 1 << 20, InFlight: 4}
	l := newLoad(t, bounds, 1000, func(n int) batches.Record[int] { return batches.Record[int]{Key: fmt.Sprint(n)} })
	var others sync.WaitGroup
	others.Add(3)
	err := l.run(context.Background(), func(_ context.Context, batch []int) error {
		if batch[0] == 20 {
			others.Wait()
			return broken
		}
		if batch[0] < 40 {
			others.Done()
		}
		return nil
	})
	if !errors.Is(err, broken) || l.through != 20 || len(l.written) < 30 || len(l.written) > 500 {
		t.Errorf("%v; the mark is %d, %d records were sent", err, l.through, len(l.written))
	}

	l = newLoad(t, bounds, 25, func(n int) batches.Record[int] { return batches.Record[int]{Key: fmt.Sprint(n)} })
	err = batches.Run(context.Background(), bounds, batches.Work[int]{
		Next: func() (batches.Record[int], error) {
			r, err := l.next()
			if err != nil {
				return r, broken
			}
			return r, nil
		},
		Send: func(_ context.Context, kind int, batch []int) error {
			l.begin(kind, batch)
			l.end(batch)
			return nil
		},
		Sent: l.sent,
	})
	if !errors.Is(err, broken) || l.through != 25 {
		t.Errorf("a damaged file: %v; the mark is %d", err, l.through)
	}

	err = batches.Run(context.Background(), bounds, batches.Work[string]{
		Next: letters("aP bP"), Send: func(context.Context, int, []string) error { panic("no") }, Sent: func([]string, int) error { return nil },
	})
	if err == nil || !strings.Contains(err.Error(), "panic: no") {
		t.Errorf("a panic: %v", err)
	}
}

// TestInterrupted: an interruption ends a run, even one that waits for its input.
func TestInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	input, never := 0, make(chan struct{})
	defer close(never)
	err := batches.Run(ctx, batches.Bounds{Records: 1, Bytes: 9, InFlight: 2}, batches.Work[int]{
		Next: func() (batches.Record[int], error) {
			if input++; input > 1 {
				<-never
			}
			return batches.Record[int]{Key: "a"}, nil
		},
		Send: func(ctx context.Context, _ int, _ []int) error {
			interrupt()
			<-ctx.Done()
			return ctx.Err()
		},
		Sent: func([]int, int) error { return nil },
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
