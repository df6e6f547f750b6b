package intake

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

func wants(t *testing.T, what string, err error, code catalog.Code, says string) {
	t.Helper()
	if catalog.CodeOf(err) != code || !strings.Contains(catalog.MessageOf(err), says) {
		t.Errorf("%s: %v, want %s with %q", what, err, code, says)
	}
}

func budget(total int64) *Budget {
	b := NewBudget(total)
	b.wait = time.Millisecond
	return b
}

func TestBudget(t *testing.T) {
	b := budget(64 << 20)
	ctx := t.Context()
	first, second, small := b.Share(), b.Share(), b.Share()
	if err := first.Hold(ctx, 40<<20); err != nil {
		t.Fatal(err)
	}
	wants(t, "the second", second.Hold(ctx, 40<<20), catalog.Busy, "--request-memory")
	wants(t, "one that never fits", second.Hold(ctx, 60<<20), catalog.TooLarge, "the limit is 56 MiB")
	if err := small.Hold(ctx, 100<<10); err != nil {
		t.Errorf("a small request does not get in beside a large one: %v", err)
	}
	if b.Held() != 40<<20+100<<10 || b.Refused() != 1 {
		t.Errorf("%d bytes are held, %d requests were refused", b.Held(), b.Refused())
	}
	// A request that waits is admitted when another one ends.
	b.wait = time.Minute
	done := make(chan error, 1)
	go func() { done <- second.Hold(ctx, 40<<20) }()
	first.Release()
	if err := <-done; err != nil {
		t.Error(err)
	}
	// The weight goes up and down and moves between the lanes; at the end no lane holds any weight.
	for _, weight := range []int64{1, 2 << 20, 1 << 19, 10 << 20, 3 << 20, 0} {
		if err := small.Hold(ctx, weight); err != nil || small.Weight() != weight {
			t.Errorf("%d: %v", weight, err)
		}
	}
	small.Release()
	second.Release()
	second.Release()
	for _, l := range []*lane{b.small, b.large} {
		if !l.tryAcquire(l.size) {
			t.Error("something is still held")
		}
	}
	if b.Held() != 0 {
		t.Errorf("%d bytes are held", b.Held())
	}
	// A request whose context has ended does not wait.
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if err := b.Share().Hold(gone, 100); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var none *Budget
	if err := none.Share().Hold(ctx, 1<<40); err != nil {
		t.Error(err)
	}
}

// TestSlowSendersLeaveRoom: an incomplete body holds no memory that is reserved for small
// requests.
func TestSlowSendersLeaveRoom(t *testing.T) {
	b := budget(64 << 20)
	in, out := io.Pipe()
	defer in.Close()
	share := b.Share()
	read := make(chan error, 1)
	go func() {
		_, err := ReadJSON(WithShare(context.Background(), share), in, Request)
		read <- err
	}()
	if _, err := out.Write([]byte(`{"x":"` + strings.Repeat("a", firstBuffer+10))); err != nil {
		t.Fatal(err)
	}
	if !b.small.tryAcquire(b.small.size) {
		t.Error("a body on its way holds memory for small requests")
	}
	b.small.release(b.small.size)
	if _, err := out.Write([]byte(`"}`)); err != nil {
		t.Fatal(err)
	}
	out.Close()
	if err := <-read; err != nil || share.in != b.small {
		t.Errorf("the body is small after all: %v", err)
	}
	share.Release()
}

