package change_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog/change"
)

// short returns the last part of a name of a table.
func short(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// said is a result in few words, in the form of the commits.
func said(r *change.Result) commit {
	var s commit
	for i := range r.Changes {
		ch := &r.Changes[i]
		text := ch.Kind + " " + short(ch.Table)
		if ch.Column != "" {
			text += "." + ch.Column
		}
		s.Changes = append(s.Changes, text)
	}
	for i := range r.Certain {
		if at := &r.Certain[i]; at.Clause == "behind" {
			s.Behind = append(s.Behind, short(at.Name))
		} else {
			s.Certain = append(s.Certain, short(at.Name))
		}
	}
	for i := range r.Possible {
		s.Possible = append(s.Possible, short(r.Possible[i].Name))
	}
	for _, p := range r.NewPersonalData {
		s.Personal = append(s.Personal, short(p.Table)+"."+p.Column)
	}
	return s
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// TestCommits: the answer about each commit of the project is the one that the commit's file lists.
func TestCommits(t *testing.T) {
	reader, before, all := sqlReader(t), projectFiles(t), commits(t)
	if len(all) < 20 {
		t.Fatalf("there are %d commits", len(all))
	}
	for i := range all {
		c := &all[i]
		t.Run(c.Name, func(t *testing.T) {
			base, head := before, c.edited(t, before)
			if c.Revert {
				base, head = head, base
			}
			result, err := change.Compare(t.Context(), reader, stateOf(t, base), stateOf(t, head), change.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := said(result)
			for _, part := range []struct {
				what      string
				want, got []string
			}{
				{"changes", c.Changes, got.Changes},
				{"certain", c.Certain, got.Certain},
				{"behind", c.Behind, got.Behind},
				{"possible", c.Possible, got.Possible},
				{"personal", c.Personal, got.Personal},
			} {
				if diff := cmp.Diff(sorted(part.want), sorted(part.got)); diff != "" {
					t.Errorf("%s: %s", part.what, diff)
				}
			}
			if len(result.NotUnderstood) > 0 && len(c.Certain) == 0 {
				t.Errorf("not understood: %+v", result.NotUnderstood)
			}
			if t.Failed() {
				t.Logf("%s", asJSON(t, result))
			}
		})
	}
}
