package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/clip"
	"github.com/headwater-io/headwater/internal/limits"
)

// RefusedError is the error of a request some of whose members were refused. Its code is the worst
// of their codes.
type RefusedError struct {
	// Failure has the message, which names the first refused members.
	Failure *Error
	// Members are the first refused members in the order of the request, at most
	// limits.MaxRefusedMembers. Total counts all refused members.
	Members []RefusedMember
	Total   int
}

// RefusedMember is a member of a request that was refused.
type RefusedMember struct {
	// Index is its place in the request, from 0.
	Index int
	// URN and Aspect have the spelling of the request.
	URN, Aspect string
	Err         error
}

func (e *RefusedError) Error() string { return e.Failure.Error() }

func (e *RefusedError) Unwrap() error { return e.Failure }

// severity orders the codes that a member may be refused with, the worst last.
var severity = []Code{Invalid, NotFound, Conflict, Precondition, TooLarge, Validation, Timeout, Busy, Unavailable, Internal}

// RefusedMembers gathers the refused members of a request.
type RefusedMembers struct {
	members []RefusedMember
	total   int
	worst   Code
	cause   error
}

// Add adds a refused member, with its texts cut to the length that callers are shown.
func (r *RefusedMembers) Add(m RefusedMember) {
	code := CodeOf(m.Err)
	if r.total++; r.total == 1 || slices.Index(severity, code) > slices.Index(severity, r.worst) {
		r.worst, r.cause = code, m.Err
	}
	if len(r.members) < limits.MaxRefusedMembers {
		m.URN, m.Aspect = Beginning(m.URN), Beginning(m.Aspect)
		r.members = append(r.members, m)
	}
}

// Err returns the error of the request, or nil if no member was refused. outcome is the outcome of the
// request, such as "nothing was written".
func (r *RefusedMembers) Err(of int, outcome string) error {
	if r.total == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d were refused, %s", r.total, of, outcome)
	named := min(len(r.members), namedRefusals)
	for i := range r.members[:named] {
		m := &r.members[i]
		fmt.Fprintf(&b, "\n%d: %s %s: %s", m.Index, clip.Text(m.URN, namedURN), clip.Text(m.Aspect, namedAspect), clip.Text(MessageOf(m.Err), namedReasons/named))
	}
	if r.total > namedRefusals {
		fmt.Fprintf(&b, "\nand %d more", r.total-namedRefusals)
	}
	return &RefusedError{Failure: &Error{Code: r.worst, Message: b.String(), Err: r.cause}, Members: r.members, Total: r.total}
}

// namedRefusals is how many refused members a message names. The other constants are the bytes of
// each text, and of all reasons together, so that the message fits into limits.MaxMessageBytes.
const (
	namedRefusals = 4
	namedURN      = 130
	namedAspect   = 50
	namedReasons  = 1000
)
