package people

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

var quick = Cost{Memory: 64, Passes: 1, Threads: 1}

// TestKnownHash: a hash of the reference implementation of argon2 is understood.
func TestKnownHash(t *testing.T) {
	// printf password | argon2 somesalt -id -t 2 -m 16 -p 1
	const known = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	h := newHasher(quick)
	for text, want := range map[string]bool{"password": true, "Password": false, "": false} {
		if got, renewed, err := h.verify(t.Context(), text, known); got != want || renewed != "" || err != nil {
			t.Errorf("%q: %v %q %v", text, got, renewed, err)
		}
	}
}

func TestHash(t *testing.T) {
	h := newHasher(quick)
	one, err := h.hash(t.Context(), "secret")
	two, second := h.hash(t.Context(), "secret")
	if err != nil || second != nil || one == two || !strings.HasPrefix(one, "$argon2id$v=19$m=64,t=1,p=1$") {
		t.Fatalf("%s %s %v %v", one, two, err, second)
	}
	if p, err := parsePHC(one); err != nil || p.String() != one {
		t.Errorf("%s is read as %s: %v", one, p.String(), err)
	}
	// The key of the dummy hash has only zeros; nobody may sign in with it either.
	if matches, _, err := h.verify(t.Context(), "secret", ""); matches || err != nil {
		t.Errorf("a password matches no hash: %v", err)
	}
	if DefaultCost() != (Cost{Memory: 19456, Passes: 2, Threads: 1}) {
		t.Errorf("the cost is %+v", DefaultCost())
	}
}

// TestRenewed: a hash of less cost than today's is renewed, one of the same or a greater cost is
// not.
func TestRenewed(t *testing.T) {
	for name, c := range map[string]struct {
		stored, today Cost
		renewed       bool
	}{
		"same":         {quick, quick, false},
		"less memory":  {quick, Cost{128, 1, 1}, true},
		"fewer passes": {quick, Cost{64, 2, 1}, true},
		"greater":      {Cost{128, 2, 1}, quick, false},
	} {
		stored, err := newHasher(c.stored).hash(t.Context(), "secret")
		if err != nil {
			t.Fatal(err)
		}
		h := newHasher(c.today)
		matches, renewed, err := h.verify(t.Context(), "secret", stored)
		if !matches || err != nil || (renewed != "") != c.renewed {
			t.Fatalf("%s: %v %q %v", name, matches, renewed, err)
		}
		if !c.renewed {
			continue
		}
		if p, err := parsePHC(renewed); err != nil || p.cost != c.today {
			t.Errorf("%s: renewed as %s: %v", name, renewed, err)
		}
		if matches, second, err := h.verify(t.Context(), "secret", renewed); !matches || second != "" || err != nil {
			t.Errorf("%s: the new hash: %v %q %v", name, matches, second, err)
		}
		if _, renewed, _ := h.verify(t.Context(), "wrong", stored); renewed != "" {
			t.Errorf("%s: a wrong password is stored", name)
		}
	}
}

// TestDamagedHashes: a text that is no hash is an error that does not repeat it.
func TestDamagedHashes(t *testing.T) {
	const salt, key = "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	for _, text := range []string{
		"plain", "$", "$argon2id$v=19$m=64,t=1,p=1$" + salt, "$argon2i$v=19$m=64,t=1,p=1$" + salt + "$" + key,
		"$argon2id$v=16$m=64,t=1,p=1$" + salt + "$" + key, "$argon2id$v=19$m=64,t=0,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=64,t=1,p=0$" + salt + "$" + key, "$argon2id$v=19$m=64,t=1,p=256$" + salt + "$" + key,
		"$argon2id$v=19$m=64,t=1000,p=1$" + salt + "$" + key, "$argon2id$v=19$m=4000000000,t=1,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=64,t=1,p=1,x$" + salt + "$" + key, "$argon2id$v=19$m=064,t=1,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=64,t=1,p=1$!$" + key, "$argon2id$v=19$m=64,t=1,p=1$AAAA$" + key,
		"$argon2id$v=19$m=64,t=1,p=1$" + salt + "$!", "$argon2id$v=19$m=64,t=1,p=1$" + salt + "$AAAA", "x$argon2id$v=19$m=64,t=1,p=1$" + salt + "$" + key,
	} {
		matches, _, err := newHasher(quick).verify(t.Context(), "secret", text)
		if matches || catalog.CodeOf(err) != catalog.Internal || len(text) > 1 && strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v %v", text, matches, err)
		}
	}
}

