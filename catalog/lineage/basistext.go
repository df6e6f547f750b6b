package lineage

import (
	"fmt"
	"strings"
	"time"

	"github.com/headwater-io/headwater/internal/wording"
)

// basisNamed bounds the sources that a summary names.
const basisNamed = 5

// sentence returns the basis as a sentence.
func (b *Basis) sentence() string {
	parts := []string{b.sourcesText()}
	if n := b.WithoutColumnLineage; n > 0 {
		verb := "have"
		if n == 1 {
			verb = "has"
		}
		parts = append(parts, fmt.Sprintf("%d of %s %s no column lineage", n, wording.Counted(b.Entities, "entity", "entities"), verb))
	}
	if missing := b.Walked - b.Entities; missing > 0 {
		parts = append(parts, fmt.Sprintf("only the nearest %d of %d entities were looked at", b.Entities, b.Walked))
	}
	return strings.Join(parts, "; ")
}

func (b *Basis) sourcesText() string {
	if len(b.Sources) == 0 {
		return "nothing that anybody stated"
	}
	var texts []string
	for i := range b.Sources {
		if i == basisNamed {
			break
		}
		texts = append(texts, b.Sources[i].text(b.At))
	}
	if more := len(b.Sources) + b.MoreSources - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, ", ")
}

// text describes a source: the number of its entities and when they were last stated, and when
// its last run failed.
func (b *BasisSource) text(now int64) string {
	var facts []string
	if b.Entities > 0 {
		facts = append(facts, wording.Counted(b.Entities, "entity", "entities"), "seen "+agoText(b.LastSeen, now))
	}
	if f := b.FailedSince; f != nil {
		facts = append(facts, f.text(now))
	}
	name := b.Name
	if b.Actor != "" {
		name += " without a run"
	}
	return name + " (" + strings.Join(facts, ", ") + ")"
}

// text describes since when a source fails.
func (f *FailedRun) text(now int64) string {
	if f.Runs <= 1 {
		return "last run failed " + agoText(f.At, now)
	}
	return fmt.Sprintf("failing since %s, %d runs", agoText(f.At, now), f.Runs)
}

// agoText tells how long before now a moment was. For a moment after now, agoText returns the
// moment itself.
func agoText(at, now int64) string {
	if age := wording.Age(time.Duration(now-at) * time.Millisecond); age != "" {
		return age
	}
	return "at " + time.UnixMilli(at).UTC().Format(time.RFC3339)
}
