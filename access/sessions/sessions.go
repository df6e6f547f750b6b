package sessions

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/clip"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/recent"
)

// Fresh is how long a session that was read counts as valid without another look at the store. A session that
// ends on one server therefore ends on the other servers after this time.
const Fresh = 500 * time.Millisecond

const (
	// touchEvery is the age after which the time of the last use of a session is written again. It
	// is much longer than the time between two requests, so that most requests write nothing.
	touchEvery = 5 * time.Minute
	// cached is the number of sessions that are kept in memory, at most twice.
	cached = 10_000
	// agentBytes is how much of the name of a browser is stored.
	agentBytes = 200
	// secretBytes is the length of the random part of a secret.
	secretBytes = 32
)

// ErrEnded is the error of a secret without a session: the session has ended, or never was.
var ErrEnded = &catalog.Error{Code: catalog.Unauthenticated, Message: "the session has ended; sign in again"}

// Session is a session of a person who has signed in. It is not secret.
type Session struct {
	// ID names the session among those of its actor. Nobody can sign in with it: it is the hash of
	// the secret.
	ID    string `json:"id"`
	Actor string `json:"actor"`
	// By is how the actor signed in: "password", or the name of an identity provider.
	By string `json:"by"`
	// Remote and Agent are the address and the browser from which the actor signed in.
	Remote string `json:"remote,omitempty"`
	Agent  string `json:"agent,omitempty"`
	// Begun is the time of the sign-in. Used is the time of the last request, at most five minutes
	// too early. Expires is the time at which the session ends in any case. All are epoch
	// milliseconds.
	Begun   int64 `json:"begun"`
	Used    int64 `json:"used"`
	Expires int64 `json:"expires"`
}

