package intake

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

// Unpack returns a reader of the decompressed body, according to the header
// Content-Encoding: identity or gzip. It returns an error for other encodings. A read fails
// if the body is far larger than its compressed form.
func Unpack(body io.ReadCloser, header http.Header) (io.ReadCloser, error) {
	encoding := strings.ToLower(strings.TrimSpace(strings.Join(header.Values("Content-Encoding"), ",")))
	switch encoding {
	case "", "identity":
		return body, nil
	case "gzip", "x-gzip":
		packed := &counter{r: body}
		return &unpacking{packed: packed, Closer: body}, nil
	}
	return nil, catalog.Errorf(catalog.Invalid, "the body's Content-Encoding is not supported; use gzip or identity")
}

// counter counts the bytes that are read through it.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// unpacking decompresses gzip, including streams of several members. It begins at the first
// read, because a request without a body has no gzip header.
type unpacking struct {
	io.Closer
	packed *counter
	gzip   *gzip.Reader
	n      int64
	err    error
}

func (u *unpacking) Read(p []byte) (int, error) {
	if u.err != nil {
		return 0, u.err
	}
	n, err := u.read(p)
	u.err = err
	return n, err
}

func (u *unpacking) read(p []byte) (int, error) {
	if u.gzip == nil {
		var err error
		if u.gzip, err = gzip.NewReader(u.packed); err != nil {
			if u.packed.n == 0 && errors.Is(err, io.EOF) {
				return 0, io.EOF
			}
			return 0, badGzip(err)
		}
	}
	n, err := u.gzip.Read(p)
	u.n += int64(n)
	if u.n > limits.UnpackRatioFrom && u.n > limits.MaxUnpackRatio*u.packed.n {
		return 0, catalog.Errorf(catalog.TooLarge, "the decompressed body is more than %d times as large as the gzip that was sent, which is the limit", limits.MaxUnpackRatio)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = badGzip(err)
	}
	return n, err
}

// badGzip converts errors of the gzip format to errors for callers, and leaves other errors
// unchanged.
func badGzip(err error) error {
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || isCorrupt(err) {
		return catalog.Errorf(catalog.Invalid, "the body is not gzip: %w", err)
	}
	return err
}

func isCorrupt(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.As(err, &corrupt)
}
