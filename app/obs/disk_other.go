//go:build !linux && !darwin

package obs

import "errors"

// diskOf returns an error, because the free space is not known on this system.
func diskOf(string) (size, free uint64, err error) { return 0, 0, errors.ErrUnsupported }
