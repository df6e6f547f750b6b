package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// source is a file being read; read counts its bytes before decompression.
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

// open opens a file, "-" for standard input, and unpacks it if it is gzipped.
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

// records reads the records of a JSON array, JSON lines or one object.
type records struct {
	decoder *json.Decoder
	array   bool
	count   int
}

func newRecords(r io.Reader) (*records, error) {
	buffered := bufio.NewReader(r)
	for {
		c, err := buffered.ReadByte()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if bytes.IndexByte([]byte(" \t\r\n"), c) >= 0 {
			continue
		}
		if err := buffered.UnreadByte(); err != nil {
			return nil, err
		}
		all := &records{decoder: json.NewDecoder(buffered), array: c == '['}
		if all.array {
			if _, err := all.decoder.Token(); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	return &records{decoder: json.NewDecoder(bytes.NewReader(nil))}, nil
}

// next returns the next record, io.EOF after the last.
func (r *records) next() (json.RawMessage, error) {
	if r.array && !r.decoder.More() {
		if _, err := r.decoder.Token(); err != nil {
			return nil, fmt.Errorf("the file ends inside the array: %w", io.ErrUnexpectedEOF)
		}
		return nil, io.EOF
	}
	var raw json.RawMessage
	err := r.decoder.Decode(&raw)
	if err == nil {
		r.count++
	}
	return raw, err
}
