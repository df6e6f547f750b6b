package neo4j

import (
	"fmt"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// TestLatestWhileCommitting: what the database shows of latest versions while another transaction commits is read again, and
// what stays so counts.
func TestLatestWhileCommitting(t *testing.T) {
	version := func(name string, seq, number int64) graphstore.Aspect {
		return graphstore.Aspect{URN: "u", Name: name, Seq: seq, Version: number}
	}
	both := []graphstore.Aspect{version("a", 7, 0), version("b", 3, 0)}
	moved := []graphstore.Aspect{version("a", 6, 6), version("b", 3, 0)}
	for _, one := range []struct {
		what     string
		readings []latestRead
		want     []string
		reads    int
	}{
		{"nothing is written", []latestRead{{"u", both, nil}}, []string{"a 7", "b 3"}, 1},
		{"nothing is stored", []latestRead{}, nil, 1},
		{"a former version with its own number", []latestRead{{"u", moved, nil}, {"u", both, nil}}, []string{"a 7", "b 3"}, 2},
		{"neither the former version nor the new one", []latestRead{{"u", both[1:], []string{"a"}}, {"u", both, nil}}, []string{"a 7", "b 3"}, 2},
		{"the only aspect is gone for a moment", []latestRead{{"u", nil, []string{"a"}}, {"u", both[:1], nil}}, []string{"a 7"}, 2},
		{"an aspect that was deleted and has archived versions", []latestRead{{"u", both[1:], []string{"a"}}, {"u", both[1:], []string{"a"}}}, []string{"b 3"}, 2},
		{"another aspect is gone in the second reading", []latestRead{{"u", both[1:], []string{"a"}}, {"u", both[:1], []string{"b"}}, {"u", both, nil}}, []string{"a 7", "b 3"}, 3},
		{"both versions of an aspect", []latestRead{{"u", append([]graphstore.Aspect{version("a", 6, 0)}, both...), nil}, {"u", both, nil}}, []string{"a 7", "b 3"}, 2},
		{"an entity that is written all the time", slices.Repeat([]latestRead{{"u", append([]graphstore.Aspect{version("a", 6, 6)}, both...), nil}}, latestReads), []string{"a 7", "b 3"}, latestReads},
	} {
		reads, readings := 0, one.readings
		found, err := settledLatest([]string{"u"}, func(urns []string) ([]latestRead, error) {
			reads++
			if len(readings) == 0 {
				return nil, nil
			}
			next := readings[0]
			next.aspects, readings = slices.Clone(next.aspects), readings[1:]
			return []latestRead{next}, nil
		})
		var got []string
		for _, a := range found["u"] {
			got = append(got, fmt.Sprint(a.Name, " ", a.Seq))
			if !a.IsLatest() {
				t.Errorf("%s: version %d of %s is not called the latest", one.what, a.Seq, a.Name)
			}
		}
		if err != nil || !slices.Equal(got, one.want) || reads != one.reads {
			t.Errorf("%s: %v in %d readings (%v), want %v in %d", one.what, got, reads, err, one.want, one.reads)
		}
	}
}

// TestIncompletePages: a page of the log from which something was deleted while it was read is known by its numbers.
func TestIncompletePages(t *testing.T) {
	at := &position{}
	at.seqs[3], at.seqs[5] = 10, 4
	page := func(places ...[2]int64) (found []numberedChange) {
		for _, p := range places {
			found = append(found, numberedChange{Change: graphstore.Change{URN: "u", Kind: graphstore.ChangeUpsert}, shard: p[0], seq: p[1]})
		}
		return found
	}
	for _, one := range []struct {
		what             string
		found            []numberedChange
		deleted, missing bool
	}{
		{"no change", nil, false, false},
		{"the next ones of two shards", page([2]int64{3, 11}, [2]int64{5, 5}, [2]int64{3, 12}), false, false},
		{"a shard that begins later", page([2]int64{3, 12}), false, true},
		{"a change is missing in the middle", page([2]int64{5, 5}, [2]int64{5, 7}), false, true},
		{"a change without an entity", []numberedChange{{shard: 5, seq: 5}}, true, true},
		{"a change without a number", page([2]int64{5, 5}, [2]int64{0, 0}), true, true},
	} {
		if deleted, missing := incomplete(at, one.found); deleted != one.deleted || missing != one.missing {
			t.Errorf("%s: deleted %t, missing %t, want %t, %t", one.what, deleted, missing, one.deleted, one.missing)
		}
	}
}
