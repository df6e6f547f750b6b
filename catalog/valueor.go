package catalog

// ValueOr returns the value that a pointer points to, or another value if the pointer is nil.
func ValueOr[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
