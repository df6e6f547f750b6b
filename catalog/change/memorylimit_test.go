package change

import (
	"io"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
)

// TestMemoryLimit: a memory as large as the limit is read, and a memory one byte larger is not.
func TestMemoryLimit(t *testing.T) {
	w := &boundedWriter{io.Discard, limits.CheckMemoryBytes}
	block := make([]byte, 1<<20)
	for range limits.CheckMemoryBytes >> 20 {
		if _, err := w.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Write(block[:1]); err == nil {
		t.Error("a memory may have more bytes than its limit")
	}
}