// TestHashesAtOnce: two hashes are computed at once, limits.MaxQueuedPasswords wait, and one more
// is refused. Who leaves makes room.
func TestHashesAtOnce(t *testing.T) {
	h := newHasher(quick)
	ctx, cancel := context.WithCancel(t.Context())
	var leave [hashesAtOnce]func()
	for i := range leave {
		var err error
		if leave[i], err = h.enter(ctx); err != nil {
			t.Fatal(err)
		}
	}
	impatient, leaves := context.WithCancel(ctx)
	var waiting, impatiently sync.WaitGroup
	impatiently.Go(func() {
		if _, err := h.hash(impatient, "secret"); !errors.Is(err, context.Canceled) {
			t.Errorf("the wait ended with %v", err)
		}
	})
	for range limits.MaxQueuedPasswords - 1 {
		waiting.Go(func() {
			if _, err := h.hash(ctx, "secret"); err != nil {
				t.Error(err)
			}
		})
	}
	testclock.Await(t, "all wait", func() bool { return len(h.queue) == cap(h.queue) })
	if _, err := h.hash(ctx, "secret"); catalog.CodeOf(err) != catalog.Busy {
		t.Errorf("one more: %v", err)
	}
	leaves()
	impatiently.Wait()
	waiting.Go(func() {
		if _, err := h.hash(ctx, "secret"); err != nil {
			t.Error(err)
		}
	})
	for i := range leave {
		leave[i]()
	}
	waiting.Wait()
	cancel()
	if _, err := h.hash(ctx, "secret"); !errors.Is(err, context.Canceled) || len(h.room)+len(h.queue) != 0 {
		t.Errorf("after the context has ended: %v", err)
	}
}

