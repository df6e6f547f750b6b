package main

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// TestCommandWith: the suggested command works, and contains no secrets.
func TestCommandWith(t *testing.T) {
	for _, c := range []struct{ args, other, want string }{
		{"impact impact", "x.impact", "headwater impact x.impact"},
		{"impact orders --token s3cret -o json", "x", "headwater impact x -o json"},
		{"impact --token=s3cret orders", "x", "headwater impact x"},
		{"--token s3cret impact orders", "x", "headwater impact x"},
		{"impact orders --server http://me:s3cret@host:1", "x", "headwater impact x --server http://host:1"},
		{"impact orders --server me:s3cret%zz@host", "x", "headwater impact x"},
		{"impact orders --hops 2", "-x", "headwater impact --hops 2 -- -x"},
		{"impact --hops 2 -- orders", "x", "headwater impact --hops 2 x"},
		{"impact sales --owner=orders", "x y", "headwater impact sales --owner='x y'"},
		{"search --filter owners=orders", "x", "headwater search --filter owners=x"},
		{"runs list orders", "x", "headwater runs list x"},
	} {
		e := &cli.Environment{Args: strings.Fields(c.args)}
		verb, _, err := newRoot(e).Find(e.Args)
		if err != nil {
			t.Fatal(err)
		}
		e.Verb = verb
		name := "orders"
		if c.args == "impact impact" {
			name = "impact"
		}
		if got := e.CommandWith(name, c.other); got != c.want {
			t.Errorf("%s: %s, want %s", c.args, got, c.want)
		}
	}
}
