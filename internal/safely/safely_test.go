package safely

import (
	"errors"
	"io"
	"strings"
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
