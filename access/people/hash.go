package people

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

// Cost is the work of one hash of a password. It is stored with each hash.
type Cost struct {
	// Memory is in KiB. Passes is the number of passes over it, Threads the number of threads.
	Memory, Passes uint32
	Threads        uint8
}

// DefaultCost is the cost that OWASP recommends for argon2id.
func DefaultCost() Cost { return Cost{Memory: 19 * 1024, Passes: 2, Threads: 1} }

const (
	saltBytes = 16
	keyBytes  = 32
	// hashesAtOnce is how many hashes are computed at the same time, since each takes memory and a
	// processor.
	hashesAtOnce = 2
	// The greatest cost that is computed for a stored hash. A record with a greater one is damaged.
	greatestMemory = 1 << 20
	greatestPasses = 100
)

// hasher computes the hashes of passwords, at most hashesAtOnce at the same time.
type hasher struct {
	cost Cost
	room chan struct{}
	// queue has a place for each caller who is in the room or waits for it.
	queue chan struct{}
	// dummy is a hash that no password has. Its computation takes the place of the computation
	// for an account that has no password.
	dummy phc
}

func newHasher(cost Cost) *hasher {
	dummy := phc{cost: cost, salt: make([]byte, saltBytes), key: make([]byte, keyBytes)}
	return &hasher{cost: cost, room: make(chan struct{}, hashesAtOnce), queue: make(chan struct{}, hashesAtOnce+limits.MaxQueuedPasswords), dummy: dummy}
}

// enter waits for a place until the context ends, and returns the function that frees the place.
// It fails if limits.MaxQueuedPasswords callers wait already.
func (h *hasher) enter(ctx context.Context) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, catalog.StoreFailure(err)
	}
	select {
	case h.queue <- struct{}{}:
	default:
		return nil, catalog.Errorf(catalog.Busy, "%d passwords wait to be checked, the limit; try again", limits.MaxQueuedPasswords)
	}
	select {
	case h.room <- struct{}{}:
		return func() { <-h.room; <-h.queue }, nil
	case <-ctx.Done():
		<-h.queue
		return nil, catalog.StoreFailure(ctx.Err())
	}
}

// hash returns the hash of a password with a new salt, as text.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	return h.compute(password), nil
}

func (h *hasher) compute(password string) string {
	p := phc{cost: h.cost, salt: make([]byte, saltBytes)}
	_, _ = rand.Read(p.salt) // never fails
	p.key = p.keyOf(password, keyBytes)
	return p.String()
}

// verify reports whether a password has a stored hash. For the hash "", it does the same work and
// returns false. If the hash was made at less cost than today's, verify also returns a new one.
func (h *hasher) verify(ctx context.Context, password, stored string) (matches bool, renewed string, err error) {
	p := h.dummy
	if stored != "" {
		if p, err = parsePHC(stored); err != nil {
			return false, "", catalog.Errorf(catalog.Internal, "a stored password: %w", err)
		}
	}
	leave, err := h.enter(ctx)
	if err != nil {
		return false, "", err
	}
	defer leave()
	same := subtle.ConstantTimeCompare(p.key, p.keyOf(password, len(p.key))) == 1
	if stored == "" || !same {
		return false, "", nil
	}
	if p.cost.weakerThan(h.cost) {
		renewed = h.compute(password)
	}
	return true, renewed, nil
}

func (c Cost) weakerThan(other Cost) bool {
	return c.Memory < other.Memory || c.Passes < other.Passes
}

// phc is a hash in the form $argon2id$v=19$m=19456,t=2,p=1$salt$key.
type phc struct {
	cost      Cost
	salt, key []byte
}

func (p *phc) keyOf(password string, length int) []byte {
	return argon2.IDKey([]byte(password), p.salt, p.cost.Passes, p.cost.Memory, p.cost.Threads, uint32(length))
}

func (p *phc) String() string {
	base := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.cost.Memory, p.cost.Passes, p.cost.Threads, base.EncodeToString(p.salt), base.EncodeToString(p.key))
}

// errNoHash does not quote the text, which is a secret.
var errNoHash = errors.New("it is no hash of argon2id")

func parsePHC(text string) (p phc, err error) {
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return p, errNoHash
	}
	c := &p.cost
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.Memory, &c.Passes, &c.Threads); err != nil {
		return p, errNoHash
	}
	if parts[3] != fmt.Sprintf("m=%d,t=%d,p=%d", c.Memory, c.Passes, c.Threads) || c.Memory > greatestMemory || c.Passes == 0 || c.Passes > greatestPasses || c.Threads == 0 {
		return p, errNoHash
	}
	if p.salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil || len(p.salt) < 8 || len(p.salt) > 64 {
		return p, errNoHash
	}
	if p.key, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil || len(p.key) < 16 || len(p.key) > 64 {
		return p, errNoHash
	}
	return p, nil
}
