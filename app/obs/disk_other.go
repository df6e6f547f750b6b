//go:build !linux && !darwin

package obs

import "errors"

// diskOf fails: what is free is not known on this system.
func diskOf(string) (size, free uint64, err error) { return 0, 0, errors.ErrUnsupported }
