package people

import (
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/recent"
)

const (
	// triedAccounts and triedAddresses are how many accounts and addresses are remembered, at most
	// twice.
	triedAccounts  = 20_000
	triedAddresses = 20_000
	// freeFailures is how many sign-ins of an account may fail before a further one must wait.
	freeFailures = 5
	// turnWait is how long somebody is told to wait while the tries that are running may still
	// fail.
	turnWait = time.Second
)

func wait(d time.Duration) error {
	d = (d + time.Second - 1).Truncate(time.Second)
	return &catalog.Error{
		Code:    catalog.Busy,
		Message: fmt.Sprintf("Too many sign-ins failed. Try again in %d seconds.", int(d/time.Second)),
		Err:     &catalog.WaitError{Wait: d},
	}
}

// tries counts the sign-ins that failed, by account and by address. The names of accounts that do
// not exist are counted like those of others. tries is safe for concurrent use.
type tries struct {
	now func() time.Time

	mu        sync.Mutex
	accounts  *recent.Map[string, *failures]
	addresses *recent.Map[string, *failures]
}

// failures are the failed sign-ins of an account or from an address.
type failures struct {
	count int
	// running is the number of sign-ins that have begun and may still fail.
	running int
	first   time.Time
	last    time.Time
}

func newTries(now func() time.Time) *tries {
	return &tries{now: now, accounts: recent.New[string, *failures](triedAccounts), addresses: recent.New[string, *failures](triedAddresses)}
}

// outcome is how a sign-in ended.
type outcome int

const (
	succeeded outcome = iota
	failed
	// undecided: the password was not compared, because the store or the caller failed.
	undecided
)

// begin begins a sign-in, or returns how long to wait. The caller must call end once. For the
// address "", only the account is counted.
func (t *tries) begin(account, address string) (end func(outcome), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	of, from := failuresOf(t.accounts, account, now), &failures{}
	if address = networkOf(address); address != "" {
		from = failuresOf(t.addresses, address, now)
	}
	if d := max(of.waitAsAccount(now), from.waitAsAddress(now)); d > 0 {
		return nil, wait(d)
	}
	of.running++
	from.running++
	return func(how outcome) {
		t.mu.Lock()
		defer t.mu.Unlock()
		of.end(how, t.now())
		from.end(how, t.now())
		if how == succeeded {
			// A success clears the account, but not the address: else somebody with an account
			// could try the passwords of others without end.
			of.count = 0
		}
	}, nil
}

// failuresOf returns the failures of a key, without those that are too old to count.
func failuresOf(of *recent.Map[string, *failures], key string, now time.Time) *failures {
	f, known := of.Get(key)
	if !known {
		f = &failures{}
		of.Put(key, f)
	}
	if f.count > 0 && now.Sub(f.last) >= limits.FailedSignInTime {
		f.count = 0
	}
	return f
}

func (f *failures) end(how outcome, now time.Time) {
	f.running--
	if how != failed {
		return
	}
	if f.count == 0 {
		f.first = now
	}
	f.count++
	f.last = now
}

// waitAsAccount returns how long the next sign-in of an account must wait.
func (f *failures) waitAsAccount(now time.Time) time.Duration {
	switch {
	case f.count >= limits.MaxFailedSignIns:
		return f.last.Add(limits.FailedSignInTime).Sub(now)
	case f.count+f.running >= limits.MaxFailedSignIns, f.count >= freeFailures && f.running > 0:
		return turnWait
	case f.count >= freeFailures:
		return f.last.Add(time.Second << (f.count - freeFailures)).Sub(now)
	}
	return 0
}

// waitAsAddress returns how long the next sign-in from an address must wait.
func (f *failures) waitAsAddress(now time.Time) time.Duration {
	switch {
	case f.count >= limits.MaxFailedSignInsFrom && now.Sub(f.first) < limits.FailedSignInTime:
		return f.first.Add(limits.FailedSignInTime).Sub(now)
	case f.count >= limits.MaxFailedSignInsFrom:
		f.count = 0
	case f.count+f.running >= limits.MaxFailedSignInsFrom:
		return turnWait
	}
	return 0
}

// networkOf returns an address of IPv4, or the network of 64 bits of an address of IPv6, which one
// household has. Another text stays as it is.
func networkOf(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if ip = ip.Unmap(); ip.Is4() {
		return ip.String()
	}
	network, err := ip.WithZone("").Prefix(64)
	if err != nil {
		return address
	}
	return network.String()
}

// clear forgets the failures of an account whose password is new.
func (t *tries) clear(account string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f, known := t.accounts.Get(account); known {
		f.count = 0
	}
}
