package strictyaml

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

type sample struct {
	Name   string              `yaml:"name"`
	Parts  []part              `yaml:"parts"`
	ByName map[string]part     `yaml:"byName"`
	Fits   *regexp.Regexp      `yaml:"fits"`
	Lists  map[string][]string `yaml:"lists"`
	Hidden string              `yaml:"-"`
}

type part struct {
	Size int `yaml:"size"`
}

func TestDecode(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"all members", "name: a\nparts: [{size: 1}]\nbyName: {x: {size: 2}}\nfits: ^a$\nlists: {y: [z]}", ""},
		{"an alias", "byName: {x: &x {size: 2}, y: *x}", ""},
		{"JSON", `{"name": "a", "parts": [{"size": 1}]}`, ""},
		{"an unknown member", "nam: a", "line 1: there is no setting nam"},
		{"the nearest member", "parts:\n- {sise: 1}", "line 2: there is no setting parts[0].sise (did you mean size?)"},
		{"a member of a map", "byName: {x: {sizes: 1}}", "byName.x.sizes"},
		{"a member by an alias", "byName: {x: &x {sizes: 1}, y: *x}", "byName.x.sizes"},
		{"a hidden member", "Hidden: a", "there is no setting Hidden"},
		{"a list in place of a map", "byName: [a]", "byName has the wrong form"},
		{"a text in place of a list", "parts: a", "parts has the wrong form"},
		{"a wrong type", "parts: [{size: a}]", "cannot unmarshal"},
		{"a wrong expression", "fits: '('", "missing closing"},
		{"no mapping", "a", "has the wrong form"},
	} {
		var s sample
		err := Decode([]byte(c.text), &s)
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := Decode([]byte(" \n"), &sample{}); !errors.Is(err, ErrEmpty) {
		t.Errorf("an empty text: %v", err)
	}
}
