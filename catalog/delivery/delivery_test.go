package delivery_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// receiver records the changes that it gets, and fails when it is told to.
type receiver struct {
	mu   sync.Mutex
	got  []string
	fail atomic.Bool
}

var errAway = errors.New("the receiver is away")

func (r *receiver) deliver(_ context.Context, changes []catalog.Change) error {
	if r.fail.Load() {
		return errAway
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range changes {
		var value struct{ Description string }
		if err := json.Unmarshal(changes[i].Value, &value); err == nil && changes[i].Aspect == "datasetProperties" {
			r.got = append(r.got, value.Description)
		}
	}
	return nil
}

func (r *receiver) received() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

func (r *receiver) await(t *testing.T, n int) {
	t.Helper()
	testclock.Await(t, fmt.Sprintf("%d changes", n), func() bool { return len(r.received()) >= n })
}

// server is a Service with its worker.
type server struct {
	*delivery.Service
	stop  context.CancelFunc
	ended chan struct{}
	// err is the result of the worker.
	err error
}

func serve(h *catalogtest.Harness, store graphstore.Store, alone bool, w delivery.Worker) *server {
	h.T.Helper()
	return serveWith(h, store, alone, 400*time.Millisecond, w)
}

func serveWith(h *catalogtest.Harness, store graphstore.Store, alone bool, lease time.Duration, w delivery.Worker) *server {
	h.T.Helper()
	s := &server{Service: delivery.New(delivery.Options{
		Log: h.Log, Store: store, Records: records.New(store), Logger: slog.New(slog.DiscardHandler), Now: testclock.Now, Alone: alone, Lease: lease,
	}), ended: make(chan struct{})}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	go func() {
		defer close(s.ended)
		s.err = s.Run(ctx, w)
	}()
	h.T.Cleanup(s.end)
	return s
}

func (s *server) end() {
	s.stop()
	<-s.ended
}

// write writes the descriptions from … to-1, in turn to a few tables.
func write(h *catalogtest.Harness, from, to int) {
	h.T.Helper()
	for i := from; i < to; i++ {
		h.Put("", "UPSERT", catalogtest.Dataset("hive", fmt.Sprintf("db.t%d", i%3), "PROD"), "datasetProperties", fmt.Sprintf(`{"description":"%d"}`, i))
	}
}

func numbers(from, to int) []string {
	all := []string{}
	for i := from; i < to; i++ {
		all = append(all, fmt.Sprint(i))
	}
	return all
}

func want(t *testing.T, what string, got, wanted []string) {
	t.Helper()
	if !slices.Equal(got, wanted) {
		t.Errorf("%s: %v, want %v", what, got, wanted)
	}
}

func TestDelivery(t *testing.T) {
	h, r := catalogtest.NewHarness(t), &receiver{}
	write(h, 0, 5)
	w := delivery.Worker{Name: "kafka", Page: 2, Deliver: r.deliver}
	first := serve(h, h.Store, true, w)
	r.await(t, 5)
	write(h, 5, 12)
	r.await(t, 12)
	first.end()
	want(t, "in order", r.received(), numbers(0, 12))

	write(h, 12, 15)
	second := serve(h, h.Store, true, w)
	r.await(t, 15)
	second.end()
	want(t, "nothing again after the server stopped", r.received(), numbers(0, 15))
	known, err := second.Followers(context.Background())
	if err != nil || len(known) != 1 || known[0].Name != "kafka" || known[0].Lag != 0 || known[0].State != delivery.StateWaiting {
		t.Errorf("followers %+v (%v)", known, err)
	}
}

func TestFromNow(t *testing.T) {
	h, r := catalogtest.NewHarness(t), &receiver{}
	write(h, 0, 5)
	s := serve(h, h.Store, true, delivery.Worker{Name: "hook", Start: delivery.Now, Deliver: r.deliver})
	testclock.Await(t, "the follower", func() bool {
		known, err := s.Followers(context.Background())
		return err == nil && len(known) == 1
	})
	write(h, 5, 8)
	r.await(t, 3)
	want(t, "only what came later", r.received(), numbers(5, 8))
}

func TestFailuresAreRepeated(t *testing.T) {
	h, r := catalogtest.NewHarness(t), &receiver{}
	r.fail.Store(true)
	write(h, 0, 4)
	s := serve(h, h.Store, true, delivery.Worker{Name: "hook", Deliver: r.deliver})
	failing := func() bool {
		known, err := s.Followers(context.Background())
		return err == nil && len(known) == 1 && known[0].State == delivery.StateFailing && known[0].Failure == errAway.Error() && known[0].Lag > 0
	}
	testclock.Await(t, "the failure is told", failing)
	r.fail.Store(false)
	r.await(t, 4)
	want(t, "all in order", r.received(), numbers(0, 4))
	testclock.Await(t, "the failure is over", func() bool { return !failing() })
}

// TestWants: changes that do not matter are passed over.
func TestWants(t *testing.T) {
	h, r := catalogtest.NewHarness(t), &receiver{}
	write(h, 0, 9)
	h.Say(catalogtest.Ada, "corpUserInfo", `{"active":true,"displayName":"Ada"}`)
	write(h, 9, 10)
	var unwanted atomic.Int64
	s := serve(h, h.Store, true, delivery.Worker{Name: "feed", Page: 2, Deliver: r.deliver, Wants: func(_ context.Context, heads []catalog.ChangeHead) (bool, error) {
		if slices.ContainsFunc(heads, func(h catalog.ChangeHead) bool { return h.URN == catalogtest.Dataset("hive", "db.t0", "PROD") }) {
			return true, nil
		}
		unwanted.Add(int64(len(heads)))
		return false, nil
	}})
	r.await(t, 4)
	testclock.Await(t, "the end of the log", func() bool {
		known, err := s.Followers(context.Background())
		return err == nil && len(known) == 1 && known[0].Lag == 0 && known[0].Delivered == int64(len(h.Logged()))
	})
	for _, of := range numbers(0, 10) {
		if of == "0" || of == "3" || of == "6" || of == "9" {
			if !slices.Contains(r.received(), of) {
				t.Errorf("%s was not delivered: %v", of, r.received())
			}
		}
	}
	if unwanted.Load() == 0 {
		t.Error("nothing was passed")
	}
}

// TestPreparesAhead: changes are prepared, in order, while the changes before them are
// delivered. A preparation that fails is repeated.
func TestPreparesAhead(t *testing.T) {
	h, r := catalogtest.NewHarness(t), &receiver{}
	write(h, 0, 6)
	var prepared, failures atomic.Int64
	ahead := make(chan struct{})
	serve(h, h.Store, true, delivery.Worker{Name: "kafka", Page: 1, Prepare: func(_ context.Context, changes []catalog.Change) (delivery.Sending, error) {
		if n := prepared.Add(1); n == 2 {
			close(ahead)
		} else if n == 4 || n == 5 {
			failures.Add(1)
			return nil, errAway
		}
		return func(ctx context.Context) func() error {
			return func() error {
				select {
				case <-ahead: // the first delivery waits until the second one is prepared
				case <-ctx.Done():
					return ctx.Err()
				}
				return r.deliver(ctx, changes)
			}
		}, nil
	}})
	r.await(t, 6)
	want(t, "in order", r.received(), numbers(0, 6))
	if failures.Load() != 2 {
		t.Errorf("%d failures", failures.Load())
	}
}

// TestSendsTogether: several full pages are sent together, in order, as long as that succeeds.
// If a page fails, this page and the pages sent with it are delivered again, one page at a
// time.
func TestSendsTogether(t *testing.T) {
	h := catalogtest.NewHarness(t)
	write(h, 0, 3) // also writes the other aspects of the tables
	start, err := h.Store.EndCursor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	write(h, 3, 60)
	var (
		mu             sync.Mutex
		underWay, most int
		failed         bool
		sent           []string
		done           = make(chan struct{})
	)
	serve(h, h.Store, true, delivery.Worker{Name: "kafka", Start: start, Page: 1, Prepare: func(_ context.Context, changes []catalog.Change) (delivery.Sending, error) {
		var value struct{ Description string }
		if err := json.Unmarshal(changes[0].Value, &value); err != nil {
			return nil, err
		}
		name := value.Description
		return func(context.Context) func() error {
			mu.Lock()
			defer mu.Unlock()
			underWay++
			most = max(most, underWay)
			sent = append(sent, name)
			return func() error {
				mu.Lock()
				defer mu.Unlock()
				underWay--
				if !failed && most > 2 && underWay == 1 { // the failing page is the last but one of several pages
					failed = true
					sent = append(sent, "failure of "+name)
					return errAway
				}
				if name == "59" && underWay == 0 {
					close(done)
				}
				return nil
			}
		}, nil
	}})
	select {
	case <-done:
	case <-time.After(catalogtest.Patience):
		t.Fatal("not all was delivered")
	}
	mu.Lock()
	defer mu.Unlock()
	at := slices.IndexFunc(sent, func(s string) bool { return strings.HasPrefix(s, "failure") })
	if most < 3 || most > 4 || at < 0 {
		t.Fatalf("%d at most, failure at %d", most, at)
	}
	number := strings.TrimPrefix(sent[at], "failure of ")
	n, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "before the failure", sent[:at], numbers(3, n+2))
	want(t, "after it", sent[at+1:], numbers(n, 60))
}

