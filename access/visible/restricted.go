package visible

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strings"
	"sync"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/recent"
)

// restrictedPrefix begins the URNs of restricted steps.
const restrictedPrefix = "urn:li:" + catalog.Restricted + ":"

// IsRestricted reports whether a URN is that of a restricted step.
func IsRestricted(urn string) bool { return strings.HasPrefix(urn, restrictedPrefix) }

// restrict returns the URN by which the caller knows a hidden step of a walk. It is the same for one caller
// and entity as long as the process runs, and contains nothing of the entity's URN.
func (s *sight) restrict(urn string) string {
	restricted := names.of(knownStep{s.SeenBy(), urn})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hidden == nil {
		s.hidden = map[string]string{}
	}
	s.hidden[restricted] = urn
	return restricted
}

// knownStep is a hidden step as one caller knows it.
type knownStep struct{ caller, urn string }

// stepNames makes the URNs of restricted steps. It remembers them, because the walks of a caller name the same
// hundreds of steps again and again.
type stepNames struct {
	mu sync.Mutex
	// sum has a key that lasts as long as the process.
	sum   hash.Hash
	known *recent.Map[knownStep, string]
}

// maxStepNames is how many names are remembered, twice at most.
const maxStepNames = 20_000

// names has the names for all callers of the process.
var names = func() *stepNames {
	key := make([]byte, sha256.Size)
	if _, err := rand.Read(key); err != nil {
		panic(err) // cannot happen: crypto/rand.Read never fails
	}
	return &stepNames{sum: hmac.New(sha256.New, key), known: recent.New[knownStep, string](maxStepNames)}
}()

func (n *stepNames) of(step knownStep) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	name, known := n.known.Get(step)
	if !known {
		n.sum.Reset()
		n.sum.Write([]byte(step.caller))
		n.sum.Write([]byte{0})
		n.sum.Write([]byte(step.urn))
		var room [sha256.Size]byte
		name = restrictedPrefix + hex.EncodeToString(n.sum.Sum(room[:0])[:16])
		n.known.Put(step, name)
	}
	return name
}
