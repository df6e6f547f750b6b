package connect

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/internal/limits"
)

// recordCost is about the memory, in bytes, that a record takes in addition to its own bytes.
const recordCost = 512

// ErrLater: a batch of records did not fit together with the other batches of its fetch. The
// next fetch begins with this batch.
var ErrLater = errors.New("the fetch has unpacked as much as one fetch may")

// Unpacker unpacks the batches of records that one client fetches. The size of each batch is
// bounded, and the size of all batches of a fetch together. The client needs
// [Unpacker.Options].
// The reasons are in docs/decisions/0075-unpacking-within-bounds.md.
type Unpacker struct {
	// ratio is the largest factor by which a batch may grow when it is unpacked. 0 stands for
	// no bound.
	ratio int64
	// left is the memory that the current fetch may still take.
	left atomic.Int64

	gzip, lz4, zstd sync.Pool
}

// NewUnpacker makes an unpacker that also refuses batches that are far larger than their packed
// size.
func NewUnpacker() *Unpacker { return newUnpacker(limits.MaxUnpackRatio) }

// NewTrustingUnpacker makes an unpacker for a topic to which only Headwater writes. The batches
// of such a topic may grow by any factor.
func NewTrustingUnpacker() *Unpacker { return newUnpacker(0) }

func newUnpacker(ratio int64) *Unpacker {
	u := &Unpacker{ratio: ratio}
	u.left.Store(fetchCost)
	return u
}

// fetchCost is the memory that one fetch may take: the memory of the largest batch.
const fetchCost = limits.MaxKafkaBatchBytes + limits.MaxKafkaBatchRecords*recordCost

// Options are the options for the client that fetches.
func (u *Unpacker) Options() []kgo.Opt {
	return []kgo.Opt{kgo.WithDecompressor(u), kgo.WithHooks(u), kgo.BrokerMaxReadBytes(limits.MaxKafkaFetchBytes)}
}

const fetchKey = 1 // the number of the request Fetch in Kafka's protocol

// OnBrokerRead begins a fetch. The client calls OnBrokerRead before it unpacks the batches of
// the answer.
func (u *Unpacker) OnBrokerRead(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, _ error) {
	if key == fetchKey {
		u.left.Store(fetchCost)
	}
}

// Decompress unpacks a batch. The client calls Decompress only for packed batches.
func (u *Unpacker) Decompress(packed []byte, codec kgo.CompressionCodecType) ([]byte, error) {
	if codec == kgo.CodecNone {
		return packed, nil
	}
	most := int64(limits.MaxKafkaBatchBytes)
	if u.ratio > 0 {
		most = min(most, max(limits.UnpackRatioFrom, u.ratio*int64(len(packed))))
	}
	left := u.left.Load()
	out, err := u.unpack(packed, codec, min(most, max(left, 0)))
	switch {
	case errors.Is(err, errTooLarge) && left < most:
		return nil, ErrLater
	case errors.Is(err, errTooLarge):
		return nil, fmt.Errorf("%d bytes unpack to more than %d, the limit", len(packed), most)
	case err != nil:
		return nil, fmt.Errorf("it cannot be unpacked: %w", err)
	}
	n := countRecords(out)
	if n > limits.MaxKafkaBatchRecords {
		return nil, fmt.Errorf("it has more than %d records, the limit", limits.MaxKafkaBatchRecords)
	}
	if u.left.Add(-int64(len(out))-int64(n)*recordCost) < 0 && left < fetchCost {
		return nil, ErrLater
	}
	return out, nil
}

var errTooLarge = errors.New("it is too large")

// unpack unpacks up to most bytes.
func (u *Unpacker) unpack(packed []byte, codec kgo.CompressionCodecType, most int64) ([]byte, error) {
	switch codec {
	case kgo.CodecGzip:
		r, _ := u.gzip.Get().(*gzip.Reader)
		if r == nil {
			r = new(gzip.Reader)
		}
		defer u.gzip.Put(r)
		if err := r.Reset(bytes.NewReader(packed)); err != nil {
			return nil, err
		}
		return readUpTo(r, len(packed), most)
	case kgo.CodecLz4:
		r, _ := u.lz4.Get().(*lz4.Reader)
		if r == nil {
			r = lz4.NewReader(nil)
		}
		defer u.lz4.Put(r)
		r.Reset(bytes.NewReader(packed))
		return readUpTo(r, len(packed), most)
	case kgo.CodecZstd:
		return u.unpackZstd(packed, most)
	case kgo.CodecSnappy:
		return unpackSnappy(packed, most)
	}
	return nil, fmt.Errorf("its compression %d is unknown", codec)
}

