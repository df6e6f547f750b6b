package collector

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestPercentFor(t *testing.T) {
	for _, c := range []struct {
		name       string
		live, room uint64
		want       int
	}{
		{"nothing in use yet", 0, 64 << 20, mostPercent},
		{"a little", 1 << 10, 64 << 20, mostPercent},
		{"an eighth of the room", 8 << 20, 64 << 20, 800},
		{"the room", 64 << 20, 64 << 20, usual},
		{"more", 1 << 30, 64 << 20, usual},
		{"no room", 1 << 20, 0, usual},
	} {
		if got := percentFor(c.live, c.room); got != c.want {
			t.Errorf("%s: %d, not %d", c.name, got, c.want)
		}
	}
}

var sink, held []byte

// TestAdjusts: a small heap is collected less often than by default, a large one as often.
func TestAdjusts(t *testing.T) {
	before := debug.SetGCPercent(usual)
	t.Cleanup(func() { debug.SetGCPercent(before); held = nil })
	const room = 32 << 20
	usually := collections(room)
	a := &adjuster{room: room, percent: usual}
	adjustAfterEach(a)
	if some := collections(room); some > 3 || usually < 2*some {
		t.Errorf("%d collections, usually %d", some, usually)
	}
	held = make([]byte, 4*room)
	for range 4 { // the collector's finalizer runs shortly after a collection ends
		runtime.GC()
		collections(room)
	}
	if got := debug.SetGCPercent(usual); got != usual {
		t.Errorf("%d percent for a heap beyond the room", got)
	}
}

// collections returns how often the collector runs while garbage of a size is made.
func collections(size int) int {
	runtime.GC()
	var was, is runtime.MemStats
	runtime.ReadMemStats(&was)
	for range size >> 10 {
		sink = make([]byte, 1<<10)
	}
	runtime.ReadMemStats(&is)
	return int(is.NumGC - was.NumGC)
}
