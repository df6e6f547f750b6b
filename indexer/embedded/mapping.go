package embedded

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
	mmap "github.com/edsrzf/mmap-go"
)

// mapping is the file of a segment, mapped into memory.
type mapping struct {
	path string
	data mmap.MMap
	// sum is the hash that the file must have.
	sum uint64
	// doomed: the file is deleted when the last reader has released it.
	doomed atomic.Bool
}

// openSegment maps the file of a segment. It returns an error if the file's hash is not
// sum.
func openSegment(path string, sum uint64) (*segment, error) {
	if err := verify(path, sum); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, err
	}
	s, err := parseSegment(data)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), data.Unmap())
	}
	s.mapped = &mapping{path: path, data: data, sum: sum}
	return s, nil
}

// verify returns an error if the hash of a file is not sum. It reads the file and not the
// mapping, so that the pages do not count as memory of this process.
func verify(path string, sum uint64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	hashed := info.Size() - int64(8+len(segmentMark))
	if hashed < 0 {
		return fmt.Errorf("%s: %w", path, errFormat)
	}
	h := xxhash.New()
	if _, err := io.CopyBuffer(h, onlyReader{io.LimitReader(f, hashed)}, make([]byte, 1<<18)); err != nil {
		return err
	}
	stored := make([]byte, 8)
	if _, err := io.ReadFull(f, stored); err != nil {
		return err
	}
	if got := h.Sum64(); got != sum || got != binary.LittleEndian.Uint64(stored) {
		return fmt.Errorf("%s: %w: its hash is wrong", path, errFormat)
	}
	return nil
}

// onlyReader hides the other methods of a reader, so that io.CopyBuffer uses the buffer.
type onlyReader struct{ io.Reader }

// writeSegment merges parts into a file and opens the file as a segment. It returns nil if
// no document is left.
func writeSegment(path string, m *merger) (_ *segment, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	out := bufio.NewWriterSize(f, 1<<18)
	sum, err := m.merge(newEncoder(out))
	if err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if len(m.sources) == 0 {
		return nil, os.Remove(path)
	}
	return openSegment(path, sum)
}

// release ends the caller's hold of the segment.
func (s *segment) release() error {
	if s.holders.Add(-1) > 0 || s.mapped == nil {
		return nil
	}
	err := s.mapped.data.Unmap()
	if s.mapped.doomed.Load() {
		err = errors.Join(err, os.Remove(s.mapped.path))
	}
	return err
}

// discard deletes a segment that was never part of a view; nil is allowed.
func discard(s *segment) error {
	if s == nil {
		return nil
	}
	return errors.Join(s.mapped.data.Unmap(), os.Remove(s.mapped.path))
}
