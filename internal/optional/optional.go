// Package optional reads values that may be absent.
package optional

// Or returns the value that a pointer points to, or another value if the pointer is nil.
func Or[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}
