package safely

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
)

func TestDo(t *testing.T) {
	if err := Do(func() error { return nil }); err != nil {
		t.Error(err)
	}
	if err := Do(func() error { return io.EOF }); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	var caught *PanicError
	err := Func(func() error { panic("broken") })()
	if !errors.As(err, &caught) || caught.Value != "broken" || !strings.Contains(err.Error(), "safely_test.go") {
		t.Errorf("%v does not say what and where", err)
	}
	err = Do(func() error {
		var list []int
		_ = list[len(list)]
		return nil
	})
	if !errors.As(err, &caught) || !strings.Contains(err.Error(), "index out of range") {
		t.Error(err)
	}
	if err = Do(func() error { panic(io.EOF) }); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// TestEach: each index is done once, a panic is an error, and the other calls learn of an error.
func TestEach(t *testing.T) {
	for n := range 5 {
		done := make([]atomic.Int32, n)
		err := Each(t.Context(), n, 2, func(_ context.Context, i int) error {
			done[i].Add(1)
			return nil
		})
		for i := range done {
			if times := done[i].Load(); err != nil || times != 1 {
				t.Errorf("%d of %d was done %d times: %v", i, n, times, err)
			}
		}
		var caught *PanicError
		if err := Each(t.Context(), n, 2, func(context.Context, int) error { panic("broken") }); n > 0 && !errors.As(err, &caught) {
			t.Errorf("a panic in one of %d: %v", n, err)
		}
	}
	err := Each(t.Context(), 2, 2, func(ctx context.Context, i int) error {
		if i == 0 {
			return io.EOF
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}
