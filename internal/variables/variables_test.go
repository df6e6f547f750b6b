package variables_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/internal/variables"
)

func TestExpand(t *testing.T) {
	values := map[string]string{"A": "a ${B}", "EMPTY": ""}
	for text, want := range map[string]string{
		"${A}": "a ${B}", "$A": "a ${B}", "x${C:-d}y": "xdy", "${C-d}": "d", "${C:=d}": "d", "${EMPTY:-e}": "e", "${EMPTY-f}": "", "${A:+g}${C:+h}": "g", "$5 ${5} ${A": "$5 ${5} ${A",
	} {
		got, absent := variables.Expand(text, func(name string) (string, bool) { is, ok := values[name]; return is, ok })
		if got != want || absent != nil {
			t.Errorf("%s becomes %q without %v, want %q", text, got, absent, want)
		}
	}
	if _, absent := variables.Expand("${C} $D ${EMPTY:?no}", func(name string) (string, bool) { is, ok := values[name]; return is, ok }); !cmp.Equal(absent, []string{"C", "D", "EMPTY"}) {
		t.Errorf("absent: %v", absent)
	}
}

func TestBraced(t *testing.T) {
	want := []variables.Reference{{Name: "A"}, {Name: "B", Default: true}, {Name: "C", Default: true}, {Name: "D"}}
	if diff := cmp.Diff(want, variables.Braced("${A}-${B:-b}${C-} ${D:+d} $E ${not a name}")); diff != "" {
		t.Error(diff)
	}
}
