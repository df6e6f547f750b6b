package connect

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/headwater-io/headwater/internal/limits"
)

// message encodes a message of the form 0 or 1, in which brokers before 0.11 store messages.
// packed is the compression of the value. The value of a compressed message is a set of
// messages.
func message(form int8, offset int64, packed kgo.CompressionCodecType, value []byte) []byte {
	var out []byte
	if form == 0 {
		m := kmsg.MessageV0{Offset: offset, Magic: form, Attributes: int8(packed), Value: value}
		out = m.AppendTo(nil)
	} else {
		m := kmsg.MessageV1{Offset: offset, Magic: form, Attributes: int8(packed), Timestamp: 1, Value: value}
		out = m.AppendTo(nil)
	}
	binary.BigEndian.PutUint32(out[lengthAt:], uint32(len(out)-lengthEnd))
	binary.BigEndian.PutUint32(out[lengthEnd:], crc32.ChecksumIEEE(out[formAt:]))
	return out
}

// readAll reads fetched batches one after the other. Like a consumer, it skips batches that
// cannot be read.
func readAll(t *testing.T, fetched []byte) (values []string, unread []*Unreadable) {
	t.Helper()
	l := &look{unpacker: NewUnpacker(), options: kgo.ProcessFetchPartitionOpts{Topic: "t"}}
	for batch := range batches(fetched) {
		at := l.options.Offset
		if found := l.read(batch, 1<<40); found != nil {
			unread = append(unread, found)
			l.options.Offset = found.Last + 1
		} else {
			l.unpacker.left.Store(fetchCost)
			got, _ := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{Topic: "t", Offset: at}, &kmsg.FetchResponseTopicPartition{RecordBatches: batch}, l.unpacker, nil)
			for _, r := range got.Records {
				values = append(values, string(r.Value))
			}
		}
		if l.options.Offset <= at {
			t.Fatalf("reading is stuck at %d", at)
		}
	}
	return values, unread
}

// TestFormerForms: messages of the forms 0 and 1 are read, compressed or not. Messages that
// cannot be read are skipped and reported with their offsets, and the messages after them are
// read.
func TestFormerForms(t *testing.T) {
	for _, form := range []int8{0, 1} {
		set := bytes.Join([][]byte{message(form, 1, 0, []byte("one")), message(form, 2, 0, []byte("two"))}, nil)
		if form == 1 { // in form 1, the inner offsets count from the first message
			set = bytes.Join([][]byte{message(form, 0, 0, []byte("one")), message(form, 1, 0, []byte("two"))}, nil)
		}
		packed, kind := pack(t, kgo.GzipCompression(), set)
		bomb, _ := pack(t, kgo.GzipCompression(), message(form, 0, 0, make([]byte, 8<<20)))
		many, _ := pack(t, kgo.GzipCompression(), bytes.Repeat(message(form, 0, 0, nil), limits.MaxKafkaBatchRecords+1))
		damaged := message(form, 5, 0, nil)
		damaged[len(damaged)-1]++
		values, unread := readAll(t, bytes.Join([][]byte{
			message(form, 0, 0, []byte("zero")), message(form, 2, kind, packed),
			message(form, 3, kind, packed[:len(packed)/2]), message(form, 4, kind, bomb), damaged, message(form, 6, kind, many),
			message(3, 7, 0, []byte("of a form that nobody knows")), message(form, 8, 0, []byte("eight")),
		}, nil))
		if want := []string{"zero", "one", "two", "eight"}; !slices.Equal(values, want) {
			t.Errorf("form %d: read %q, want %q", form, values, want)
		}
		var places []int64
		for _, u := range unread {
			places = append(places, u.First)
			if u.Err == nil || u.First != u.Last {
				t.Errorf("form %d: %v", form, u)
			}
		}
		if want := []int64{3, 4, 5, 6, 7}; !slices.Equal(places, want) {
			t.Errorf("form %d: given up at %d, want %d: %v", form, places, want, unread)
		}
	}
}

// TestFormerRecordsAreCounted: the records in compressed sets of messages take memory of the
// fetch, as records of the present form do.
func TestFormerRecordsAreCounted(t *testing.T) {
	u := NewTrustingUnpacker()
	packed, kind := pack(t, kgo.ZstdCompression(), bytes.Repeat(message(0, 0, 0, nil), limits.MaxKafkaBatchRecords))
	for n := range 100 {
		_, err := u.Decompress(packed, kind)
		if errors.Is(err, ErrLater) {
			return
		}
		if err != nil {
			t.Fatalf("batch %d: %v", n, err)
		}
	}
	t.Error("a fetch has a hundred sets with as many messages as one may have")
}
