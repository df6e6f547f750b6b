package audit

import (
	"time"

	"github.com/headwater-io/headwater/internal/limits"
)

// refusalSpan is for how long equal refusals are counted into one entry.
const refusalSpan = time.Minute

// refusal contains the members in which equal refusals agree. The zero refusal stands for the refusals of all
// callers beyond the limit.
type refusal struct {
	kind                        Kind
	remote, door, reason, actor string
}

// repeated are equal refusals after the first.
type repeated struct {
	first Entry
	began time.Time
	more  int64
}

// repeats reports whether an entry is a refusal that was noted less than a minute ago, and counts it.
func (s *Service) repeats(e *Entry) bool {
	if e.Allowed || e.Kind != Refused && e.Kind != SignInRefused {
		return false
	}
	now := s.Now()
	key := refusal{e.Kind, e.Remote, e.Door, e.Reason, e.Actor}
	s.mu.Lock()
	known := s.refusals[key]
	if known != nil && now.Sub(known.began) < refusalSpan {
		known.more++
		s.mu.Unlock()
		return true
	}
	s.mu.Unlock()
	s.settle(now, false)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refusals[key] == nil && len(s.refusals) >= limits.MaxAuditRefusals {
		others := s.refusals[refusal{}]
		if others == nil {
			others = &repeated{began: now, first: Entry{Kind: Refused, Reason: "refusals of more callers than are noted one by one"}}
			s.refusals[refusal{}] = others
		}
		others.more++
		return true
	}
	s.refusals[key] = &repeated{first: *e, began: now}
	return false
}

// settle queues an entry for all equal refusals whose minute is over, or for all refusals.
func (s *Service) settle(now time.Time, all bool) {
	var over []Entry
	s.mu.Lock()
	for key, r := range s.refusals {
		if !all && now.Sub(r.began) < refusalSpan {
			continue
		}
		delete(s.refusals, key)
		if r.more > 0 {
			e := r.first
			e.Count, e.RequestID = r.more, ""
			over = append(over, e)
		}
	}
	s.mu.Unlock()
	for i := range over {
		s.put(&over[i])
	}
}