// stored is the content of a session's record. The name of the record contains the id.
type stored struct {
	Actor   string `json:"actor"`
	By      string `json:"by"`
	Remote  string `json:"remote,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Begun   int64  `json:"begun"`
	Used    int64  `json:"used"`
	Expires int64  `json:"expires"`
}

func (s *stored) session(id string) Session {
	return Session{ID: id, Actor: s.Actor, By: s.By, Remote: s.Remote, Agent: s.Agent, Begun: s.Begun, Used: s.Used, Expires: s.Expires}
}

// Options configure a Service. All are required.
type Options struct {
	Records *records.Door
	// Now is the clock.
	Now func() time.Time
}

// Service has the sessions of a store. It is safe for concurrent use, and several servers may have
// the sessions of one store.
type Service struct {
	records records.Records[stored]
	now     func() time.Time

	known *recent.Readings[string, reading] // by the names of the records
}

// reading is a session as it was read at a time.
type reading struct {
	stored
	at time.Time
}

// New makes a Service.
func New(o Options) *Service {
	return &Service{records: records.Of[stored](o.Records, records.Sessions), now: o.Now, known: recent.NewReadings[string, reading](cached)}
}

// A record is named after the hash of its actor and the hash of its secret, so that the sessions
// of one actor can be listed. A secret has the hash of the actor and a random part, so that the
// name of the record follows from it.

// owner returns the beginning of the names of an actor's records.
func owner(actor string) string {
	sum := sha256.Sum256([]byte(actor))
	return hex.EncodeToString(sum[:])[:16]
}

// nameOf returns the name of the record of a secret, and false for a text that is no secret.
func nameOf(secret string) (name string, ok bool) {
	of, random, _ := strings.Cut(secret, ".")
	if len(of) != len(owner("")) || len(random) != base64.RawURLEncoding.EncodedLen(secretBytes) {
		return "", false
	}
	if _, err := hex.DecodeString(of); err != nil || strings.ToLower(of) != of {
		return "", false
	}
	sum := sha256.Sum256([]byte(random))
	return of + "/" + hex.EncodeToString(sum[:]), true
}

// idOf returns the id of the session whose record has a name.
func idOf(name string) string {
	_, id, _ := strings.Cut(name, "/")
	return id
}

// SignedIn is a person who has just signed in.
type SignedIn struct {
	Actor         string
	By            string
	Remote, Agent string
}

// Begin begins a session and returns its secret, which only this caller ever sees. If the actor has
// limits.MaxSessions already, the oldest session ends.
func (s *Service) Begin(ctx context.Context, who SignedIn) (secret string, begun Session, err error) {
	if err := s.makeRoom(ctx, who.Actor); err != nil {
		return "", Session{}, err
	}
	random := make([]byte, secretBytes)
	_, _ = rand.Read(random) // never fails
	secret = owner(who.Actor) + "." + base64.RawURLEncoding.EncodeToString(random)
	name, _ := nameOf(secret)
	now := s.now()
	value := stored{
		Actor: who.Actor, By: who.By, Remote: who.Remote, Agent: clip.Text(strings.ToValidUTF8(who.Agent, ""), agentBytes),
		Begun: now.UnixMilli(), Used: now.UnixMilli(), Expires: now.Add(limits.SessionTime).UnixMilli(),
	}
	if _, err := s.records.Put(ctx, name, value, ""); err != nil {
		return "", Session{}, err
	}
	return secret, value.session(idOf(name)), nil
}

// makeRoom ends the oldest sessions of an actor who has as many as there may be.
func (s *Service) makeRoom(ctx context.Context, actor string) error {
	all, err := s.all(ctx, actor)
	if err != nil || len(all) < limits.MaxSessions {
		return err
	}
	slices.SortFunc(all, func(a, b records.Record[stored]) int { return cmp.Compare(a.Value.Begun, b.Value.Begun) })
	for i := range all[:len(all)-limits.MaxSessions+1] {
		if err := s.end(ctx, all[i].Name); err != nil {
			return err
		}
	}
	return nil
}

// all returns the records of an actor, including expired sessions.
func (s *Service) all(ctx context.Context, actor string) ([]records.Record[stored], error) {
	var all []records.Record[stored]
	for record, err := range s.records.All(ctx, owner(actor)+"/", "") {
		if err != nil {
			return nil, err
		}
		if record.Value.Actor == actor {
			all = append(all, record)
		}
	}
	return all, nil
}

// Check returns the session of a secret. It fails with [ErrEnded] if there is none. It notes that
// the session is used.
func (s *Service) Check(ctx context.Context, secret string) (Session, error) {
	name, ok := nameOf(secret)
	if !ok {
		return Session{}, ErrEnded
	}
	now := s.now()
	read, known, moment := s.known.Get(name)
	if age := now.Sub(read.at); !known || age < 0 || age >= Fresh {
		record, exists, err := s.records.Get(ctx, name)
		if err != nil {
			return Session{}, err
		}
		if !exists {
			if known { // a secret that never was one must not keep the sessions of others from being remembered
				s.known.Forget(name)
			}
			return Session{}, ErrEnded
		}
		read = reading{record.Value, now}
		if err := s.touch(ctx, name, &read.stored, record.Revision, now); err != nil {
			return Session{}, err
		}
		s.known.Put(name, read, moment)
	}
	if !read.lives(now) {
		return Session{}, ErrEnded
	}
	return read.session(idOf(name)), nil
}

// touch writes the time of the last use of a session that lives, if the stored time is old. If
// another server has written or ended the session meanwhile, touch leaves it as it is.
func (s *Service) touch(ctx context.Context, name string, value *stored, revision string, now time.Time) error {
	if !value.lives(now) || now.Sub(time.UnixMilli(value.Used)) < touchEvery {
		return nil
	}
	value.Used = now.UnixMilli()
	_, err := s.records.Put(ctx, name, *value, revision)
	if errors.Is(err, records.ErrChanged) {
		return nil
	}
	return err
}

// lives reports whether a session has neither expired nor been idle for too long.
func (s *stored) lives(now time.Time) bool {
	return now.UnixMilli() < s.Expires && now.Sub(time.UnixMilli(s.Used)) < limits.SessionIdle
}

// List returns the sessions of an actor, the newest first.
func (s *Service) List(ctx context.Context, actor string) ([]Session, error) {
	all, err := s.all(ctx, actor)
	if err != nil {
		return nil, err
	}
	list, now := []Session{}, s.now()
	for i := range all {
		if all[i].Value.lives(now) {
			list = append(list, all[i].Value.session(idOf(all[i].Name)))
		}
	}
	slices.SortFunc(list, func(a, b Session) int { return cmp.Compare(b.Begun, a.Begun) })
	return list, nil
}

// End ends a session of an actor. It fails if the actor has no session with this id.
func (s *Service) End(ctx context.Context, actor, id string) error {
	name := owner(actor) + "/" + id
	record, exists, err := s.records.Get(ctx, name)
	if err != nil {
		return err
	}
	if !exists || record.Value.Actor != actor {
		return catalog.Errorf(catalog.NotFound, "there is no session %s", id)
	}
	return s.end(ctx, name)
}

// EndSecret ends the session of a secret, if there is one.
func (s *Service) EndSecret(ctx context.Context, secret string) error {
	if name, ok := nameOf(secret); ok {
		return s.end(ctx, name)
	}
	return nil
}

// EndAll ends all sessions of an actor, except for the one with an id, "" for none.
func (s *Service) EndAll(ctx context.Context, actor, except string) error {
	all, err := s.all(ctx, actor)
	if err != nil {
		return err
	}
	for i := range all {
		if except != "" && idOf(all[i].Name) == except {
			continue
		}
		if err := s.end(ctx, all[i].Name); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) end(ctx context.Context, name string) error {
	err := s.records.Forget(ctx, name)
	s.known.Forget(name)
	return err
}

// Prune deletes the records of sessions that have expired. The server calls it from time to time;
// sessions end without it too.
func (s *Service) Prune(ctx context.Context) error {
	now := s.now()
	return s.records.Prune(ctx, "", func(_ string, value json.RawMessage) bool {
		var of stored
		return json.Unmarshal(value, &of) == nil && of.lives(now)
	})
}
