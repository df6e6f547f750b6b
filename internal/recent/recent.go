// Package recent remembers recently used things, up to a bound.
package recent

// Map is a map of recently used keys in two generations: when the young one is
// full it becomes the old one, which is forgotten. It never holds more than
// twice its size. It is for one goroutine at a time.
type Map[K comparable, V any] struct {
	size       int
	young, old map[K]V
}

// New makes a map whose generations hold size keys each.
func New[K comparable, V any](size int) *Map[K, V] {
	return &Map[K, V]{size: size, young: map[K]V{}}
}

// Get returns the value of a key, which counts as a use of it.
func (m *Map[K, V]) Get(key K) (V, bool) {
	if value, ok := m.young[key]; ok {
		return value, true
	}
	value, ok := m.old[key]
	if ok {
		m.Put(key, value)
	}
	return value, ok
}

// Put sets the value of a key.
func (m *Map[K, V]) Put(key K, value V) {
	if len(m.young) >= m.size {
		m.young, m.old = map[K]V{}, m.young
	}
	m.young[key] = value
}

// Forget removes keys.
func (m *Map[K, V]) Forget(keys ...K) {
	for _, key := range keys {
		delete(m.young, key)
		delete(m.old, key)
	}
}
