package catalog

// ValueOr is the value that a pointer points to, or another one if the pointer is nil.
func ValueOr[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
