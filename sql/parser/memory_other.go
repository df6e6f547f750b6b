//go:build !unix

package parser

import "github.com/tetratelabs/wazero/experimental"

// allocator is nil: the memory of instances is Go's.
var allocator experimental.MemoryAllocator