// TestKeepVersions: while a follower receives nothing, no version is deleted, so that the
// follower can receive all values later.
func TestKeepVersions(t *testing.T) {
	h, r := catalogtest.NewHarness(t), &receiver{}
	urn := catalogtest.Dataset("hive", "db.t", "PROD")
	say := func(from, to int) {
		for i := from; i < to; i++ {
			h.Say(urn, "datasetProperties", fmt.Sprintf(`{"description":"%d"}`, i))
		}
	}
	versions := func() int {
		n := 0
		for version := range int64(70) {
			if h.Value(urn, "datasetProperties", version) != "" {
				n++
			}
		}
		return n
	}
	r.fail.Store(true)
	s := serve(h, h.Store, true, delivery.Worker{Name: "kafka", Deliver: r.deliver})
	var held atomic.Bool
	ctx, stop := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() {
		s.KeepVersions(ctx, func(hold bool) {
			h.HoldVersions(hold)
			held.Store(hold)
		})
	})
	t.Cleanup(func() {
		stop()
		watching.Wait()
	})
	say(0, 1)
	testclock.Await(t, "a follower is behind", held.Load)
	say(1, 60)
	r.fail.Store(false)
	r.await(t, 60)
	want(t, "all values", r.received(), numbers(0, 60))
	testclock.Await(t, "no follower is behind", func() bool { return !held.Load() })
	say(60, 61)
	r.await(t, 61)
	if n := versions(); n != 21 {
		t.Errorf("%d versions are kept", n)
	}
}

