package write

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
)

// These headers of a proposal state conditions. Their names are read in any letter case. Conditions
// are checked inside the transaction of the write. If one does not hold, nothing of the request is
// written, and the error has the code Precondition. A RESTATE has no conditions.
const (
	// IfVersionMatch: the stored version has this number, -1 for no version.
	IfVersionMatch = "If-Version-Match"
	// IfModifiedSince: the stored value was written after this time.
	IfModifiedSince = "If-Modified-Since"
	// IfUnmodifiedSince: the stored value was written at this time or before.
	IfUnmodifiedSince = "If-Unmodified-Since"
	// IfNoneMatch is always "*". With it, a CREATE of an existing aspect and a CREATE_ENTITY of an
	// existing entity change nothing, and are not refused.
	IfNoneMatch = "If-None-Match"
)

// noVersion is the version number of an aspect without a value.
const noVersion = -1

// preconditions are the conditions that a change states about the stored version.
type preconditions struct {
	version                        *int64
	modifiedSince, unmodifiedSince *time.Time
	// elseNothing: a change that would create an existing entity or aspect is left out.
	elseNothing bool
}

// preconditionsOf reads the conditions among the headers of a proposal.
func preconditionsOf(p *Proposal, kind string) (*preconditions, error) {
	var c preconditions
	stated := false
	for name, text := range p.Headers {
		var err error
		switch {
		case strings.EqualFold(name, IfVersionMatch):
			c.version, err = readVersion(text)
		case strings.EqualFold(name, IfModifiedSince):
			c.modifiedSince, err = readTime(IfModifiedSince, text)
		case strings.EqualFold(name, IfUnmodifiedSince):
			c.unmodifiedSince, err = readTime(IfUnmodifiedSince, text)
		case strings.EqualFold(name, IfNoneMatch):
			c.elseNothing = true
			if strings.TrimSpace(text) != "*" || kind != Create && kind != CreateEntity {
				err = catalog.Errorf(catalog.Invalid, "header %s is for CREATE and CREATE_ENTITY and must be *", IfNoneMatch)
			}
		default:
			continue
		}
		if err != nil {
			return nil, err
		}
		stated = true
	}
	if !stated {
		return nil, nil
	}
	return &c, nil
}

func readVersion(text string) (*int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return nil, catalog.Errorf(catalog.Invalid, "header %s is %q, which is not a version", IfVersionMatch, text)
	}
	return &n, nil
}

func readTime(name, text string) (*time.Time, error) {
	t, err := time.Parse(time.RFC3339, strings.TrimSpace(text))
	if err != nil {
		return nil, catalog.Errorf(catalog.Invalid, "header %s is %q, which is not a time such as 2026-11-21T20:00:00Z", name, text)
	}
	return &t, nil
}

// creates reports whether a change may only write an entity or aspect that does not exist yet.
func (ch *change) creates() bool { return ch.kind == Create || ch.kind == CreateEntity }

// admit decides whether a change is applied, from the latest version of its aspect, nil for none,
// and from whether its entity existed before the request. A change that is left out has no error.
func (ch *change) admit(latest *graphstore.Aspect, entityExists bool) (leftOut bool, err error) {
	exists := ch.kind == Create && latest != nil || ch.kind == CreateEntity && entityExists
	if exists && ch.conditions != nil && ch.conditions.elseNothing {
		return true, nil
	}
	if err := ch.conditions.check(ch, latest); err != nil || !exists {
		return false, err
	}
	if ch.kind == CreateEntity {
		return false, catalog.Errorf(catalog.Precondition, "%s already exists, CREATE_ENTITY expects that it does not", ch.urn)
	}
	return false, catalog.Errorf(catalog.Precondition, "the aspect %s of %s already exists in version %d, CREATE expects that it does not", ch.aspect.Name, ch.urn, latest.Seq)
}

func (c *preconditions) check(ch *change, latest *graphstore.Aspect) error {
	if c == nil {
		return nil
	}
	actual, written := int64(noVersion), time.UnixMilli(0)
	if latest != nil {
		actual, written = latest.Seq, time.UnixMilli(latest.CreatedOn)
	}
	if ch.creates() {
		actual = noVersion
	}
	if c.version != nil && *c.version != actual {
		return unmetBy(ch, "expected version %d, actual version %d", *c.version, actual)
	}
	if c.modifiedSince != nil && !written.After(*c.modifiedSince) {
		return unmetBy(ch, "expected a modification after %s, %s", stampText(*c.modifiedSince), lastWritten(latest, written))
	}
	if c.unmodifiedSince != nil && written.After(*c.unmodifiedSince) {
		return unmetBy(ch, "expected no modification after %s, %s", stampText(*c.unmodifiedSince), lastWritten(latest, written))
	}
	return nil
}

// unmetBy is the error of a change one of whose conditions does not hold.
func unmetBy(ch *change, reason string, args ...any) *catalog.Error {
	reason = fmt.Sprintf(reason, args...)
	return &catalog.Error{
		Code: catalog.Precondition, Message: catalog.Errorf(catalog.Precondition, "%s of %s: %s", ch.aspect.Name, ch.urn, reason).Message,
		Err: &catalog.UnmetError{Reason: strings.ToUpper(reason[:1]) + reason[1:]},
	}
}

func stampText(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func lastWritten(latest *graphstore.Aspect, written time.Time) string {
	if latest == nil {
		return "the aspect does not exist"
	}
	return fmt.Sprintf("version %d was written at %s", latest.Seq, stampText(written))
}
