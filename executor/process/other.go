//go:build !linux

package process

import (
	"os"
	"syscall"
)

// adoptOrphans does nothing: only Linux lets a process adopt orphans. The processes that a
// program leaves behind are found by their group.
func adoptOrphans() {}

// dieWithStarter does nothing: the lifeline of the supervisor ends the program.
func dieWithStarter(*syscall.SysProcAttr) {}

// limitAddressSpace does nothing: other systems than Linux do not let a process limit another one.
func limitAddressSpace(int, uint64) {}

// signalAll sends a signal to the group of the program.
func signalAll(leader int, s syscall.Signal) { _ = syscall.Kill(-leader, s) }

// memoryOf returns 0: memory is measured on Linux only.
func memoryOf(int) int64 { return 0 }

// Self is the path under which this process starts itself again.
func Self() (string, error) { return os.Executable() }
