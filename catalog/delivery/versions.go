package delivery

import "context"

// farBehind is how many changes a follower lacks that may take so long to get them that retention
// deletes their values first.
const farBehind = 1000

// KeepVersions tells hold, until the context ends, whether a follower still needs values that
// the retention of versions would delete: one that is far behind, or that gets nothing
// although there is something for it.
func (s *Service) KeepVersions(ctx context.Context, hold func(bool)) {
	seen := map[string]int64{}
	for {
		if followers, err := s.Followers(ctx); err == nil { // else as before
			hold(behind(followers, seen))
		}
		if !pause(ctx, s.lease/renewals) {
			return
		}
	}
}

// behind reports whether a follower is behind. It notes what each that lacks something had got, for
// the next time.
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
