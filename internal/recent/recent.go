// Package recent has a bounded cache of recently used keys.
package recent

// Map is a map of recently used keys in two generations. When the young generation is full,
// it replaces the old one, which is dropped. So the map never holds more than twice its
// size. Only one goroutine may use it at a time, except for Young and Has.
type Map[K comparable, V any] struct {
	size       int
	young, old map[K]V
	// weigh returns the weight of a value; nil means that each has weight 1. weight is the
	// weight of the young generation.
	weigh  func(V) int
	weight int
}

// New makes a map with size keys in each generation.
func New[K comparable, V any](size int) *Map[K, V] {
	return &Map[K, V]{size: size, young: map[K]V{}}
}

// NewWeighed makes a map whose generations each hold values with a total weight of size.
func NewWeighed[K comparable, V any](size int, weigh func(V) int) *Map[K, V] {
	return &Map[K, V]{size: size, young: map[K]V{}, weigh: weigh}
}

// Get returns the value of a key, and marks the key as used.
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

// Young returns the value of a key in the young generation. Unlike Get it changes nothing,
// so several goroutines may call it at the same time.
func (m *Map[K, V]) Young(key K) (V, bool) {
	value, ok := m.young[key]
	return value, ok
}

// Has reports whether the map holds a key. Like Young it changes nothing.
func (m *Map[K, V]) Has(key K) bool {
	if _, ok := m.young[key]; ok {
		return true
	}
	_, ok := m.old[key]
	return ok
}

// Put sets the value of a key, and marks the key as used.
func (m *Map[K, V]) Put(key K, value V) {
	if m.weight >= m.size {
		m.young, m.old, m.weight = map[K]V{}, m.young, 0
	}
	former, known := m.young[key]
	if known {
		m.weight -= m.weightOf(former)
	}
	m.young[key] = value
	m.weight += m.weightOf(value)
}

func (m *Map[K, V]) weightOf(value V) int {
	if m.weigh == nil {
		return 1
	}
	return m.weigh(value)
}

// Forget removes keys.
func (m *Map[K, V]) Forget(keys ...K) {
	for _, key := range keys {
		if value, ok := m.young[key]; ok {
			m.weight -= m.weightOf(value)
			delete(m.young, key)
		}
		delete(m.old, key)
	}
}
