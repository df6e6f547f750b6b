package embedded

import "time"

// Work in the background is divided into slices. After each the goroutine rests, so that
// a processor looks for what searches wait for: a goroutine that only computes would keep
// it for ten milliseconds, at each step of a search.
const (
	slice     = time.Millisecond
	sliceRest = 50 * time.Microsecond
	sliceStep = 64
)

// slices of work.
type slicer struct {
	steps int
	began time.Time
}

// step is called after each small step of the work.
func (s *slicer) step() {
	if s.steps++; s.steps%sliceStep != 0 {
		return
	}
	now := time.Now()
	if s.began.IsZero() {
		s.began = now
	}
	if now.Sub(s.began) >= slice {
		time.Sleep(sliceRest)
		s.began = time.Now()
	}
}
