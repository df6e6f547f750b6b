package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
)

const ada, bob = "urn:li:corpuser:ada", "urn:li:corpuser:bob"

// clock is a clock that tests set.
type clock struct{ ms atomic.Int64 }

func (c *clock) Now() time.Time          { return time.UnixMilli(c.ms.Load()) }
func (c *clock) forward(d time.Duration) { c.ms.Add(d.Milliseconds()) }

// faulty is a store whose writes of records can be made to fail.
type faulty struct {
	graphstore.Store
	down atomic.Bool
	// torn: writes succeed and report a failure.
	torn atomic.Bool
	puts atomic.Int64
	// lists counts the readings of pages.
	lists atomic.Int64
	gate  chan struct{}
}

func (f *faulty) ListRecords(ctx context.Context, begin, after string, limit int) ([]graphstore.Record, error) {
	f.lists.Add(1)
	return f.Store.ListRecords(ctx, begin, after, limit)
}

func (f *faulty) PutRecord(ctx context.Context, name string, value json.RawMessage, revision string) (string, error) {
	if f.gate != nil {
		select {
		case <-f.gate:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	if f.down.Load() {
		return "", graphstore.ErrUnavailable
	}
	f.puts.Add(1)
	next, err := f.Store.PutRecord(ctx, name, value, revision)
	if f.torn.Load() {
		return "", graphstore.ErrUnavailable
	}
	return next, err
}

func newStore(t *testing.T) *faulty {
	t.Helper()
	store, err := embedded.Open(t.Context(), embedded.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return &faulty{Store: store}
}

func newTrail(t *testing.T, store graphstore.Store, c *clock) *Service {
	t.Helper()
	return New(Options{Records: records.New(store), Now: c.Now})
}

func started() *clock {
	c := &clock{}
	c.ms.Store(1_700_000_000_000)
	return c
}

// all reads the whole trail in pages of a size.
func all(t *testing.T, s *Service, q Search) (found []Entry) {
	t.Helper()
	for range 10_000 {
		page, err := s.Search(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		if found = append(found, page.Entries...); page.Cursor == "" {
			return found
		}
		q.Cursor = page.Cursor
	}
	t.Fatal("the pages do not end")
	return nil
}

// TestStoredBeforeTheAnswer: an entry that tells of security is in the store when Note returns, so
// that another server reads it although this one is killed. An ordinary write waits.
func TestStoredBeforeTheAnswer(t *testing.T) {
	for _, kind := range Kinds() {
		store, c := newStore(t), started()
		killed, other := newTrail(t, store, c), newTrail(t, store, c)
		killed.Note(t.Context(), Entry{Kind: kind, Actor: ada, Allowed: true})
		want := 1
		if slices.Contains(ordinary, kind) {
			want = 0
		}
		if got := all(t, other, Search{}); len(got) != want || want == 1 && (got[0].Actor != ada || got[0].Kind != kind || !got[0].Allowed) {
			t.Errorf("%s: %d entries, want %d: %+v", kind, len(got), want, got)
		}
	}
}

// TestContext: members that the writer of an entry leaves empty are filled from the context of its request.
func TestContext(t *testing.T) {
	store, c := newStore(t), started()
	s := newTrail(t, store, c)
	ctx := requestinfo.WithCaller(t.Context(), requestinfo.Caller{Actor: ada, Means: requestinfo.ByToken, Credential: "t1", Impersonator: "urn:li:corpuser:eve", Stated: bob, Remote: "192.0.2.1", Admin: true})
	ctx = permission.With(ctx, permission.Everything{})
	ctx = requestinfo.WithOrigin(ctx, requestinfo.Origin{RequestID: "r1", Agent: strings.Repeat("x", limits.MaxAuditText+1), Remote: "192.0.2.9"})
	ctx, deed := requestinfo.WithDeed(ctx)
	for i := range limits.MaxAuditEntities + 2 {
		u := model.StoredURN(fmt.Sprintf("urn:li:tag:%02d", i))
		deed.Changes(u, "status", fmt.Sprintf("aspect%02d", i))
		deed.Changes(u, "status")
	}
	s.Note(ctx, Entry{Kind: Write, Allowed: true, Door: "POST /x", Status: 200})
	page, err := s.Search(ctx, Search{})
	if err != nil || len(page.Entries) != 1 {
		t.Fatalf("%+v %v", page, err)
	}
	e := page.Entries[0]
	if e.Actor != ada || e.Means != requestinfo.ByToken || e.Credential != "t1" || e.Impersonator != "urn:li:corpuser:eve" || e.Stated != bob || e.Remote != "192.0.2.1" || e.RequestID != "r1" || e.Door != "POST /x" || e.Time != c.ms.Load() {
		t.Errorf("%+v", e)
	}
	if len(e.Entities) != limits.MaxAuditEntities || e.EntityCount != limits.MaxAuditEntities+2 || len(e.Aspects) != limits.MaxAuditEntities || e.Entities[0] != "urn:li:tag:00" {
		t.Errorf("%d entities of %d, %d aspects", len(e.Entities), e.EntityCount, len(e.Aspects))
	}
	if want := strings.Repeat("x", limits.MaxAuditText) + fmt.Sprintf("… (%d bytes)", limits.MaxAuditText+1); e.Agent != want {
		t.Errorf("the user agent is %s", e.Agent)
	}
}

// TestReaders: the trail can be read by callers who manage the system, and by everybody while authentication
// is off.
func TestReaders(t *testing.T) {
	s := newTrail(t, newStore(t), started())
	for _, c := range []struct {
		caller requestinfo.Caller
		want   catalog.Code
	}{
		{requestinfo.Caller{}, ""},
		{requestinfo.Caller{Actor: ada}, ""},
		{requestinfo.Caller{Actor: ada, Means: requestinfo.ByToken}, catalog.Forbidden},
		{requestinfo.Caller{Actor: ada, Means: requestinfo.BySession, Admin: true}, ""},
	} {
		ctx := requestinfo.WithCaller(t.Context(), c.caller)
		if c.caller.Admin {
			ctx = permission.With(ctx, permission.Everything{})
		}
		_, err := s.Search(ctx, Search{})
		if err != nil != (c.want != "") || err != nil && catalog.CodeOf(err) != c.want {
			t.Errorf("%+v: %v", c.caller, err)
		}
	}
	var none *Service
	none.Note(t.Context(), Entry{Kind: SignIn})
	if _, err := none.Search(t.Context(), Search{}); catalog.CodeOf(err) != catalog.NotFound {
		t.Errorf("a server without a trail: %v", err)
	}
}

// TestMerged: two servers write groups whose times overlap. Whatever the size of the pages, a reader
// gets each entry once, the newest first.
func TestMerged(t *testing.T) {
	store, c := newStore(t), started()
	servers := []*Service{newTrail(t, store, c), newTrail(t, store, c)}
	const written = 700
	for i := range written {
		kind := Write
		if i%150 == 0 {
			kind = TokenMade
		}
		servers[i*7%3%2].Note(t.Context(), Entry{Kind: kind, Actor: []string{ada, bob}[i%2], Allowed: true, Door: fmt.Sprint(i)})
		if i%3 == 0 {
			c.forward(time.Duration(i%40) * time.Millisecond)
		}
	}
	for _, s := range servers {
		if err := s.flush(t.Context(), math.MaxInt64); err != nil {
			t.Fatal(err)
		}
	}
	if puts := store.puts.Load(); puts < 2 || puts > written/10 {
		t.Errorf("%d entries are in %d records", written, puts)
	}
	for _, limit := range []int{1, 7, 100, limits.MaxAuditPage} {
		found := all(t, servers[0], Search{Limit: limit})
		doors := map[string]bool{}
		for i := range found {
			doors[found[i].Door] = true
		}
		if len(found) != written || len(doors) != written || !slices.IsSortedFunc(found, func(a, b Entry) int { return a.place().compare(b.place()) }) {
			t.Errorf("pages of %d: %d entries, %d different", limit, len(found), len(doors))
		}
	}
	whole := all(t, servers[1], Search{Limit: limits.MaxAuditPage})
	yes, no := true, false
	from, to := whole[500].Time, whole[200].Time
	for name, q := range map[string]Search{
		"actor": {Actor: bob}, "kind": {Kinds: []Kind{TokenMade}}, "since": {Since: from}, "until": {Until: to}, "between": {Since: from, Until: to},
		"allowed": {Allowed: &yes}, "refused": {Allowed: &no}, "condition": {Keep: func(e *Entry) bool { return strings.HasSuffix(e.Door, "7") }}, "entity": {Entity: "urn:li:tag:none"},
	} {
		var want []Entry
		for i := range whole {
			if e := &whole[i]; (q.Actor == "" || e.Actor == q.Actor) && (q.Kinds == nil || e.Kind == TokenMade) && e.Time >= q.Since && (q.Until == 0 || e.Time <= q.Until) &&
				(q.Allowed == nil || *q.Allowed) && (q.Keep == nil || q.Keep(e)) && q.Entity == "" {
				want = append(want, *e)
			}
		}
		q.Limit = 20
		got := all(t, servers[0], q)
		if !slices.EqualFunc(got, want, func(a, b Entry) bool { return a.ID == b.ID }) {
			t.Errorf("%s: %d entries, want %d", name, len(got), len(want))
		}
		q.Count = true
		page, err := servers[0].Search(t.Context(), q)
		if err != nil || page.Total != len(want) {
			t.Errorf("%s: total %d, want %d: %v", name, page.Total, len(want), err)
		}
		if page.Cursor != "" {
			q.Cursor = page.Cursor
			if rest := all(t, servers[0], q); len(rest) != len(want)-q.Limit {
				t.Errorf("%s: %d entries after a page that counts, want %d", name, len(rest), len(want)-q.Limit)
			}
		}
	}
}

// TestScan: a page reads limits.MaxAuditScan records, and its cursor continues after them.
func TestScan(t *testing.T) {
	store, c := newStore(t), started()
	s := newTrail(t, store, c)
	for i := range limits.MaxAuditScan + 60 {
		c.forward(2 * time.Second)
		actor := ada
		if i == 0 {
			actor = bob
		}
		s.Note(t.Context(), Entry{Kind: SignIn, Actor: actor, Allowed: true})
	}
	page, err := s.Search(t.Context(), Search{Actor: bob})
	if err != nil || len(page.Entries) != 0 || page.Cursor == "" || page.LookedTo == 0 {
		t.Fatalf("%+v %v", page, err)
	}
	looked := (c.ms.Load() - page.LookedTo) / 2000
	if looked < limits.MaxAuditScan-2 || looked > limits.MaxAuditScan+scanPage {
		t.Errorf("the page has looked at %d entries", looked)
	}
	page, err = s.Search(t.Context(), Search{Actor: bob, Cursor: page.Cursor})
	if err != nil || len(page.Entries) != 1 || page.Cursor != "" || page.LookedTo != 0 {
		t.Errorf("%+v %v", page, err)
	}
}

// TestWrongSearches: wrong limits, times and cursors are refused.
func TestWrongSearches(t *testing.T) {
	s := newTrail(t, newStore(t), started())
	for _, q := range []Search{
		{Limit: -1}, {Limit: limits.MaxAuditPage + 1}, {Since: -1}, {Until: -1}, {Cursor: "x"}, {Cursor: "1-ABCDEFGH-1"},
	} {
		if _, err := s.Search(t.Context(), q); catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("%+v: %v", q, err)
		}
	}
	if _, err := s.Search(t.Context(), Search{Limit: limits.MaxAuditPage, Since: math.MaxInt64, Until: math.MaxInt64}); err != nil {
		t.Error(err)
	}
	if _, err := ParseKinds([]string{"signIn", "none"}); catalog.CodeOf(err) != catalog.Invalid {
		t.Error(err)
	}
	if kinds, err := ParseKinds([]string{"signIn", "lost"}); err != nil || !slices.Equal(kinds, []Kind{SignIn, Lost}) {
		t.Errorf("%v %v", kinds, err)
	}
}

// TestRefusals: equal refusals of a minute become one entry and the number of the other refusals. There are
// at most limits.MaxAuditRefusals different entries.
func TestRefusals(t *testing.T) {
	store, c := newStore(t), started()
	s := newTrail(t, store, c)
	refuse := func(remote string) {
		s.Note(t.Context(), Entry{Kind: Refused, Remote: remote, Door: "GET /x", Reason: "no token", Status: 401})
	}
	for range 50 {
		refuse("192.0.2.1")
	}
	if found := all(t, s, Search{}); len(found) != 1 || found[0].Count != 0 || found[0].Allowed {
		t.Fatalf("%+v", found)
	}
	c.forward(refusalSpan)
	refuse("192.0.2.1")
	if found := all(t, s, Search{}); len(found) != 3 || found[1].Count != 49 || found[0].Count != 0 {
		t.Fatalf("%+v", found)
	}
	c.forward(refusalSpan)
	s.settle(c.Now(), false)
	for i := range limits.MaxAuditRefusals + 5 {
		refuse(fmt.Sprintf("198.51.100.%d", i))
	}
	if n := len(s.refusals); n != limits.MaxAuditRefusals+1 {
		t.Errorf("%d different refusals are in memory", n)
	}
	if found := all(t, s, Search{Limit: limits.MaxAuditPage}); len(found) != 3+limits.MaxAuditRefusals {
		t.Errorf("%d entries", len(found))
	}
	s.settle(c.Now(), true)
	found := all(t, s, Search{})
	if e := found[0]; e.Count != 5 || e.Remote != "" || e.Kind != Refused || len(s.refusals) != 0 {
		t.Errorf("%+v", e)
	}
}

// TestStoreDown: while the store is down, entries stay in memory, up to limits.MaxAuditQueue. An
// entry tells how many are lost, and no request waits for the store after the first failure.
func TestStoreDown(t *testing.T) {
	store, c := newStore(t), started()
	s := newTrail(t, store, c)
	store.down.Store(true)
	for i := range limits.MaxAuditQueue + 3 {
		s.Note(t.Context(), Entry{Kind: SignIn, Allowed: true, Door: fmt.Sprint(i)})
	}
	if s.Lost() != 3 {
		t.Errorf("%d entries are lost, want 3", s.Lost())
	}
	c.forward(pause)
	if _, err := s.Search(t.Context(), Search{}); catalog.CodeOf(err) != catalog.Unavailable {
		t.Errorf("a search while the store is down: %v", err)
	}
	c.forward(pause)
	store.down.Store(false)
	found := all(t, s, Search{Limit: limits.MaxAuditPage})
	if len(found) != limits.MaxAuditQueue+1 || found[0].Kind != Lost || found[0].Count != 3 || found[1].Door != fmt.Sprint(limits.MaxAuditQueue-1) {
		t.Errorf("%d entries, the newest: %+v %+v", len(found), found[0], found[1])
	}
}

// TestTorn: an entry whose write reports a failure although it was stored is stored once.
func TestTorn(t *testing.T) {
	store, c := newStore(t), started()
	s := newTrail(t, store, c)
	store.torn.Store(true)
	s.Note(t.Context(), Entry{Kind: SignIn, Allowed: true})
	store.torn.Store(false)
	c.forward(pause)
	s.Note(t.Context(), Entry{Kind: SignOut, Allowed: true})
	if found := all(t, s, Search{}); len(found) != 2 || found[0].Kind != SignOut {
		t.Errorf("%+v", found)
	}
}

// TestGroups: entries that waited for the store while time went on are in records whose entries are
// not further apart than readers expect, and which are not too large.
func TestGroups(t *testing.T) {
	store, c := newStore(t), started()
	s := newTrail(t, store, c)
	long := slices.Repeat([]string{"urn:li:tag:" + strings.Repeat("x", 480)}, limits.MaxAuditEntities)
	for i := range 300 {
		e := Entry{Kind: Write, Allowed: true}
		if i >= 150 {
			e.Entities = long
		}
		s.Note(t.Context(), e)
		c.forward(50 * time.Millisecond)
	}
	if found := all(t, s, Search{}); len(found) != 300 {
		t.Fatalf("%d entries", len(found))
	}
	for record, err := range s.records.All(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		entries := record.Value.Entries
		if span := entries[len(entries)-1].Time - entries[0].Time; span > groupSpan || len(record.Text) > groupBytes+10_000 || entriesIn(record.Name) != int64(len(entries)) {
			t.Errorf("%s has %d entries over %d ms in %d bytes", record.Name, len(entries), span, len(record.Text))
		}
	}
}

// TestTrim: entries that are too old or too many are deleted, the oldest first.
func TestTrim(t *testing.T) {
	store, c := newStore(t), started()
	s := New(Options{Records: records.New(store), Now: c.Now, Entries: 70})
	if s.Age != DefaultAge {
		t.Errorf("entries are kept for %s", s.Age)
	}
	if d := New(Options{Records: records.New(store), Now: c.Now}); d.Entries != limits.MaxAuditEntries {
		t.Errorf("%d entries are kept", d.Entries)
	}
	note := func(n int) {
		for range n {
			s.Note(t.Context(), Entry{Kind: SignIn, Allowed: true})
			c.forward(time.Second)
		}
	}
	trimmed := func(want int) {
		t.Helper()
		if err := s.Trim(t.Context()); err != nil {
			t.Fatal(err)
		}
		if found := all(t, s, Search{}); len(found) != want {
			t.Errorf("%d entries, want %d", len(found), want)
		}
	}
	note(60)
	trimmed(60)
	note(11)
	trimmed(70)
	c.forward(s.Age - 10500*time.Millisecond)
	trimmed(10)
	c.forward(s.Age)
	trimmed(0)
}

// TestRun: ordinary entries are stored together in a moment, and those that wait when the server
// stops are stored too, as are the refusals that were counted.
func TestRun(t *testing.T) {
	store, c := newStore(t), started()
	s, reader := newTrail(t, store, c), newTrail(t, store, c)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	for range 40 {
		s.Note(t.Context(), Entry{Kind: Write, Allowed: true})
	}
	testclock.Await(t, "the entries are stored", func() bool { return len(all(t, reader, Search{})) == 40 })
	if puts := store.puts.Load(); puts > 10 {
		t.Errorf("40 entries are in %d records", puts)
	}
	for range 3 {
		s.Note(t.Context(), Entry{Kind: Refused, Remote: "192.0.2.1"})
	}
	s.Note(t.Context(), Entry{Kind: Write, Allowed: true})
	stop()
	running.Wait()
	found := all(t, reader, Search{})
	if len(found) != 43 || !slices.ContainsFunc(found, func(e Entry) bool { return e.Kind == Refused && e.Count == 2 }) {
		t.Errorf("%d entries after the end", len(found))
	}
}

// TestSlowStore: a request whose caller has gone still stores its entry, and concurrent ones do not
// each wait for a write of their own.
func TestSlowStore(t *testing.T) {
	store, c := newStore(t), started()
	store.gate = make(chan struct{})
	s := newTrail(t, store, c)
	gone, leave := context.WithCancel(t.Context())
	leave()
	var noting sync.WaitGroup
	for range 20 {
		noting.Go(func() { s.Note(gone, Entry{Kind: SignIn, Allowed: true}) })
	}
	testclock.Await(t, "all wait", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.noted == 20
	})
	close(store.gate)
	noting.Wait()
	if puts := store.puts.Load(); puts > 3 {
		t.Errorf("20 entries at once needed %d writes", puts)
	}
	if found := all(t, s, Search{}); len(found) != 20 {
		t.Errorf("%d entries", len(found))
	}
	if err := s.flush(gone, 21); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestKindsOfMutations: changes of people, tokens and policies have kinds of their own.
func TestKindsOfMutations(t *testing.T) {
	for name, want := range map[string]Kind{
		"createAccessToken": TokenMade, "revokeAccessToken": TokenRevoked, "createPolicy": PolicyMade, "deletePolicy": PolicyDeleted, "removeUser": UserRemoved,
		"deleteTag": Delete, "addTag": Write, "rollbackRun": Rollback,
	} {
		if got := KindOfMutation(name); got != want {
			t.Errorf("%s is a %s, want %s", name, got, want)
		}
	}
}
