package python

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// environment is a kept environment.
type environment struct {
	name string
	size int64
	used time.Time
}

// makeRoom removes the environments that were not used for longest, until all together are small enough. It
// keeps the named environment, and the environments that a run uses. The downloads that uv keeps are removed
// first.
func (e *Environments) makeRoom(keep string) {
	all := e.list()
	var total int64
	for _, one := range all {
		total += one.size
	}
	cache := filepath.Join(e.Dir, "cache")
	if total+sizeOf(cache) > e.Disk {
		if mine, _ := tryLock(e.locks("cache"), syscall.LOCK_EX); mine != nil {
			_ = os.RemoveAll(cache)
			mine.Close()
		}
	}
	slices.SortFunc(all, func(a, b environment) int { return a.used.Compare(b.used) })
	for _, one := range all {
		if total <= e.Disk {
			return
		}
		if one.name != keep && e.remove(one.name) {
			total -= one.size
		}
	}
}

// list returns the kept environments.
func (e *Environments) list() []environment {
	entries, _ := os.ReadDir(e.environment(""))
	var all []environment
	for _, entry := range entries {
		one := environment{name: entry.Name()}
		if text, err := os.ReadFile(filepath.Join(e.environment(one.name), "size")); err == nil {
			one.size, _ = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		}
		if info, err := os.Stat(filepath.Join(e.environment(one.name), "used")); err == nil {
			one.used = info.ModTime()
		}
		all = append(all, one)
	}
	return all
}

// remove removes an environment that nobody uses, and reports whether it is gone.
func (e *Environments) remove(name string) bool {
	mine, err := tryLock(e.locks(name), syscall.LOCK_EX)
	if mine == nil || err != nil {
		return false
	}
	defer mine.Close()
	// Half an environment must never have the name of a whole one.
	gone, err := os.MkdirTemp(e.building(""), name+".")
	if err != nil {
		return false
	}
	err = os.Rename(e.environment(name), filepath.Join(gone, "env"))
	_ = os.RemoveAll(gone)
	return err == nil
}

// removeRemains removes the files that killed builds of an environment have left. The caller has its lock, so that none is
// being built.
func (e *Environments) removeRemains(name string) {
	left, _ := filepath.Glob(e.building(name + ".*"))
	for _, dir := range left {
		_ = os.RemoveAll(dir)
	}
}

// sizeOf returns the bytes of the files in a directory.
func sizeOf(dir string) int64 {
	var size int64
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // another process has removed the environment meanwhile
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}
