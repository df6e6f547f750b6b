package parser_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/internal/testing/testsql"
	"github.com/headwater-io/headwater/sql/parser"
)

// TestAhead: parsing a text ahead gives the same result as parsing it at once, syntax errors included,
// however many texts are begun. Each result is given once.
func TestAhead(t *testing.T) {
	for i := range 40 {
		shared.Ahead(fmt.Sprintf("select %d from", i), "postgresql")
		shared.Ahead(fmt.Sprintf("select c%d from t", i), "postgresql")
	}
	for i := range 40 {
		text := fmt.Sprintf("select c%d from t", i)
		shared.Ahead(text, "postgresql")
		first, err := shared.Parse(t.Context(), text, "postgresql")
		if err != nil {
			t.Fatal(err)
		}
		first[0].Members["changed"] = true
		second, err := shared.Parse(t.Context(), text, "postgresql")
		if err != nil || second[0].Members["changed"] != nil {
			t.Fatalf("the second result is %v, %v", second, err)
		}
		delete(first[0].Members, "changed")
		if diff := cmp.Diff(second, first); diff != "" {
			t.Fatal(diff)
		}
		var syntax *parser.SyntaxError
		if _, err := shared.Parse(t.Context(), fmt.Sprintf("select %d from", i), "postgresql"); !errors.As(err, &syntax) {
			t.Fatalf("got %v, want a syntax error", err)
		}
	}
}

// TestAheadOfClose: a closed parser gives up texts that were begun.
func TestAheadOfClose(t *testing.T) {
	p := parser.New(testsql.Cache())
	p.Ahead("select 1", "postgresql")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	p.Ahead("select 2", "postgresql")
	if _, err := p.Parse(t.Context(), "select 2", "postgresql"); !errors.Is(err, parser.ErrClosed) {
		t.Errorf("got %v", err)
	}
}
