package embedded

import (
	"sync"
	"weak"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
)

// standing has the documents of a segment that satisfy an [indexer.Standing], including documents that are gone. A
// segment never changes, so neither do its standings.
type standing struct {
	docs  *roaring.Bitmap // nil stands for all
	count int
	// tallies are the numbers of documents with each value of a field.
	tallies map[*field][]uint32
	// size is about how many bytes the standing needs. used orders standings by their last use.
	size, used int
}

// kept has the standings of a segment that were used last. Its lock also guards the members of standings that change.
type kept struct {
	mu   sync.Mutex
	of   map[weak.Pointer[indexer.Standing]]*standing
	uses int
}

// standingSize is about how many bytes a standing needs besides its documents and tallies. All standings of a segment
// may need standingsLeast bytes, and standingBytes for each document of the segment.
const (
	standingSize   = 256
	standingsLeast = 1 << 14
	standingBytes  = 16
)

// standing returns the documents that satisfy a condition, and keeps them.
func (s *segment) standing(e *indexer.Standing) (*standing, error) {
	key := weak.Make(e)
	if known := s.kept.get(key); known != nil {
		return known, nil
	}
	made := &standing{count: s.docs, size: standingSize}
	docs, err := s.holds(prepared(e.Expr))
	if err != nil {
		return nil, err
	}
	if docs != nil {
		// The copy shares nothing with the segment and with other bitmaps, so that several queries may read it.
		made.docs = roaring.New()
		made.docs.Or(docs)
		made.count = int(docs.GetCardinality())
		made.size += int(made.docs.GetSizeInBytes())
	}
	s.kept.put(key, made, s.room())
	return made, nil
}

// room is how many bytes the standings of the segment may need together.
func (s *segment) room() int { return standingsLeast + s.docs*standingBytes }

func (k *kept) get(key weak.Pointer[indexer.Standing]) *standing {
	k.mu.Lock()
	defer k.mu.Unlock()
	known := k.of[key]
	if known != nil {
		k.uses++
		known.used = k.uses
	}
	return known
}

func (k *kept) put(key weak.Pointer[indexer.Standing], made *standing, room int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil {
		k.of = map[weak.Pointer[indexer.Standing]]*standing{}
	}
	k.uses++
	made.used = k.uses
	k.of[key] = made
	k.forget(room)
}

// forget removes the standings used longest ago, until the others need no more than room.
func (k *kept) forget(room int) {
	for {
		size := 0
		var (
			oldest weak.Pointer[indexer.Standing]
			first  *standing
		)
		for key, each := range k.of {
			size += each.size
			if first == nil || each.used < first.used {
				oldest, first = key, each
			}
		}
		if size <= room && len(k.of) <= limits.Standings {
			return
		}
		delete(k.of, oldest)
	}
}

// within returns the standing of a condition that a query requires, or nil if there is none, or if all documents
// satisfy it.
func (s *segment) within(e indexer.Expr) (*standing, error) {
	if all, ok := e.(indexer.And); ok {
		for _, part := range all {
			if _, ok := part.(*indexer.Standing); ok {
				e = part
				break
			}
		}
	}
	required, ok := e.(*indexer.Standing)
	if !ok {
		return nil, nil
	}
	known, err := s.standing(required)
	if err != nil || known.docs == nil {
		return nil, err
	}
	return known, nil
}

// tallied is how many documents a segment has for each value of a field whose tallies are kept, at least.
const tallied = 16

// tally returns how many documents of a standing have each value of a field, or nil if the field has too many
// values.
func (s *segment) tally(of *standing, f *field) []uint32 {
	if f.identity || f.n*tallied > s.docs {
		return nil
	}
	s.kept.mu.Lock()
	known, ok := of.tallies[f]
	s.kept.mu.Unlock()
	if ok {
		return known
	}
	counts := make([]uint32, f.n)
	f.column.tally(of.docs, counts)
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	if of.tallies == nil {
		of.tallies = map[*field][]uint32{}
	}
	if _, ok := of.tallies[f]; !ok {
		of.tallies[f] = counts
		of.size += 4 * f.n
		s.kept.forget(s.room())
	}
	return counts
}