// TestPanics: a panic of a worker does not stop the server, and the worker gets the changes
// again.
func TestPanics(t *testing.T) {
	h, r := catalogtest.NewHarness(t), &receiver{}
	var once sync.Once
	write(h, 0, 2)
	serve(h, h.Store, true, delivery.Worker{Name: "hook", Deliver: func(ctx context.Context, changes []catalog.Change) error {
		once.Do(func() { panic("a mistake") })
		return r.deliver(ctx, changes)
	}})
	r.await(t, 2)
}

func TestRemoval(t *testing.T) {
	h, r := catalogtest.NewHarness(t), &receiver{}
	write(h, 0, 2)
	s := serve(h, h.Store, true, delivery.Worker{Name: "kafka", Deliver: r.deliver})
	r.await(t, 2)
	err := s.Remove(context.Background(), "kafca")
	h.Want(catalog.NotFound, err)
	h.Want("", s.Remove(context.Background(), "kafka"))
	write(h, 2, 4) // the worker notices the removal when it saves
	if <-s.ended; !errors.Is(s.err, delivery.ErrRemoved) {
		t.Errorf("the worker ended with %v", s.err)
	}
	if known, err := s.Followers(context.Background()); err != nil || len(known) != 0 {
		t.Errorf("followers %+v (%v)", known, err)
	}
}

