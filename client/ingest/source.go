package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
)

// source is an open file. read counts its bytes before decompression.
type source struct {
	io.Reader
	file io.Closer
	read int64
}

func (s *source) Close() error { return s.file.Close() }

type counter struct {
	inner io.Reader
	into  *int64
}

func (c counter) Read(p []byte) (int, error) {
	n, err := c.inner.Read(p)
	*c.into += int64(n)
	return n, err
}

// open opens a file, "-" for standard input. A gzipped file is decompressed.
func open(name string, stdin io.Reader) (*source, error) {
	s := &source{file: io.NopCloser(nil)}
	raw := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		raw, s.file = f, f
	}
	buffered := bufio.NewReaderSize(counter{raw, &s.read}, 1<<16)
	s.Reader = buffered
	if magic, err := buffered.Peek(2); err == nil && bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.Reader = unpacked
	}
	return s, nil
}
