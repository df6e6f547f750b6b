// Package collector makes the garbage collector run less often while the heap is small.
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

// KeepRoom lets the heap grow by at least room bytes between two collections, for the rest
// of the process's life. By default, the heap may double between two collections, so a
// server with little memory in use collects many times a second. If more than room bytes
// are in use, the collector runs as by default. KeepRoom does nothing if the environment
// sets GOGC, because the operator has then decided.
func KeepRoom(room int64) {
	if os.Getenv("GOGC") == "" {
		once.Do(func() { adjustAfterEach(&adjuster{room: uint64(max(room, 0)), percent: usual}) })
	}
}

// adjuster has the values that the collector was last set to.
type adjuster struct {
	room    uint64
	percent int
}

// adjustAfterEach adjusts the collector now and after every collection: each collection
// finalizes an unused marker.
func adjustAfterEach(a *adjuster) {
	a.adjust(live())
	runtime.SetFinalizer(&marker{}, func(*marker) { adjustAfterEach(a) })
}

// marker has 64 bytes, because Go may never finalize tiny objects, which share memory.
type marker struct{ _ [64]byte }

// adjust sets how much the heap may grow until the next collection. live is the number of
// bytes in use.
func (a *adjuster) adjust(live uint64) {
	percent := percentFor(live, a.room)
	if difference := percent - a.percent; 10*max(difference, -difference) >= a.percent { // setting the growth stops the process for a moment, so a small difference is ignored
		a.percent = percent
		debug.SetGCPercent(percent)
	}
}

// mostPercent is the growth in percent while the number of bytes in use is unknown.
const mostPercent = 10_000

// percentFor returns the growth in percent at which a heap with live bytes in use grows by
// room bytes.
func percentFor(live, room uint64) int {
	if live == 0 {
		return mostPercent
	}
	return int(min(max(100*room/live, usual), mostPercent))
}

// live returns the number of bytes that the last collection found in use.
func live() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
