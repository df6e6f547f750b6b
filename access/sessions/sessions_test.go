package sessions_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/sessions"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

const bela = "urn:li:corpuser:bela"

// countingStore counts reads and writes of records.
type countingStore struct {
	graphstore.Records
	reads, writes atomic.Int64
	fail          error
	// afterRead, if set, is called between a read and its answer.
	afterRead func()
}

func (c *countingStore) Record(ctx context.Context, name string) (graphstore.Record, bool, error) {
	if c.fail != nil {
		return graphstore.Record{}, false, c.fail
	}
	c.reads.Add(1)
	r, found, err := c.Records.Record(ctx, name)
	if c.afterRead != nil {
		c.afterRead()
	}
	return r, found, err
}

func (c *countingStore) PutRecord(ctx context.Context, name string, value json.RawMessage, revision string) (string, error) {
	c.writes.Add(1)
	return c.Records.PutRecord(ctx, name, value, revision)
}

// world has the sessions of two servers over one store, with a clock of their own.
type world struct {
	*testing.T
	one, two *sessions.Service
	store    *countingStore
	now      time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, now: time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC), store: &countingStore{Records: catalogtest.NewHarness(t).Store}}
	serve := func() *sessions.Service {
		return sessions.New(sessions.Options{Records: records.New(w.store), Now: func() time.Time { return w.now }})
	}
	w.one, w.two = serve(), serve()
	return w
}

func (w *world) begin(actor string) (secret string, s sessions.Session) {
	w.Helper()
	secret, s, err := w.one.Begin(w.Context(), sessions.SignedIn{Actor: actor, By: "password", Remote: "192.0.2.1", Agent: "test"})
	if err != nil {
		w.Fatal(err)
	}
	return secret, s
}

// lives checks whether a server believes a secret.
func (w *world) lives(on *sessions.Service, secret string, want bool) {
	w.Helper()
	switch s, err := on.Check(w.Context(), secret); {
	case want && err != nil:
		w.Errorf("the session has ended: %v", err)
	case !want && !errors.Is(err, sessions.ErrEnded):
		w.Errorf("the session lives: %+v %v", s, err)
	}
}

func TestBeginAndCheck(t *testing.T) {
	w := newWorld(t)
	secret, begun := w.begin(catalogtest.Ada)
	second, other := w.begin(catalogtest.Ada)
	if secret == second || begun.ID == other.ID {
		t.Error("two sessions have the same secret")
	}
	if strings.Contains(secret, begun.ID) {
		t.Error("the id has the secret")
	}
	want := sessions.Session{
		ID: begun.ID, Actor: catalogtest.Ada, By: "password", Remote: "192.0.2.1", Agent: "test",
		Begun: w.now.UnixMilli(), Used: w.now.UnixMilli(), Expires: w.now.Add(24 * time.Hour).UnixMilli(),
	}
	if got, err := w.two.Check(t.Context(), secret); err != nil || got != want || begun != want {
		t.Errorf("%+v %+v %v, want %+v", got, begun, err, want)
	}
	stored, err := w.store.ListRecords(t.Context(), string(records.Sessions), "", 10)
	if err != nil || len(stored) != 2 {
		t.Fatalf("%d records: %v", len(stored), err)
	}
	_, random, _ := strings.Cut(secret, ".")
	for _, record := range stored {
		if strings.Contains(record.Name+string(record.Value), random) {
			t.Errorf("the store has the secret: %s %s", record.Name, record.Value)
		}
	}
}

// TestNoSecrets: texts that are no secrets are refused without a question to the store.
func TestNoSecrets(t *testing.T) {
	w := newWorld(t)
	secret, begun := w.begin(catalogtest.Ada)
	owner, random, _ := strings.Cut(secret, ".")
	for _, text := range []string{"", ".", owner, random, owner + "." + begun.ID, owner + "/" + random, "zz" + secret[2:], secret + "A", strings.ToUpper(owner[:1]) + "Z" + secret[2:], strings.Repeat("x", 1<<16)} {
		before := w.store.reads.Load()
		w.lives(w.one, text, false)
		if w.store.reads.Load() != before {
			t.Errorf("%.100q was looked for in the store", text)
		}
	}
	w.lives(w.one, "0000000000000000."+random, false) // the secret of another actor
	w.lives(w.one, secret, true)
}

// TestTime: a session ends limits.SessionTime after the sign-in, and limits.SessionIdle after its
// last use.
func TestTime(t *testing.T) {
	w := newWorld(t)
	used, _ := w.begin(catalogtest.Ada)
	idle, _ := w.begin(catalogtest.Ada)
	begun := w.now
	w.now = begun.Add(limits.SessionIdle - time.Millisecond)
	w.lives(w.one, used, true)
	w.now = begun.Add(limits.SessionIdle)
	w.lives(w.two, idle, false)
	w.lives(w.two, used, true)
	for w.now = begun.Add(limits.SessionIdle); w.now.Before(begun.Add(limits.SessionTime)); w.now = w.now.Add(time.Hour) {
		w.lives(w.one, used, true)
	}
	w.now = begun.Add(limits.SessionTime - time.Millisecond)
	w.lives(w.one, used, true)
	w.now = begun.Add(limits.SessionTime)
	w.lives(w.one, used, false) // also within the time for which it is cached
	if list, err := w.one.List(t.Context(), catalogtest.Ada); err != nil || len(list) != 0 {
		t.Errorf("sessions that have ended are listed: %+v %v", list, err)
	}
	kept, _ := w.begin(catalogtest.Ada)
	if err := w.one.Prune(t.Context()); err != nil {
		t.Error(err)
	}
	if stored, err := w.store.ListRecords(t.Context(), string(records.Sessions), "", 10); err != nil || len(stored) != 1 {
		t.Errorf("%d records stay: %v", len(stored), err)
	}
	w.lives(w.two, kept, true)
}

