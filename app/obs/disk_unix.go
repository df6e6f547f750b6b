//go:build linux || darwin

package obs

import "golang.org/x/sys/unix"

// diskOf returns the size of a directory's file system and the space that is free for
// ordinary users, in bytes.
func diskOf(dir string) (size, free uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	block := uint64(s.Bsize) //nolint:gosec,unconvert // its type differs between systems, and it is positive
	return s.Blocks * block, s.Bavail * block, nil
}
