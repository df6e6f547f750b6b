package querylog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// Log counts the statements of logs. Statements that differ only in literals are one. The size of a Log is bounded by
// limits.MaxLogStatements, MaxLogTextBytes and MaxLogUses.
type Log struct {
	dialect    string
	byKey      map[string]*Statement
	statements []*Statement
	userAt     map[string]int32
	users      []string
	urns       []string // of the users
	bytes      int
	uses       int
	// Entries counts the entries so far, including the entries that were left out.
	Entries int
	// LeftOut are the entries that are not counted, by reason.
	LeftOut []LeftOut
	// Undated is how many entries have no time, so that they are in no day's usage.
	Undated int
}

// LeftOut says why entries are not counted: how many, and the line of the first one.
type LeftOut struct {
	Reason  string
	Entries int
	Line    int
}

// Statement is a statement of a log, with the log's facts about it.
type Statement struct {
	// Fingerprint is equal for all texts of this statement. It is a part of the URN of the statement's query.
	Fingerprint string
	// Text is the statement as it ran last.
	Text             string
	Database, Schema string
	Count            int64
	// Last is when it ran last; zero if the log does not say. Actor is the URN of who ran it last; "" if the log does not
	// say.
	Last  time.Time
	Actor string
	uses  map[use]int64
	log   *Log
}

// use is a day, in days since 1970, and a user, as the place in the log's list.
type use struct{ day, user int32 }

// noDay is the day of entries without a time.
const noDay = math.MinInt32

// New returns an empty log of statements of a dialect.
func New(dialect string) *Log {
	return &Log{dialect: dialect, byKey: map[string]*Statement{}, userAt: map[string]int32{}}
}

// Reasons why entries are left out.
var (
	reasonEmpty      = "they have no statement"
	reasonLong       = fmt.Sprintf("the statement has more than %d bytes", limits.MaxSQLBytes)
	reasonStatements = fmt.Sprintf("the log has more than %d different statements", limits.MaxLogStatements)
	reasonBytes      = fmt.Sprintf("the different statements of the log have more than %d bytes", limits.MaxLogTextBytes)
	reasonUses       = fmt.Sprintf("the log has more than %d pairs of a statement and a day and user", limits.MaxLogUses)
)

// reasonsToTell bounds the list of reasons.
const reasonsToTell = 20

// Omit notes that an entry is left out.
func (l *Log) Omit(line int, reason string) {
	l.Entries++
	l.omit(line, reason)
}

func (l *Log) omit(line int, reason string) {
	for i := range l.LeftOut {
		if l.LeftOut[i].Reason == reason {
			l.LeftOut[i].Entries++
			return
		}
	}
	if len(l.LeftOut) == reasonsToTell {
		reason = "for other reasons"
		if last := &l.LeftOut[len(l.LeftOut)-1]; last.Reason == reason {
			last.Entries++
			return
		}
	}
	l.LeftOut = append(l.LeftOut, LeftOut{reason, 1, line})
}

// Add counts an entry.
func (l *Log) Add(e *Entry) {
	l.Entries++
	text := strings.TrimSpace(e.Statement)
	if text == "" {
		l.omit(e.Line, reasonEmpty)
		return
	}
	if len(text) > limits.MaxSQLBytes {
		l.omit(e.Line, reasonLong)
		return
	}
	s, reason := l.statement(e, text)
	if reason != "" {
		l.omit(e.Line, reason)
		return
	}
	u := use{noDay, l.user(e.User)}
	if !e.Time.IsZero() {
		u.day = int32(e.Time.Unix() / int64(24*time.Hour/time.Second))
	}
	if _, known := s.uses[u]; !known {
		if l.uses == limits.MaxLogUses {
			l.omit(e.Line, reasonUses)
			return
		}
		l.uses++
	}
	s.uses[u] += e.Count
	s.Count += e.Count
	if e.Time.IsZero() {
		l.Undated++
	}
	if e.Time.Before(s.Last) {
		return
	}
	s.Last = e.Time
	s.Actor = cmp.Or(l.urns[u.user], s.Actor)
	if grown := l.bytes + len(text) - len(s.Text); grown <= limits.MaxLogTextBytes {
		s.Text, l.bytes = text, grown
	}
}

// statement returns the statement of an entry, or why the log has no room for it.
func (l *Log) statement(e *Entry, text string) (*Statement, string) {
	key := lineage.Fingerprint(text, l.dialect)
	if e.Database != "" || e.Schema != "" {
		sum := sha256.Sum256([]byte(key + "\x00" + e.Database + "\x00" + e.Schema))
		key = hex.EncodeToString(sum[:])
	}
	if s := l.byKey[key]; s != nil {
		return s, ""
	}
	if len(l.statements) == limits.MaxLogStatements {
		return nil, reasonStatements
	}
	if l.bytes+len(text) > limits.MaxLogTextBytes {
		return nil, reasonBytes
	}
	s := &Statement{Fingerprint: key, Text: text, Database: e.Database, Schema: e.Schema, uses: map[use]int64{}, log: l}
	l.bytes += len(text)
	l.byKey[key], l.statements = s, append(l.statements, s)
	return s, ""
}

func (l *Log) user(name string) int32 {
	at, known := l.userAt[name]
	if !known {
		at = int32(len(l.users))
		urn, err := userURN(name)
		if err != nil { // Reader has refused it
			urn = ""
		}
		l.userAt[name], l.users, l.urns = at, append(l.users, name), append(l.urns, urn)
	}
	return at
}

// inURN escapes characters that a part of a URN must not have.
var inURN = strings.NewReplacer("(", "%28", ")", "%29", ",", "%2C")

// userURN returns the URN of a user of a log; "" for none. An error says that the name is too long.
func userURN(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	if !strings.HasPrefix(name, "urn:") {
		name = "urn:li:" + model.EntityCorpuser + ":" + inURN.Replace(name)
	}
	urn, err := model.ParseURN(name)
	if err == nil && len(name) > limits.MaxURNBytes {
		err = fmt.Errorf("the URN of the user has more than %d bytes", limits.MaxURNBytes)
	}
	return urn.String(), err
}

// Statements returns the statements, those that ran most often first.
func (l *Log) Statements() []*Statement {
	sorted := slices.DeleteFunc(slices.Clone(l.statements), func(s *Statement) bool { return s.Count == 0 }) // all of its entries are left out
	slices.SortStableFunc(sorted, func(a, b *Statement) int { return cmp.Compare(b.Count, a.Count) })
	return sorted
}

// Ran is how often a user ran a statement.
type Ran struct {
	User  string `json:"user"`
	Count int64  `json:"count"`
}

// Users returns how often each user ran a statement, the most frequent first. Runs for which the log names no user are
// left out.
func (s *Statement) Users() []Ran {
	counts := map[string]int64{}
	for u, n := range s.uses {
		if name := s.log.users[u.user]; name != "" {
			counts[name] += n
		}
	}
	ran := make([]Ran, 0, len(counts))
	for _, c := range descending(counts) {
		ran = append(ran, Ran{c.name, c.count})
	}
	return ran
}

// counted is a name and how often it was met.
type counted struct {
	name  string
	count int64
}

// descending returns counts, the largest first.
func descending(counts map[string]int64) []counted {
	list := make([]counted, 0, len(counts))
	for name, n := range counts {
		list = append(list, counted{name, n})
	}
	slices.SortFunc(list, func(a, b counted) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.name, b.name))
	})
	return list
}
