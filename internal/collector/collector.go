// Package collector has the garbage collector run less often while the heap is small.
// The reasons are in docs/decisions/0070-room-for-the-heap.md.
package collector

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// usual is the growth of the heap, in percent, at which the collector runs by default.
const usual = 100

var once sync.Once

// KeepRoom lets the heap grow by at least so many bytes between two collections, for the rest of
// the process's life. The collector's usual goal, twice what is in use, has a server with little
// in use collect many times a second. A heap that uses more than room is collected as usual. It
// does nothing where GOGC is set: the operator has decided.
func KeepRoom(room int64) {
	if os.Getenv("GOGC") == "" {
		once.Do(func() { adjustAfterEach(&adjuster{room: uint64(max(room, 0)), percent: usual}) })
	}
}

// adjuster is what the collector was last told.
type adjuster struct {
	room    uint64
	percent int
}

// adjustAfterEach adjusts the collector now, and again when a collection finds the marker unused.
func adjustAfterEach(a *adjuster) {
	a.adjust(live())
	runtime.SetFinalizer(&marker{}, func(*marker) { adjustAfterEach(a) })
}

// marker is not tiny: tiny objects share memory, and may never be finalized.
type marker struct{ _ [64]byte }

// adjust tells the collector how much the heap may grow now.
func (a *adjuster) adjust(live uint64) {
	percent := percentFor(live, a.room)
	if difference := percent - a.percent; 10*max(difference, -difference) >= a.percent { // telling it stops the process for a moment
		a.percent = percent
		debug.SetGCPercent(percent)
	}
}

// mostPercent is for a heap of which nothing is known to be in use yet.
const mostPercent = 10_000

// percentFor is the growth at which a heap of which live bytes are in use has grown by room.
func percentFor(live, room uint64) int {
	if live == 0 {
		return mostPercent
	}
	return int(min(max(100*room/live, usual), mostPercent))
}

// live is how many bytes the last collection found in use.
func live() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