// TestReadsAndWrites: the store is read at most twice a second for a session, and its time of use
// is written at most every five minutes.
func TestReadsAndWrites(t *testing.T) {
	w := newWorld(t)
	secret, _ := w.begin(catalogtest.Ada)
	w.store.reads.Store(0)
	w.store.writes.Store(0)
	const requests = 1200
	for range requests {
		w.now = w.now.Add(time.Second)
		for range 3 {
			w.lives(w.one, secret, true)
		}
	}
	if reads, writes := w.store.reads.Load(), w.store.writes.Load(); reads != requests || writes != 4 {
		t.Errorf("%d reads and %d writes in 20 minutes", reads, writes)
	}
	list, err := w.two.List(t.Context(), catalogtest.Ada)
	if err != nil || len(list) != 1 || list[0].Used != w.now.UnixMilli() {
		t.Errorf("%+v %v", list, err)
	}
}

// TestEnds: a session that ends on one server ends there at once, and on another server when that server
// reads it again.
func TestEnds(t *testing.T) {
	for name, end := range map[string]func(w *world, secret, id string) error{
		"its owner":   func(w *world, _, id string) error { return w.one.End(w.Context(), catalogtest.Ada, id) },
		"its secret":  func(w *world, secret, _ string) error { return w.one.EndSecret(w.Context(), secret) },
		"all":         func(w *world, _, _ string) error { return w.one.EndAll(w.Context(), catalogtest.Ada, "") },
		"all but one": func(w *world, _, _ string) error { return w.one.EndAll(w.Context(), catalogtest.Ada, "another") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			secret, s := w.begin(catalogtest.Ada)
			others, _ := w.begin(bela)
			for _, server := range []*sessions.Service{w.one, w.two} {
				w.lives(server, secret, true)
				w.lives(server, others, true)
			}
			if err := end(w, secret, s.ID); err != nil {
				t.Fatal(err)
			}
			w.lives(w.one, secret, false)
			w.now = w.now.Add(sessions.Fresh)
			w.lives(w.two, secret, false)
			w.lives(w.two, others, true)
		})
	}
}

// TestEndOfOthers: an actor cannot end another actor's session, and the session of the caller stays.
func TestEndOfOthers(t *testing.T) {
	w := newWorld(t)
	secret, s := w.begin(catalogtest.Ada)
	second, _ := w.begin(catalogtest.Ada)
	for _, id := range []string{s.ID, "", "none", s.ID + "x"} {
		if err := w.one.End(t.Context(), bela, id); catalog.CodeOf(err) != catalog.NotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
	if err := w.one.EndSecret(t.Context(), "no secret"); err != nil {
		t.Error(err)
	}
	if err := w.one.EndAll(t.Context(), catalogtest.Ada, s.ID); err != nil {
		t.Error(err)
	}
	w.lives(w.one, secret, true)
	w.lives(w.one, second, false)
}

// TestMost: a user may have limits.MaxSessions; one more ends the oldest.
func TestMost(t *testing.T) {
	w := newWorld(t)
	secrets := make([]string, limits.MaxSessions+1)
	theirs, _ := w.begin(bela)
	for i := range secrets {
		if i == limits.MaxSessions {
			w.lives(w.two, secrets[0], true)
		}
		w.now = w.now.Add(time.Second)
		secrets[i], _ = w.begin(catalogtest.Ada)
	}
	w.lives(w.one, secrets[0], false)
	w.lives(w.one, secrets[1], true)
	w.lives(w.one, theirs, true)
	list, err := w.one.List(t.Context(), catalogtest.Ada)
	if err != nil || len(list) != limits.MaxSessions || list[0].Begun != w.now.UnixMilli() {
		t.Errorf("%d sessions: %v", len(list), err)
	}
}

// TestAgents: a long or broken name of a browser is stored in part.
func TestAgents(t *testing.T) {
	w := newWorld(t)
	_, s, err := w.one.Begin(t.Context(), sessions.SignedIn{Actor: bela, Agent: "\xff" + strings.Repeat("ä", 1000)})
	if want := strings.Repeat("ä", 100) + "… (2000 bytes)"; err != nil || s.Agent != want {
		t.Errorf("%q %v", s.Agent, err)
	}
}

// TestStoreDown: a store that cannot be read is not taken for the end of a session.
func TestStoreDown(t *testing.T) {
	w := newWorld(t)
	secret, _ := w.begin(catalogtest.Ada)
	w.store.fail = fmt.Errorf("disk: %w", graphstore.ErrUnavailable)
	if _, err := w.one.Check(t.Context(), secret); catalog.CodeOf(err) != catalog.Unavailable {
		t.Error(err)
	}
	w.store.fail = nil
	w.lives(w.one, secret, true)
}

// TestEndsDuringCheck ends a session while it is checked: the next check does not believe the secret.
func TestEndsDuringCheck(t *testing.T) {
	w := newWorld(t)
	secret, s := w.begin(bela)
	w.store.afterRead = func() {
		w.store.afterRead = nil
		if err := w.one.EndAll(w.Context(), bela, ""); err != nil {
			w.Error(err)
		}
	}
	if got, err := w.one.Check(w.Context(), secret); err != nil || got.ID != s.ID {
		t.Errorf("the check that began before the end: %+v %v", got, err)
	}
	w.lives(w.one, secret, false)
}