// TestTermsGrow: a follower that was removed and registered again has a higher term, even if
// the clock was set back.
func TestTermsGrow(t *testing.T) {
	h := catalogtest.NewHarness(t)
	write(h, 0, 1)
	var last int64
	for i, ahead := range []time.Duration{time.Hour, 0, time.Minute, -time.Hour} {
		s := delivery.New(delivery.Options{
			Log: h.Log, Store: h.Store, Records: records.New(h.Store), Logger: slog.New(slog.DiscardHandler), Alone: true, Lease: 400 * time.Millisecond,
			Now: func() time.Time { return testclock.Now().Add(ahead) },
		})
		terms := make(chan int64, 1)
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error)
		go func() {
			ended <- s.Run(ctx, delivery.Worker{Name: "kafka-replicas", Read: func(ctx context.Context, after delivery.Position, _ int, _ time.Duration) (delivery.Batch, error) {
				select {
				case terms <- after.Term:
				default:
				}
				<-ctx.Done()
				return delivery.Batch{}, ctx.Err()
			}})
		}()
		term := <-terms
		stop()
		<-ended
		if term <= last {
			t.Errorf("life %d has the term %d, the one before had %d", i, term, last)
		}
		last = term
		h.Want("", s.Remove(context.Background(), "kafka-replicas"))
	}
}

// TestOneDelivers: of two servers, one server delivers. When that server stops, the other
// server continues from there.
func TestOneDelivers(t *testing.T) {
	h := catalogtest.NewHarness(t)
	var r receiver
	w := delivery.Worker{Name: "kafka", Page: 1, Deliver: r.deliver}
	const lease = 5 * time.Second // longer than a busy machine may be silent
	first := serveWith(h, h.Store, false, lease, w)
	write(h, 0, 3)
	r.await(t, 3)
	serveWith(h, h.Store, false, lease, w)
	write(h, 3, 9)
	r.await(t, 9)
	first.end()
	write(h, 9, 12)
	r.await(t, 12)
	want(t, "each once", r.received(), numbers(0, 12))
}

// cutOff is a store that a server can no longer reach once cut is set.
type cutOff struct {
	graphstore.Store
	cut atomic.Bool
}

func (c *cutOff) PutRecord(ctx context.Context, name string, value json.RawMessage, revision string) (string, error) {
	if c.cut.Load() {
		return "", graphstore.ErrUnavailable
	}
	return c.Store.PutRecord(ctx, name, value, revision)
}

func (c *cutOff) DeleteRecord(ctx context.Context, name, revision string) error {
	if c.cut.Load() {
		return graphstore.ErrUnavailable
	}
	return c.Store.DeleteRecord(ctx, name, revision)
}

// TestTakeOver: a server that cannot reach the store stops delivering, and another server takes
// over. When the first server can reach the store again, it does not move the cursor.
func TestTakeOver(t *testing.T) {
	h := catalogtest.NewHarness(t)
	store := &cutOff{Store: h.Store}
	var one, two receiver
	var ended atomic.Bool
	serve(h, store, false, delivery.Worker{Name: "kafka", Deliver: func(ctx context.Context, changes []catalog.Change) error {
		if store.cut.Load() { // the delivery hangs, as a broker may
			<-ctx.Done()
			ended.Store(true)
			return ctx.Err()
		}
		return one.deliver(ctx, changes)
	}})
	write(h, 0, 3)
	one.await(t, 3)
	serve(h, h.Store, false, delivery.Worker{Name: "kafka", Deliver: two.deliver})
	store.cut.Store(true)
	write(h, 3, 6)
	testclock.Await(t, "the other server delivers the newest", func() bool { return slices.Contains(two.received(), "5") })
	testclock.Await(t, "the first server stops delivering", ended.Load)
	store.cut.Store(false)
	write(h, 6, 9)
	testclock.Await(t, "the other server goes on", func() bool { return slices.Contains(two.received(), "8") })
	want(t, "the first server gets nothing more", one.received(), numbers(0, 3))
	wantNoGap(t, two.received())
}

