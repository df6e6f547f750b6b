package recent

import "sync"

// Readings is a [Map] of values that were read elsewhere. A value is not remembered if anything was forgotten
// while it was read, because it may be out of date. It is safe for concurrent use.
type Readings[K comparable, V any] struct {
	size int

	mu     sync.Mutex
	values *Map[K, V]
	// forgotten counts the calls of Forget and ForgetAll.
	forgotten int64
}

// NewReadings makes Readings with size keys in each generation.
func NewReadings[K comparable, V any](size int) *Readings[K, V] {
	return &Readings[K, V]{size: size, values: New[K, V](size)}
}

// Get returns the value of a key, and marks the key as used. The moment is for [Readings.Put], after a new
// reading that begins now.
func (r *Readings[K, V]) Get(key K) (value V, ok bool, moment int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	value, ok = r.values.Get(key)
	return value, ok, r.forgotten
}

// Put remembers a value that was read since a moment, unless anything was forgotten since then.
func (r *Readings[K, V]) Put(key K, value V, moment int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.forgotten == moment {
		r.values.Put(key, value)
	}
}

// Forget removes a key.
func (r *Readings[K, V]) Forget(key K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.values.Forget(key)
	r.forgotten++
}

// ForgetAll removes all keys.
func (r *Readings[K, V]) ForgetAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.values = New[K, V](r.size)
	r.forgotten++
}