func TestDefaultBudget(t *testing.T) {
	files := func(contents map[string]string) func(string) ([]byte, error) {
		return func(path string) ([]byte, error) {
			text, ok := contents[path]
			if !ok {
				return nil, os.ErrNotExist
			}
			return []byte(text), nil
		}
	}
	meminfo := "MemFree: 1 kB\nMemTotal:        4194304 kB\n"
	for _, c := range []struct {
		name    string
		goLimit int64
		files   map[string]string
		want    int64
	}{
		{"GOMEMLIMIT", 1 << 30, map[string]string{"/proc/meminfo": meminfo}, 512 << 20},
		{"a small GOMEMLIMIT", 1 << 20, nil, 64 << 20},
		{"the machine", math.MaxInt64, map[string]string{"/proc/meminfo": meminfo, "/sys/fs/cgroup/memory.max": "max\n"}, 1 << 30},
		{"the control group", math.MaxInt64, map[string]string{"/proc/meminfo": meminfo, "/sys/fs/cgroup/memory.max": "2147483648\n"}, 512 << 20},
		{"a large machine", math.MaxInt64, map[string]string{"/proc/meminfo": "MemTotal: 1073741824 kB"}, 2 << 30},
		{"nothing is known", math.MaxInt64, nil, 1 << 30},
	} {
		if got := defaultBudget(c.goLimit, files(c.files)); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func pack(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, part := range parts {
		w := gzip.NewWriter(&b)
		if _, err := io.WriteString(w, part); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func unpacked(t *testing.T, body []byte, encodings ...string) ([]byte, error) {
	t.Helper()
	r, err := Unpack(io.NopCloser(bytes.NewReader(body)), http.Header{"Content-Encoding": encodings})
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func TestUnpack(t *testing.T) {
	for name, c := range map[string]struct {
		body      []byte
		encodings []string
		want      string
	}{
		"plain": {[]byte("x"), nil, "x"}, "identity": {[]byte("x"), []string{"identity"}, "x"},
		"gzip": {pack(t, "x"), []string{"GZIP"}, "x"}, "members": {pack(t, "x", "", "y"), []string{"gzip"}, "xy"},
		"no body": {nil, []string{"gzip"}, ""}, "much": {pack(t, strings.Repeat("a", limits.UnpackRatioFrom)), []string{"gzip"}, strings.Repeat("a", limits.UnpackRatioFrom)},
	} {
		if got, err := unpacked(t, c.body, c.encodings...); err != nil || string(got) != c.want {
			t.Errorf("%s: %.50q %v", name, got, err)
		}
	}
	bomb := pack(t, strings.Repeat("a", 1<<20), strings.Repeat("a", 1<<20))
	for name, c := range map[string]struct {
		body      []byte
		encodings []string
		says      string
	}{
		"zstd": {nil, []string{"zstd"}, "not supported"}, "twice": {pack(t, string(pack(t, "x"))), []string{"gzip, gzip"}, "not supported"},
		"in two headers": {nil, []string{"gzip", "gzip"}, "not supported"}, "no gzip": {[]byte("{}"), []string{"gzip"}, "not gzip"},
		"cut off": {pack(t, strings.Repeat("ab", 100))[:20], []string{"gzip"}, "not gzip"},
	} {
		_, err := unpacked(t, c.body, c.encodings...)
		wants(t, name, err, catalog.Invalid, c.says)
	}
	_, err := unpacked(t, bomb, "gzip")
	wants(t, "a bomb", err, catalog.TooLarge, "more than 200 times")
}

// repeated is an endless text that counts the bytes read.
type repeated struct {
	text string
	n    int
}

func (r *repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.text[(r.n+i)%len(r.text)]
	}
	r.n += len(p)
	return len(p), nil
}

// TestTooMuchIsSeenEarly: a body that is too large is refused long before all of it is
// read.
func TestTooMuchIsSeenEarly(t *testing.T) {
	for name, c := range map[string]struct {
		begin, text string
		kind        Kind
		says        string
		within      int
	}{
		"empty proposals": {`{"proposals":[`, `{},`, Batch, "more than 50000 items", 300 << 10},
		"filters":         {`{"filter":{"or":[`, `{"and":[{}]},`, Request, "more than 50000 items", 1 << 20},
		"lists of lists":  {`[`, `[[],[],[],[]],`, Batch, "more than 50000 items", 1 << 20},
		"strings":         {`{"urns":[`, `"",`, Request, "more than 50000 items", 300 << 10},
		"members":         {`{"variables":{`, `"":0,`, Request, "more than 50000 items", 400 << 10},
		"nested":          {``, `{"a":`, Request, "more than 100 lists and objects", 64 << 10},
		"groups":          {`{"x":[`, `[[{},{},{},{},{},{},{},{},{},{}]],`, Request, "more than 200000 values", 2 << 20},
	} {
		endless := &repeated{text: c.text}
		_, err := ReadJSON(t.Context(), io.MultiReader(strings.NewReader(c.begin), endless), c.kind)
		wants(t, name, err, catalog.Invalid, c.says)
		if endless.n > c.within {
			t.Errorf("%s: %d bytes were read", name, endless.n)
		}
	}
}

// TestWeightBoundsMemory decodes the most expensive bodies that are accepted, and compares
// the memory that decoding takes with the weight that was held.
func TestWeightBoundsMemory(t *testing.T) {
	type criterion struct {
		Field, Value, Condition string
		Values                  []string
		Negated                 bool
	}
	many := func(begin, text string, n int, end string) string {
		return begin + strings.TrimSuffix(strings.Repeat(text, n), ",") + end
	}
	for name, c := range map[string]struct {
		text string
		kind Kind
		into any
	}{
		"filters":   {many(`{"or":[`, `{},`, 49_000, `]}`), Request, &struct{ Or []criterion }{}},
		"criteria":  {many(`{"or":[`, `[{}],`, 49_000, `]}`), Request, &struct{ Or [][]criterion }{}},
		"strings":   {many(`{"urns":[`, `"",`, 49_000, `]}`), Request, &struct{ URNs []string }{}},
		"variables": {many(`{"variables":{"a":[`, `{"a":{}},`, 49_000, `]}}`), Request, &map[string]any{}},
		"lists":     {many(`{"variables":{"a":[`, `[[]],`, 49_000, `]}}`), Request, &map[string]any{}},
		"numbers":   {many(`[`, `1,`, 49_000, `]`), Request, new(any)},
		"proposals": {many(`{"proposals":[`, `{},`, 49_000, `]}`), Batch, &struct {
			Proposals []struct {
				A, B, C, D string
				E, F       *struct{}
				G          *struct{}
			}
		}{}},
		"one string": {`{"a":"` + strings.Repeat("x", 5<<20) + `"}`, Request, &map[string]string{}},
	} {
		b := NewBudget(1 << 30)
		share := b.Share()
		text, err := ReadJSON(WithShare(t.Context(), share), strings.NewReader(c.text), c.kind)
		if err != nil {
			t.Fatal(name, err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := json.Unmarshal(text, c.into); err != nil {
			t.Fatal(name, err)
		}
		runtime.ReadMemStats(&after)
		if took := int64(after.TotalAlloc-before.TotalAlloc) + int64(cap(text)); took > share.Weight() {
			t.Errorf("%s: decoding took %d bytes, %d were held", name, took, share.Weight())
		}
	}
}

func stream(t *testing.T, text string, kind Kind, most int64) ([]string, error) {
	t.Helper()
	s := NewStream(t.Context(), io.MultiReader(strings.NewReader(text)), kind, most)
	var values []string
	for {
		value, err := s.Next(t.Context())
		if err != nil {
			return values, err
		}
		values = append(values, string(value))
	}
}

func TestStream(t *testing.T) {
	long := `{"x":"` + strings.Repeat("a", 3*firstBuffer) + `"}`
	values, err := stream(t, ` {"a":1}{"b":[2]}`+"\n\r\n [3]\t"+long+long+`{}`+"\n", Line, 1<<20)
	if !errors.Is(err, io.EOF) || strings.Join(values, "|") != `{"a":1}|{"b":[2]}|[3]|`+long+"|"+long+"|{}" {
		t.Errorf("%.300q %v", values, err)
	}
	for name, c := range map[string]struct {
		text string
		code catalog.Code
		says string
	}{
		"long":  {`{}` + long, catalog.TooLarge, "more than 100000 bytes"},
		"what":  {`{} x`, catalog.Invalid, "neither"},
		"empty": {`{"edges":[` + strings.Repeat("{},", 30_000) + `{}]}`, catalog.Invalid, "more than 20000 values"},
	} {
		kind := Line
		kind.Items = 20_000
		_, err := stream(t, c.text, kind, 100_000)
		wants(t, name, err, c.code, c.says)
	}
	if _, err := stream(t, `{} {"a":`, Line, 100); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// TestStreamHolds: a stream holds the weight of its current value and of the kept ones.
func TestStreamHolds(t *testing.T) {
	b := budget(64 << 20)
	share := b.Share()
	ctx := WithShare(t.Context(), share)
	line := `{"x":"` + strings.Repeat("a", 2<<20) + `"}`
	s := NewStream(ctx, strings.NewReader(strings.Repeat(line, 20)), Line, 8<<20)
	next := func() error {
		_, err := s.Next(ctx)
		return err
	}
	for range 5 {
		if err := next(); err != nil {
			t.Fatal(err)
		}
	}
	if share.Weight() > 16<<20 {
		t.Errorf("lines that are done with weigh %d", share.Weight())
	}
	var err error
	for range 12 {
		s.Keep()
		if err = next(); err != nil {
			break
		}
	}
	wants(t, "twelve lines kept", err, catalog.TooLarge, "--request-memory")
	share.Release()
}