// wantNoGap checks that each change came after all changes before it. Changes may be repeated.
func wantNoGap(t *testing.T, got []string) {
	t.Helper()
	next := 0
	for _, text := range got {
		n, err := strconv.Atoi(text)
		if err != nil || n > next {
			t.Fatalf("%s came before %d: %v", text, next, got)
		}
		next = max(next, n+1)
	}
}

// TestDeliveredLate: a frozen server delivers a page after another server has taken over. All
// changes after that page are then delivered again.
func TestDeliveredLate(t *testing.T) {
	h := catalogtest.NewHarness(t)
	store := &cutOff{Store: h.Store}
	var r receiver
	frozen, thaw, late := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var once sync.Once
	serve(h, store, false, delivery.Worker{Name: "kafka", Deliver: func(ctx context.Context, changes []catalog.Change) error {
		if store.cut.Load() {
			once.Do(func() { close(frozen); <-thaw; defer close(late) })
		}
		return r.deliver(ctx, changes)
	}})
	write(h, 0, 3)
	r.await(t, 3)
	store.cut.Store(true) // a server that is cut off cannot renew its lease
	write(h, 3, 6)
	<-frozen
	serve(h, h.Store, false, delivery.Worker{Name: "kafka", Deliver: r.deliver})
	has := func(text string) func() bool {
		return func() bool { return slices.Contains(r.received(), text) }
	}
	testclock.Await(t, "the other server delivers", has("5"))
	write(h, 6, 9)
	testclock.Await(t, "the other server goes on", has("8"))
	store.cut.Store(false)
	close(thaw)
	<-late
	testclock.Await(t, "the newest comes last again", func() bool {
		got := r.received()
		newest := map[string]string{}
		for _, text := range got {
			n, _ := strconv.Atoi(text)
			newest[fmt.Sprint(n%3)] = text
		}
		return slices.Contains(got[slices.Index(got, "8")+1:], "3") && newest["0"] == "6" && newest["1"] == "7" && newest["2"] == "8"
	})
	wantNoGap(t, r.received())
}

// TestTrim: Trim keeps changes that a follower has not received yet, and changes that are not
// old.
func TestTrim(t *testing.T) {
	h := catalogtest.NewHarness(t)
	var got, never receiver
	never.fail.Store(true)
	write(h, 0, 6)
	s := serve(h, h.Store, true, delivery.Worker{Name: "kafka", Deliver: got.deliver})
	got.await(t, 6)
	behind := serve(h, h.Store, true, delivery.Worker{Name: "hook", Deliver: never.deliver})
	testclock.Await(t, "the second follower", func() bool {
		known, err := behind.Followers(context.Background())
		return err == nil && len(known) == 2
	})
	testclock.Forward(time.Hour)
	trim := func(r delivery.LogRetention) int64 {
		t.Helper()
		n, err := s.Trim(context.Background(), h.Store, r)
		h.Want("", err)
		return n
	}
	if n := trim(delivery.LogRetention{Age: time.Minute}); n != 0 {
		t.Errorf("%d changes were deleted that a follower needs", n)
	}
	behind.end()
	h.Want("", s.Remove(context.Background(), "hook"))
	s.end() // the worker saves its position
	if n := trim(delivery.LogRetention{Age: 2 * time.Hour}); n != 0 {
		t.Errorf("%d young changes were deleted", n)
	}
	if n := trim(delivery.LogRetention{}); n != 0 {
		t.Errorf("%d changes were deleted without a retention", n)
	}
	if n := trim(delivery.LogRetention{Age: time.Minute}); n == 0 {
		t.Error("nothing was deleted")
	}
	write(h, 6, 8)
	successor := serve(h, h.Store, true, delivery.Worker{Name: "kafka", Deliver: got.deliver})
	got.await(t, 8)
	successor.end()
	want(t, "nothing is missing", got.received(), numbers(0, 8))
}
