package model

import (
	"slices"
	"strings"
	"testing"
)

// TestParseKeeping: members of newer writers are kept unchanged at any depth. Other faults
// are still refused.
func TestParseKeeping(t *testing.T) {
	r := Default()
	for _, c := range []struct {
		name, aspect, text string
		kept               []UnknownMember
		refused            string
	}{
		{"at the top", "status", `{"removed":false,"stage":{"b":null,"a":[1,2.50]}}`, []UnknownMember{{"Status", "stage"}}, ""},
		{
			"in a list, each once", "globalTags",
			`{"tags":[{"tag":"urn:li:tag:a","why":"x"},{"tag":"urn:li:tag:b","why":null}]}`,
			[]UnknownMember{{"TagAssociation", "why"}},
			"",
		},
		{"of an unknown aspect", "somethingNew", `{"any":{"thing":[null]}}`, nil, ""},
		{"a type that does not fit", "status", `{"removed":"no","stage":1}`, nil, "/removed"},
		{"an enum symbol", "ownership", `{"owners":[{"owner":"urn:li:corpuser:a","type":"NEWEST","x":1}]}`, nil, "NEWEST"},
		{"a missing member", "tagProperties", `{"color":"red"}`, nil, "/name"},
	} {
		v, err := r.ParseKeeping(LI(), c.aspect, []byte(c.text), KeepAll)
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || string(v.JSON) != c.text || !slices.Equal(v.Unknown, c.kept) {
			t.Errorf("%s: %+v %v", c.name, v, err)
		}
		if kept := r.UnknownMembers(LI(), c.aspect, []byte(c.text)); !slices.Equal(kept, c.kept) {
			t.Errorf("%s: unknown are %v", c.name, kept)
		}
	}
	if _, err := r.ParseKeeping(LI(), "status", []byte(`{"removed":true,"a":1,"b":2}`), KeepThose([]UnknownMember{{"Status", "a"}})); err == nil || !strings.Contains(err.Error(), "/b") {
		t.Errorf("one of two is kept: %v", err)
	}
	if _, err := r.Parse(LI(), "tagProperties", []byte(`{"name":"x","colourHex":"red"}`)); err == nil || !strings.Contains(err.Error(), "unrecognized field found but not allowed (did you mean colorHex?)") {
		t.Errorf("the nearest name: %v", err)
	}
}

func TestAspectNames(t *testing.T) {
	for name, want := range map[string]bool{"somethingNew": true, "a1": true, "": false, "1a": false, "a b": false, "a/b": false, strings.Repeat("x", 101): false} {
		if IsAspectName(name) != want {
			t.Errorf("%q: want %v", name, want)
		}
	}
	e, _ := Default().Entity(EntityDataset)
	if got := e.NearestAspects("ownershp"); !strings.Contains(got, "ownership") {
		t.Errorf("nearest: %q", got)
	}
}

func TestNewerRelease(t *testing.T) {
	for _, c := range []struct {
		release, than string
		want          bool
	}{
		{"1.7.0.18", "1.7.0.17", true},
		{"1.8", "1.7.0.17", true},
		{"v2.0.0rc1", "1.7.0.17", true},
		{"1.10.0", "1.9.9", true},
		{"1.7.0.17", "1.7.0.17", false},
		{"1.7", "1.7.0.0", false},
		{"0.10.5", "1.7.0.17", false},
		{"1.7.0.9rc3", "1.7.0.17", false},
		{"", "1.7.0.17", false},
		{"unknown", "1.7.0.17", false},
		{"99999999999999999999", "1.7", false},
	} {
		if got := NewerRelease(c.release, c.than); got != c.want {
			t.Errorf("%q newer than %q: %v", c.release, c.than, got)
		}
	}
	if r := Default().Release(); !NewerRelease(r, "1.6") || NewerRelease(r, "99") {
		t.Errorf("the model is of %q", r)
	}
}
