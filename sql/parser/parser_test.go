package parser_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testleaks"
	"github.com/headwater-io/headwater/internal/testing/testsql"
	"github.com/headwater-io/headwater/sql/parser"
)

var shared = parser.New(testsql.Cache())

func TestMain(m *testing.M) { testleaks.Main(m) }

func TestParse(t *testing.T) {
	for _, dialect := range parser.Dialects() {
		name, _ := parser.DialectOf(dialect)
		trees, err := shared.Parse(t.Context(), "select a from t where b > 1; delete from u", name)
		if err != nil || len(trees) != 2 || trees[0].Kind != "select" || trees[1].Kind != "delete" {
			t.Errorf("%s: %v, %v", dialect, trees, err)
		}
	}
}

// TestHostileText gives the parser texts that would be dangerous to a parser inside the server.
func TestHostileText(t *testing.T) {
	many := 50_000
	for name, text := range map[string]string{
		"parentheses": "select " + strings.Repeat("(", many), "functions": "select " + strings.Repeat("f(", many),
		"queries": strings.Repeat("select * from (", many), "cases": "select " + strings.Repeat("case when ", many/2),
		"signs": "select " + strings.Repeat("- ", many), "not": "select " + strings.Repeat("not ", many),
		"sum": "select 1" + strings.Repeat("+1", many), "names": "select " + strings.Repeat("a.", many) + "b",
		"zero": "\x00\xff\xfe", "string": "select '" + strings.Repeat("'", many) + "x", "comment": strings.Repeat("/*", many),
		"long": strings.Repeat("x", limits.MaxSQLBytes+1), "unions": "select 1" + strings.Repeat(" union select 1", many/2),
		"joins": "select 1 from t" + strings.Repeat(" join t", many/2), "brackets": "select " + strings.Repeat("[", many),
		"arrows": "select " + strings.Repeat("x -> ", many), "between": "select " + strings.Repeat("a between b and ", many/4),
	} {
		_, err := shared.Parse(t.Context(), text, "postgresql")
		var syntax *parser.SyntaxError
		if err != nil && !errors.As(err, &syntax) {
			t.Errorf("%s: %v", name, err)
		}
		if trees, err := shared.Parse(t.Context(), "select 1", "generic"); err != nil || len(trees) != 1 {
			t.Fatalf("after %s the parser answers %v, %v", name, trees, err)
		}
	}
}

func TestSyntaxError(t *testing.T) {
	_, err := shared.Parse(t.Context(), "select a\nfrom from t", "postgresql")
	var syntax *parser.SyntaxError
	if !errors.As(err, &syntax) || syntax.Line != 2 || syntax.Message == "" {
		t.Errorf("got %v", err)
	}
	_, err = shared.Parse(t.Context(), "select "+strings.Repeat("(", 40)+"1"+strings.Repeat(")", 40), "postgresql")
	if err == nil || !strings.Contains(err.Error(), "nesting of a statement is limited to 32") {
		t.Errorf("got %v", err)
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	if _, err := shared.Parse(ctx, "select 1", "generic"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestCanceledWhileParsing: the module asks during a text whether the call is still wanted.
func TestCanceledWhileParsing(t *testing.T) {
	if _, err := shared.Parse(t.Context(), "select 1", "postgresql"); err != nil {
		t.Fatal(err)
	}
	text := "select 1" + strings.Repeat(", coalesce(a, b)", limits.MaxSQLBytes/17)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if trees, err := shared.Parse(ctx, text, "postgresql"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %d statements, %v", len(trees), err)
	}
	if trees, err := shared.Parse(t.Context(), "select 1", "generic"); err != nil || len(trees) != 1 {
		t.Errorf("afterwards the parser answers %v, %v", trees, err)
	}
}

func TestClosed(t *testing.T) {
	unused, used := parser.New(""), parser.New(testsql.Cache())
	if _, err := used.Parse(t.Context(), "select 1", "generic"); err != nil {
		t.Error(err)
	}
	for _, p := range []*parser.Parser{unused, used} {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if _, err := p.Parse(t.Context(), "select 1", "generic"); !errors.Is(err, parser.ErrClosed) {
			t.Errorf("a closed parser answers %v", err)
		}
	}
}

func TestUnusableDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	broken := parser.New(file)
	defer broken.Close()
	if _, err := broken.Parse(t.Context(), "select 1", "generic"); err == nil || !strings.Contains(err.Error(), "directory of the compiled SQL parser") {
		t.Errorf("got %v", err)
	}
}

// TestCloseWhileParsing: a parser that is closed while texts are parsed ends these calls, and a call afterwards says that it is closed.
func TestCloseWhileParsing(t *testing.T) {
	p := parser.New(testsql.Cache())
	if _, err := p.Parse(t.Context(), "select 1", "postgres"); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	text := "select " + strings.Repeat("coalesce(a, b) + ", 2000) + "1 from t"
	for range 6 {
		group.Go(func() {
			for {
				if _, err := p.Parse(context.Background(), text, "postgres"); err != nil {
					if !errors.Is(err, parser.ErrClosed) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	group.Wait()
}
