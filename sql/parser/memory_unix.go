//go:build unix

package parser

import (
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// mapped is the memory of an instance, outside of Go's heap. The module has a stack of 64 MiB, of which it touches a little: only
// touched pages take memory of the machine. Memory of Go is copied as a whole when it grows, and counts as used.
type mapped struct {
	all []byte
	// plain is memory of Go, if the system gives none.
	plain []byte
}

func allocate(_, most uint64) experimental.LinearMemory {
	all, err := syscall.Mmap(-1, 0, int(most), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		all = nil
	}
	return &mapped{all: all}
}

// Reallocate returns the first bytes of the memory, nil if it is not as large as that.
func (m *mapped) Reallocate(size uint64) []byte {
	switch {
	case m.all == nil:
		grown := make([]byte, size)
		copy(grown, m.plain)
		m.plain = grown
		return grown
	case size > uint64(len(m.all)):
		return nil
	}
	return m.all[:size]
}

// Free gives the memory back.
func (m *mapped) Free() {
	if m.all != nil {
		_ = syscall.Munmap(m.all) // it was mapped
	}
	m.all, m.plain = nil, nil
}

// allocator makes the memory of instances.
var allocator experimental.MemoryAllocator = experimental.MemoryAllocatorFunc(allocate)
