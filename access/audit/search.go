package audit

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/requestinfo"
)

// scanPage is how many records a search reads at once.
const scanPage = 50

// Search selects entries. Zero members select everything.
type Search struct {
	// Actor is the URN of the caller, also of a caller who acts in another's name. Entity is the URN of an
	// entity that the entry lists.
	Actor, Entity string
	Kinds         []Kind
	// Allowed selects allowed deeds (true) or refused deeds (false).
	Allowed *bool
	// Since and Until bound the time, epoch milliseconds. Both are included; 0 is no bound.
	Since, Until int64
	// Keep, if set, is a further condition.
	Keep func(*Entry) bool
	// Limit is how many entries the page may have; 0 means limits.DefaultAuditPage. Cursor is the cursor of
	// the page before this one.
	Limit  int
	Cursor string
	// Count asks for the number of further entries, too.
	Count bool
}

// Page is a part of the answer to a search.
type Page struct {
	// Entries are in the order of time, the newest first.
	Entries []Entry
	// Cursor continues after this page; it is "" if there is nothing more. A page may have fewer
	// entries than its limit, or none, and still have a Cursor.
	Cursor string
	// LookedTo is the time of the oldest entry that the search has looked at, 0 if it has looked at
	// all.
	LookedTo int64
	// Total counts the entries of this page and, if the search asks for it, the later entries in the records
	// that were read.
	Total int
}

// place is a place in the order of entries.
type place struct {
	time int64
	id   string
}

// compare orders places, the newest first.
func (p place) compare(o place) int {
	return cmp.Or(cmp.Compare(o.time, p.time), cmp.Compare(o.id, p.id))
}

func (e *Entry) place() place { return place{e.Time, e.ID} }

var cursorForm = regexp.MustCompile(`^[0-9]{1,15}-[A-Z2-7]{8}-[0-9]{12,18}$`)

// parseCursor returns the place of a cursor. The cursor "" is the place before all entries.
func parseCursor(text string) (place, error) {
	if text == "" {
		return place{time: math.MaxInt64}, nil
	}
	if !cursorForm.MatchString(text) {
		return place{}, catalog.Errorf(catalog.Invalid, "cursor is not the cursor of an earlier page")
	}
	first, id, _ := strings.Cut(text, "-")
	at, err := strconv.ParseInt(first, 10, 64)
	return place{at, id}, err
}

func (p place) cursor() string { return strconv.FormatInt(p.time, 10) + "-" + p.id }

// Cursor returns the cursor that continues after an entry.
func (e *Entry) Cursor() string { return e.place().cursor() }

// Present returns the time of the trail's clock, epoch milliseconds, 0 without a trail.
func (s *Service) Present() int64 {
	if s == nil {
		return 0
	}
	return s.Now().UnixMilli()
}

// CheckReader fails unless the caller of a request may read the entries of some actors, none for all
// entries. Whoever manages the system may read everything, and so may anybody while authentication is
// off. Everybody else may read their own entries.
func CheckReader(ctx context.Context, actors ...string) error {
	caller := requestinfo.CallerOf(ctx)
	if caller.Actor != "" && len(actors) == 1 && actors[0] == caller.Actor {
		return nil
	}
	const done = "read the audit trail of others (name yourself as the actor)"
	if err := permission.Require(ctx, done, manageSystem); err != nil {
		return err
	}
	return permission.RequireWhole(ctx, done) // it names every entity
}

// manageSystem is the privilege to read the whole trail.
const manageSystem = "MANAGE_SYSTEM_OPERATIONS"

// Search returns a page of entries. It reads at most limits.MaxAuditScan records after the cursor.
func (s *Service) Search(ctx context.Context, q Search) (*Page, error) {
	if err := CheckReader(ctx, q.Actor); err != nil {
		return nil, err
	}
	if s == nil {
		return nil, catalog.Errorf(catalog.NotFound, "this server keeps no audit trail")
	}
	if q.Limit == 0 {
		q.Limit = limits.DefaultAuditPage
	}
	if q.Limit < 1 || q.Limit > limits.MaxAuditPage {
		return nil, catalog.Errorf(catalog.Invalid, "limit must be between 1 and %d", limits.MaxAuditPage)
	}
	if q.Since < 0 || q.Until < 0 {
		return nil, catalog.Errorf(catalog.Invalid, "since and until must not be negative")
	}
	after, err := parseCursor(q.Cursor)
	if err != nil {
		return nil, err
	}
	if !s.failing() { // so that callers see their latest acts
		if err := s.flush(ctx, math.MaxInt64); err != nil {
			return nil, err
		}
	}
	if q.Until > 0 && q.Until < after.time {
		after = place{time: q.Until + 1}
	}
	reading := &search{Search: q, after: after, page: &Page{Entries: []Entry{}}}
	if err := reading.read(ctx, &s.records); err != nil {
		return nil, err
	}
	return reading.page, nil
}