// maxWindow is the largest window of zstd. It is bounded because a frame makes the decoder
// allocate its whole window.
const maxWindow = 32 << 20

func (u *Unpacker) unpackZstd(packed []byte, most int64) ([]byte, error) {
	r, _ := u.zstd.Get().(*zstd.Decoder)
	if r == nil {
		var err error
		if r, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow)); err != nil {
			return nil, err
		}
	}
	defer u.zstd.Put(r) // a decoder with one goroutine needs no Close
	if err := r.Reset(bytes.NewReader(packed)); err != nil {
		return nil, err
	}
	return readUpTo(r, len(packed), most)
}

// usualRatio is the factor by which a batch usually grows when it is unpacked.
const usualRatio = 4

func readUpTo(r io.Reader, packed int, most int64) ([]byte, error) {
	out := bytes.NewBuffer(make([]byte, 0, min(usualRatio*int64(packed), most)+bytes.MinRead))
	n, err := out.ReadFrom(io.LimitReader(r, most+1))
	if err != nil {
		return nil, err
	}
	if n > most {
		return nil, errTooLarge
	}
	return out.Bytes(), nil
}

// xerial is the beginning of a text that Java's snappy has packed: a magic number and two
// versions. Chunks with their sizes follow.
var xerial = []byte{130, 'S', 'N', 'A', 'P', 'P', 'Y', 0}

const xerialHeader = 16

func unpackSnappy(packed []byte, most int64) ([]byte, error) {
	if len(packed) <= xerialHeader || !bytes.HasPrefix(packed, xerial) {
		return appendSnappy(nil, packed, most)
	}
	var out []byte
	for rest := packed[xerialHeader:]; len(rest) > 0; {
		if len(rest) < 4 {
			return nil, io.ErrUnexpectedEOF
		}
		size := int64(binary.BigEndian.Uint32(rest))
		if rest = rest[4:]; size > int64(len(rest)) {
			return nil, io.ErrUnexpectedEOF
		}
		var err error
		if out, err = appendSnappy(out, rest[:size], most); err != nil {
			return nil, err
		}
		rest = rest[size:]
	}
	return out, nil
}

// appendSnappy unpacks a chunk. Before that, it checks the size that the chunk claims to have.
func appendSnappy(out, chunk []byte, most int64) ([]byte, error) {
	n, err := s2.DecodedLen(chunk)
	if err != nil {
		return nil, err
	}
	if int64(n)+int64(len(out)) > most {
		return nil, errTooLarge
	}
	unpacked, err := s2.Decode(nil, chunk)
	if err != nil {
		return nil, err
	}
	if out == nil {
		return unpacked, nil
	}
	return append(out, unpacked...), nil
}

// countRecords counts the records of a batch, up to one more than are allowed. Each record
// begins with its length. In the former forms, each message begins with its offset instead.
func countRecords(batch []byte) int {
	if len(batch) > 0 && batch[0] == 0 { // a record of the present form never has the length 0, and an offset is never so large that its first byte is not 0
		return countFormer(batch)
	}
	n := 0
	for n <= limits.MaxKafkaBatchRecords {
		length, used := binary.Varint(batch)
		if used <= 0 || length <= 0 || length > int64(len(batch)-used) {
			break
		}
		batch = batch[used+int(length):]
		n++
	}
	return n
}

// countFormer counts the messages of a batch in one of the former forms.
func countFormer(batch []byte) int {
	n := 0
	for n <= limits.MaxKafkaBatchRecords && len(batch) > formAt {
		length := lengthEnd + int64(binary.BigEndian.Uint32(batch[lengthAt:]))
		if length < smallestFormer || length > int64(len(batch)) {
			break
		}
		batch = batch[length:]
		n++
	}
	return n
}

// smallestFormer is the size of a message of the form 0 without a key and a value, in bytes.
const smallestFormer = 26
