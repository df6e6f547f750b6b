package intake

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
)

// The limits of the default budget.
const (
	defaultLeast = limits.MinRequestMemory
	defaultMost  = 2 << 30
	// knownMemory is the assumed memory of a machine whose memory is unknown.
	knownMemory = 4 << 30
)

// DefaultBudget returns the default memory for requests in bytes: half of GOMEMLIMIT.
// Without GOMEMLIMIT it is a quarter of the memory of the control group or of the machine,
// because the collector then lets the heap double. It is at most 2 GiB.
func DefaultBudget() int64 {
	return defaultBudget(debug.SetMemoryLimit(-1), os.ReadFile)
}

func defaultBudget(goLimit int64, read func(string) ([]byte, error)) int64 {
	if goLimit > 0 && goLimit < math.MaxInt64 {
		return min(max(goLimit/2, defaultLeast), defaultMost)
	}
	memory := int64(knownMemory)
	if total := machineMemory(read); total > 0 {
		memory = total
	}
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := read(path)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
			memory = min(memory, n)
		}
	}
	return min(max(memory/4, defaultLeast), defaultMost)
}

// machineMemory returns the memory of the machine in bytes, 0 if it is unknown.
func machineMemory(read func(string) ([]byte, error)) int64 {
	text, err := read("/proc/meminfo")
	if err != nil {
		return 0
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 && fields[0] == "MemTotal:" {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				return 0
			}
			return n << 10
		}
	}
	return 0
}