// TestTries is a table of sign-ins in their order, with how long each must wait.
func TestTries(t *testing.T) {
	type step struct {
		after   time.Duration
		account string
		address string
		how     outcome
		wait    time.Duration
	}
	repeated := func(n int, s step) []step {
		steps := make([]step, n)
		for i := range steps {
			steps[i] = s
		}
		return steps
	}
	const far = time.Minute
	fail := step{0, "ada", "1.1.1.1", failed, 0}
	slowly := step{far, "ada", "1.1.1.1", failed, 0}
	for name, steps := range map[string][]step{
		"five fail at once, the next ones wait, longer each time": append(repeated(5, fail),
			step{0, "ada", "2.2.2.2", failed, time.Second}, step{time.Second, "ada", "1.1.1.1", failed, 0},
			step{time.Second, "ada", "1.1.1.1", failed, time.Second}, step{time.Second, "ada", "1.1.1.1", failed, 0},
			step{3 * time.Second, "ada", "1.1.1.1", succeeded, time.Second},
		),
		"the limit": append(repeated(limits.MaxFailedSignIns-1, slowly),
			step{far, "ada", "1.1.1.1", failed, 0},
			step{far, "ada", "1.1.1.1", succeeded, limits.FailedSignInTime - far},
			step{limits.FailedSignInTime - far - time.Millisecond, "ada", "1.1.1.1", succeeded, time.Second},
			step{time.Millisecond, "ada", "1.1.1.1", succeeded, 0},
		),
		"another account is free": append(repeated(limits.MaxFailedSignIns, slowly), step{0, "bela", "1.1.1.1", failed, 0}),
		"a success clears the account": append(append(repeated(limits.MaxFailedSignIns-1, slowly), step{far, "ada", "1.1.1.1", succeeded, 0}),
			repeated(5, fail)...),
		"what fails for another reason does not count": repeated(100, step{0, "ada", "1.1.1.1", undecided, 0}),
		"one fewer from an address": append(repeated(limits.MaxFailedSignInsFrom-1, step{0, "", "1.1.1.1", failed, 0}),
			step{0, "ada", "1.1.1.1", succeeded, 0}, step{0, "ada", "1.1.1.1", failed, 0}, step{0, "ada", "1.1.1.1", succeeded, limits.FailedSignInTime}),
		"the limit of an address": append(repeated(limits.MaxFailedSignInsFrom, step{0, "", "1.1.1.1", failed, 0}),
			step{0, "ada", "1.1.1.1", succeeded, limits.FailedSignInTime}, step{0, "ada", "1.1.1.2", succeeded, 0},
			step{limits.FailedSignInTime, "ada", "1.1.1.1", succeeded, 0}),
		"a network of IPv6": append(repeated(limits.MaxFailedSignInsFrom, step{0, "", "2001:db8::1", failed, 0}),
			step{0, "ada", "2001:db8::ffff:2", failed, limits.FailedSignInTime}, step{0, "ada", "2001:db8:0:1::1", failed, 0}),
		"IPv4 in IPv6": append(repeated(limits.MaxFailedSignInsFrom, step{0, "", "::ffff:1.1.1.1", failed, 0}),
			step{0, "ada", "1.1.1.1", failed, limits.FailedSignInTime}, step{0, "ada", "::ffff:1.1.1.2", failed, 0}),
		"no address": repeated(2*limits.MaxFailedSignInsFrom, step{0, "", "", failed, 0}),
	} {
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		tries := newTries(func() time.Time { return now })
		for i, s := range steps {
			now = now.Add(s.after)
			account := s.account
			if account == "" {
				account = string(rune('A' + i)) // an account that no other goroutine uses
			}
			end, err := tries.begin(account, s.address)
			var waits *catalog.WaitError
			var wait time.Duration
			if errors.As(err, &waits) {
				wait = waits.Wait
			}
			if wait != s.wait || (err != nil) != (wait > 0) || err != nil && catalog.CodeOf(err) != catalog.Busy {
				t.Errorf("%s: step %d waits %s, want %s (%v)", name, i, wait, s.wait, err)
			}
			if end != nil {
				end(s.how)
			}
		}
	}
}

// TestTriesAtOnce: sign-ins that run at the same time cannot try more passwords than others.
func TestTriesAtOnce(t *testing.T) {
	tries := newTries(testclock.Now)
	var ends []func(outcome)
	for {
		end, err := tries.begin("ada", "1.1.1.1")
		if err != nil {
			break
		}
		ends = append(ends, end)
	}
	if len(ends) != limits.MaxFailedSignIns {
		t.Errorf("%d passwords are tried at once", len(ends))
	}
	for _, end := range ends {
		end(succeeded)
	}
	for range freeFailures {
		end, err := tries.begin("ada", "1.1.1.1")
		if err != nil {
			t.Fatal(err)
		}
		end(failed)
	}
	testclock.Forward(2 * time.Second)
	end, err := tries.begin("ada", "1.1.1.1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tries.begin("ada", "1.1.1.1"); err == nil {
		t.Error("after five failures, two tries run at once")
	}
	end(succeeded)
	var from []func(outcome)
	for i := 0; ; i++ {
		end, err := tries.begin(string(rune('A'+i)), "2.2.2.2")
		if err != nil {
			break
		}
		from = append(from, end)
	}
	if len(from) != limits.MaxFailedSignInsFrom {
		t.Errorf("%d passwords are tried at once from an address", len(from))
	}
}