// search is a search in progress.
//
// Records are read in the order of their newest entries. An entry may be older than entries of later
// records, by up to groupSpan. So entries wait until the newest entry of the last record that was
// read is older than they are. A search that continues at a cursor begins with the records up to
// groupSpan before the cursor.
type search struct {
	Search
	after place
	page  *Page
	// waiting are entries in their order.
	waiting []Entry
	// seen is the last entry that was looked at.
	seen *place
	over bool
}

func (r *search) read(ctx context.Context, from *records.Records[group]) error {
	begin := ""
	if r.after.time < maxTime {
		begin = nameOf(r.after.time+groupSpan+1, "~")
	}
	for scanned := 0; !r.over; {
		page, err := from.Page(ctx, "", begin, scanPage)
		if err != nil {
			return err
		}
		for i := range page {
			entries := page[i].Value.Entries
			if len(entries) == 0 {
				continue
			}
			newest := entries[len(entries)-1].Time
			r.look(func(e *Entry) bool { return e.Time > newest })
			if r.over {
				return nil
			}
			if newest <= r.after.time {
				scanned++
			}
			r.add(entries)
		}
		if len(page) < scanPage {
			r.look(func(*Entry) bool { return true })
			r.finish()
			return nil
		}
		begin = page[len(page)-1].Name
		if scanned >= limits.MaxAuditScan && r.seen != nil {
			r.stop()
		}
	}
	return nil
}

// add lets the entries of a record wait that come after the cursor.
func (r *search) add(entries []Entry) {
	for i := range entries {
		if entries[i].place().compare(r.after) > 0 {
			r.waiting = append(r.waiting, entries[i])
		}
	}
	slices.SortFunc(r.waiting, func(a, b Entry) int { return a.place().compare(b.place()) })
}

// look looks at the first waiting entries as long as they are ripe.
func (r *search) look(ripe func(*Entry) bool) {
	n := 0
	for ; n < len(r.waiting) && ripe(&r.waiting[n]) && !r.over; n++ {
		e := &r.waiting[n]
		switch {
		case e.Time < r.Since:
			r.finish()
		case !r.matches(e):
			r.saw(e)
		case len(r.page.Entries) < r.Limit:
			r.page.Entries = append(r.page.Entries, *e)
			r.page.Total++
			r.saw(e)
		case !r.Count:
			r.stop()
		default:
			r.page.Total++
		}
	}
	r.waiting = slices.Delete(r.waiting, 0, n)
}

// saw moves the end of the page behind an entry, unless the page is full and the search goes on only to count.
func (r *search) saw(e *Entry) {
	if r.page.Total > len(r.page.Entries) {
		return
	}
	at := e.place()
	r.seen = &at
}

// stop ends the page before the end of the trail.
func (r *search) stop() {
	r.over = true
	r.page.Cursor, r.page.LookedTo = r.seen.cursor(), r.seen.time
}

// finish ends the page at the end of the trail, or at the bound of time.
func (r *search) finish() {
	if r.over {
		return
	}
	if r.page.Total > len(r.page.Entries) {
		r.stop()
	}
	r.over = true
}

func (q *Search) matches(e *Entry) bool {
	return (q.Actor == "" || e.Actor == q.Actor || e.Impersonator == q.Actor) &&
		(q.Entity == "" || slices.Contains(e.Entities, q.Entity)) &&
		(len(q.Kinds) == 0 || slices.Contains(q.Kinds, e.Kind)) &&
		(q.Allowed == nil || e.Allowed == *q.Allowed) &&
		(q.Keep == nil || q.Keep(e))
}
