package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
)

func TestSettingsOfAWrongTypeAreErrorsWithTheirPath(t *testing.T) {
	r := New(map[string]any{"host": []any{}, "profiling": map[string]any{"enabled": "perhaps", "limit": 1.5, "few": 0}, "options": "x", "names": []any{1}})
	r.Text("host", "")
	p := r.Section("profiling")
	p.Bool("enabled", false)
	p.Whole("limit", 1, 1, 10)
	p.Number("few", 1, 1, 10)
	r.Section("options")
	r.Texts("names", 10)
	for _, want := range []string{"host must be a text", "profiling.enabled must be true or false", "profiling.limit must be a whole number", "profiling.few must be from 1 to 10", "options must be a section", "names[0] must be a text"} {
		if err := r.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}

func TestTextsOfTheEnvironmentAreNumbersAndTruths(t *testing.T) {
	r := New(map[string]any{"enabled": "Yes", "limit": "12", "absent": nil})
	if !r.Bool("enabled", false) || r.Whole("limit", 1, 1, 100) != 12 || r.Text("absent", "x") != "x" || r.Err() != nil {
		t.Error(r.Err())
	}
}

func TestUnknownSettingsHaveTheirPathAndTheNearestName(t *testing.T) {
	r := New(map[string]any{"hostport": "x", "profiling": map[string]any{"enabled": true, "max_wokers": 3}, "domain": map[string]any{"a": 1}})
	r.Text("host_port", "")
	r.Section("profiling").Bool("enabled", false)
	r.all.readers[1].WithoutEffect("max_workers")
	r.OnlyFalse("domain")
	if got := r.Unknown(); !slices.Equal(got, []string{"domain", "hostport", "profiling.max_wokers"}) {
		t.Error(got)
	}
	text := r.Err().Error()
	for _, want := range []string{"did you mean host_port?", "did you mean profiling.max_workers?", "domain has a value that only the Python client can follow"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %q", text, want)
		}
	}
}

func TestPatternsMatchTheBeginningOfNames(t *testing.T) {
	r := New(map[string]any{"p": map[string]any{"allow": []any{"shop", `hr\.`}, "deny": []any{"SHOP_OLD"}}, "exact": map[string]any{"allow": []any{"A$"}, "ignoreCase": false}, "none": map[string]any{"allow": []any{}}})
	p, exact, none := r.Pattern("p", Pattern{}), r.Pattern("exact", Pattern{}), r.Pattern("none", Pattern{})
	for name, want := range map[string]bool{"Shop.x": true, "shop_old.x": false, "hr.x": true, "hrx": false, "my shop": false} {
		if p.Allows(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	if !exact.Allows("A") || exact.Allows("a") || exact.Allows("AB") || none.Allows("x") || !(Pattern{}).Allows("x") || Denying("in").Allows("information") {
		t.Error("the patterns without letter case, with no name, and without expressions")
	}
}

func TestPatternsOfPythonAreForeign(t *testing.T) {
	r := New(map[string]any{"p": map[string]any{"allow": []any{"ok", "(?!tmp)x"}, "deny": []any{`(a)\1`}}, "bad": map[string]any{"deny": []any{"("}}})
	r.Pattern("p", Pattern{})
	r.Pattern("bad", Pattern{})
	if got := r.Unknown(); !slices.Equal(got, []string{"p.allow[1]", "p.deny[0]"}) {
		t.Error(got)
	}
	if err := r.Err(); err == nil || !strings.Contains(err.Error(), "bad.deny[0] is not a regular expression") {
		t.Error(err)
	}
}

func TestPatternsHaveALimit(t *testing.T) {
	list := func(n int) map[string]any {
		items := make([]any, n)
		for i := range items {
			items[i] = fmt.Sprint("n", i)
		}
		return map[string]any{"p": map[string]any{"allow": items}}
	}
	most := New(list(limits.MaxRecipePatterns))
	most.Pattern("p", Pattern{})
	more := New(list(limits.MaxRecipePatterns + 1))
	more.Pattern("p", Pattern{})
	if most.Err() != nil || more.Err() == nil {
		t.Errorf("%v; %v", most.Err(), more.Err())
	}
}

func TestSecretsAreHidden(t *testing.T) {
	r := New(map[string]any{"password": "hunter2"})
	r.Secret("password")
	cause := errors.New("no login with hunter2")
	if err := r.Without(fmt.Errorf("x: %w", cause)); strings.Contains(err.Error(), "hunter2") || !errors.Is(err, cause) {
		t.Error(err)
	}
	if r.Without(nil) != nil || errors.Unwrap(r.Without(cause)) != nil {
		t.Error("an error without text, or one that can be unwrapped to the secret")
	}
}

// TestExpressionsHaveALimit: an expression may be so long, and not one byte longer.
func TestExpressionsHaveALimit(t *testing.T) {
	r := New(nil)
	if r.Expression("most", "", strings.Repeat("a", limits.MaxRecipePatternBytes)) == nil || r.Err() != nil {
		t.Errorf("an expression of the length that is allowed: %v", r.Err())
	}
	if r.Expression("more", "", strings.Repeat("a", limits.MaxRecipePatternBytes+1)) != nil || !strings.Contains(fmt.Sprint(r.Err()), "more has 4097 bytes, more than 4096") {
		t.Errorf("a longer one: %v", r.Err())
	}
}

// TestClassesOfCharactersHaveAllAlphabets: \w and the other classes mean what they mean in Python.
func TestClassesOfCharactersHaveAllAlphabets(t *testing.T) {
	for _, c := range []struct {
		expression, text, found string
	}{
		{`\w+`, "Jürgen_1 x", "Jürgen_1"},
		{`[\w.-]+`, "Jürgen.Ö-2@x", "Jürgen.Ö-2"},
		{`[^\d]+`, "ab٣", "ab"},
		{`\d+`, "1٣a", "1٣"},
		{`\W+`, "-.ü", "-."},
		{`\S+`, "ü\u00a0b", "ü"},
		{`a\Z`, "a", "a"},
		{`[]\w]+`, "]ü", "]ü"},
		{`[^]\w]+`, "-]", "-"},
		{`[[\w]+`, "[ü", "[ü"},
		{`\\w`, `\w`, `\w`},
		{`\[\w`, "[ü", "[ü"},
	} {
		r := New(nil)
		if e := r.Expression("e", "", c.expression); e == nil || e.FindString(c.text) != c.found {
			t.Errorf("%s: %v %v", c.expression, e, r.Err())
		}
	}
}
