//go:build linux

package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// setChildSubreaper is the option of prctl that makes a process adopt the orphans among its descendants.
const setChildSubreaper = 36

// adoptOrphans makes this process the parent of descendants whose parents have ended.
func adoptOrphans() { _, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0) }

// dieWithStarter lets a program be killed if its supervisor is.
func dieWithStarter(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

// limitAddressSpace bounds how much a process and its later children may map; 0 is no bound.
func limitAddressSpace(pid int, bytes uint64) {
	if bytes == 0 {
		return
	}
	limit := syscall.Rlimit{Cur: bytes, Max: bytes}
	_, _, _ = syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_AS, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
}

// mostDescendants bounds how many descendants are looked at in one round; further descendants are seen in the
// next round.
const mostDescendants = 10_000

// descendants returns the processes below this one. All of them come from the program, because this process
// starts no other, and because it adopts their orphans.
func descendants() []int {
	found := []int{}
	for next := []int{os.Getpid()}; len(next) > 0 && len(found) < mostDescendants; {
		var below []int
		for _, pid := range next {
			below = append(below, childrenOf(pid)...)
		}
		found = append(found, below...)
		next = below
	}
	return found
}

func childrenOf(pid int) []int {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	var children []int
	for _, path := range threads {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended, and another thread has its children
		}
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}

// signalAll sends a signal to the program, its group and all its descendants.
func signalAll(leader int, s syscall.Signal) {
	if s == syscall.SIGKILL {
		killGroup(leader)
	}
	for _, pid := range descendants() {
		_ = syscall.Kill(pid, s)
	}
}

// memoryOf returns how many bytes the program and its descendants have in memory.
func memoryOf(int) int64 {
	var pages int64
	for _, pid := range descendants() {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if err != nil {
			continue // it has ended
		}
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			resident, _ := strconv.ParseInt(fields[1], 10, 64)
			pages += resident
		}
	}
	return pages * int64(os.Getpagesize())
}

// Self is the path under which this process starts itself again, also after its file was replaced.
func Self() (string, error) { return "/proc/self/exe", nil }
