package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/shorthash"
)

// memoryDays is how long the memory of a project is kept that is not checked any more.
const memoryDays = 30

// memoryFile is the file with the lineage of the project's SQL in the last run.
func (o *options) memoryFile(cache string) string {
	head, err := filepath.Abs(o.head)
	if err != nil {
		head = o.head
	}
	return filepath.Join(cache, "check-"+shorthash.Of([]byte(head))+".memory")
}

// remembered reads the memory of the project, an empty one if there is none.
func (o *options) remembered(e *cli.Environment, cache string) *change.Memory {
	version := programVersion(e)
	file, err := os.Open(o.memoryFile(cache))
	if err != nil {
		return change.NewMemory(version, nil)
	}
	defer file.Close()
	return change.NewMemory(version, file)
}

// programVersion distinguishes programs, also programs that are built from the same version.
func programVersion(e *cli.Environment) string {
	version := e.Version
	if path, err := os.Executable(); err == nil {
		if info, err := os.Stat(path); err == nil {
			version += fmt.Sprintf(" %d %d", info.Size(), info.ModTime().UnixNano())
		}
	}
	return version
}

// remember writes the memory for the next run, and removes old memories. A run without a memory is only slower, so
// remember reports no errors.
func (o *options) remember(m *change.Memory, cache string, now time.Time) {
	if os.MkdirAll(cache, 0o700) != nil {
		return
	}
	temporary, err := os.CreateTemp(cache, "check-*.writing")
	if err != nil {
		return
	}
	err = m.Write(temporary)
	if closed := temporary.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temporary.Name(), o.memoryFile(cache))
	}
	if err != nil {
		_ = os.Remove(temporary.Name()) // the next run removes it
	}
	old := now.AddDate(0, 0, -memoryDays)
	entries, _ := os.ReadDir(cache)
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, "check-") {
			continue
		}
		if info, err := entry.Info(); err == nil && info.ModTime().Before(old) {
			_ = os.Remove(filepath.Join(cache, name)) // another run removes it
		}
	}
}
