package connect

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/internal/limits"
)

// pack packs a batch as producers do.
func pack(t *testing.T, codec kgo.CompressionCodec, text []byte) ([]byte, kgo.CompressionCodecType) {
	t.Helper()
	c, err := kgo.DefaultCompressor(codec)
	if err != nil {
		t.Fatal(err)
	}
	packed, kind := c.Compress(new(bytes.Buffer), text)
	return bytes.Clone(packed), kind
}

// ofJava packs chunks in snappy as Java's clients do.
func ofJava(chunks ...[]byte) []byte {
	out := append(bytes.Clone(xerial), 0, 0, 0, 1, 0, 0, 0, 1)
	for _, chunk := range chunks {
		packed := s2.EncodeSnappy(nil, chunk)
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(packed))), packed...)
	}
	return out
}

// TestUnpack: for each compression, a batch is unpacked, its size is bounded, and a damaged
// batch is refused.
func TestUnpack(t *testing.T) {
	usual := bytes.Repeat([]byte("Orders joined to customers. "), 1000)
	bomb := make([]byte, 8<<20)
	for name, codec := range map[string]kgo.CompressionCodec{
		"gzip": kgo.GzipCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(), "snappy": kgo.SnappyCompression(),
	} {
		packed, kind := pack(t, codec, usual)
		if got, err := NewUnpacker().Decompress(packed, kind); err != nil || !bytes.Equal(got, usual) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		if _, err := NewUnpacker().Decompress(packed[:len(packed)/2], kind); err == nil || errors.Is(err, ErrLater) {
			t.Errorf("%s, cut: %v", name, err)
		}
		packed, kind = pack(t, codec, bomb)
		if _, err := NewTrustingUnpacker().Decompress(packed, kind); err != nil {
			t.Errorf("%s, trusted: %v", name, err)
		}
		full := NewTrustingUnpacker()
		full.left.Store(1 << 20)
		if _, err := full.Decompress(packed, kind); !errors.Is(err, ErrLater) {
			t.Errorf("%s, in a full fetch: %v", name, err)
		}
		if name == "snappy" || name == "lz4" {
			continue // these compressions do not reliably pack eight MiB of one letter to less than a 200th
		}
		if _, err := NewUnpacker().Decompress(packed, kind); err == nil || errors.Is(err, ErrLater) {
			t.Errorf("%s, a bomb: %v", name, err)
		}
	}
	if got, err := NewUnpacker().Decompress(ofJava(usual, usual), kgo.CodecSnappy); err != nil || len(got) != 2*len(usual) {
		t.Errorf("of Java: %d bytes, %v", len(got), err)
	}
	if _, err := NewUnpacker().Decompress(append(ofJava(usual), 0xff, 0xff, 0xff, 0xff, 1), kgo.CodecSnappy); err == nil {
		t.Error("a chunk of Java is longer than the batch")
	}
	huge := binary.AppendUvarint(nil, 1<<31) // a snappy text that claims to have two GiB
	if _, err := NewTrustingUnpacker().Decompress(huge, kgo.CodecSnappy); err == nil || errors.Is(err, ErrLater) {
		t.Errorf("a claim: %v", err)
	}
	if _, err := NewUnpacker().Decompress(usual, 7); err == nil {
		t.Error("an unknown compression is unpacked")
	}
}

// TestFetchesAreBounded: the batches of a fetch share the memory of the fetch, and the next
// fetch has memory of its own.
func TestFetchesAreBounded(t *testing.T) {
	u := NewTrustingUnpacker()
	packed, kind := pack(t, kgo.ZstdCompression(), bytes.Repeat([]byte{12, 0, 0, 0, 1, 1, 0}, limits.MaxKafkaBatchRecords))
	n := 0
	for err := error(nil); err == nil && n < 100; n++ {
		_, err = u.Decompress(packed, kind)
		if err != nil && !errors.Is(err, ErrLater) {
			t.Fatal(err)
		}
	}
	if most := fetchCost/(limits.MaxKafkaBatchRecords*recordCost) + 1; n < 2 || n > most {
		t.Errorf("a fetch has %d batches, at most %d fit", n, most)
	}
	u.OnBrokerRead(kgo.BrokerMetadata{}, fetchKey, 0, 0, 0, nil)
	if _, err := u.Decompress(packed, kind); err != nil {
		t.Errorf("the next fetch: %v", err)
	}
}
