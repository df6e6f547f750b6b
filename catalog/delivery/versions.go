package delivery

import "context"

// farBehind is the number of lacking changes from which a follower may need so long that
// retention deletes their values first.
const farBehind = 1000

// KeepVersions calls hold repeatedly, until the context ends. The argument tells whether a
// follower still needs values that the retention of versions would delete: the follower is far
// behind, or receives nothing although there are changes for it.
func (s *Service) KeepVersions(ctx context.Context, hold func(bool)) {
	seen := map[string]int64{}
	for {
		if followers, err := s.Followers(ctx); err == nil { // after an error, the last answer stays valid
			hold(behind(followers, seen))
		}
		if !pause(ctx, s.lease/renewals) {
			return
		}
	}
}

// behind reports whether a follower is behind. For each follower that lacks changes, behind
// records in seen how many changes were delivered, for the next call.
func behind(followers []Follower, seen map[string]int64) bool {
	is := false
	for i := range followers {
		f := &followers[i]
		before, known := seen[f.Name]
		if f.Lag <= 0 {
			delete(seen, f.Name)
			continue
		}
		seen[f.Name] = f.Delivered
		if f.Lag > farBehind || known && before == f.Delivered {
			is = true
		}
	}
	return is
}
