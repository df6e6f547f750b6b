package people

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Writer writes the aspects of people.
type Writer interface {
	Create(ctx context.Context, urn model.URN, aspects map[string]catalog.Tree, o catalog.WriteOptions) error
	Edit(ctx context.Context, edits []write.Edit, o catalog.WriteOptions) error
	Exists(ctx context.Context, u model.URN) (bool, error)
}

// Reader reads the roles of people.
type Reader interface {
	Aspect(ctx context.Context, u model.URN, aspect string, version int64) (catalog.VersionedAspect, error)
	Relationships(ctx context.Context, q read.RelationshipQuery) (read.RelationshipPage, error)
}

// Actors tells whether an actor may act.
type Actors interface {
	// Active fails with the code Unauthenticated, Forbidden or NotFound if the actor does not
	// exist, is removed, or is suspended. Other codes are failures of the store.
	Active(ctx context.Context, u model.URN) error
}

// Sessions are the sessions of people.
type Sessions interface {
	// EndAll ends the sessions of an actor, except for the one with an id, "" for none.
	EndAll(ctx context.Context, actor, except string) error
}

// Options configure a Service. All are required, except where the comment says otherwise.
type Options struct {
	Registry *model.Registry
	Records  *records.Door
	Writer   Writer
	Reader   Reader
	Actors   Actors
	Sessions Sessions
	// Secret returns the secret of the server from which the links of invites are derived. If it
	// changes, the former links end.
	Secret func() []byte
	// Provider tells that people can sign in without a password, with an identity provider. It is
	// optional.
	Provider bool
	// MinPassword is the smallest number of bytes of a new password; 0 means
	// [limits.MinPasswordBytes].
	MinPassword int
	// Now is the clock.
	Now func() time.Time
	// Cost is the cost of new hashes; 0 means [DefaultCost].
	Cost Cost
}

// Service has the passwords of people and the links that let them in. It is safe for concurrent
// use, and several servers may have the people of one store. Each of these servers counts the
// failed sign-ins that it sees.
type Service struct {
	Options
	names     catalog.Naming
	hasher    *hasher
	tries     *tries
	passwords records.Records[password]
	resets    records.Records[reset]
	invites   records.Records[invite]
	first     records.Records[first]
	// known is until when [Service.KnowsAdministrator] remembers that there is an administrator,
	// epoch milliseconds.
	known atomic.Int64
}

// New makes a Service.
func New(o Options) *Service {
	if o.Cost == (Cost{}) {
		o.Cost = DefaultCost()
	}
	if o.MinPassword == 0 {
		o.MinPassword = limits.MinPasswordBytes
	}
	return &Service{
		Options:   o,
		names:     catalog.NewNaming(o.Registry),
		hasher:    newHasher(o.Cost),
		tries:     newTries(o.Now),
		passwords: records.Of[password](o.Records, records.Passwords),
		resets:    records.Of[reset](o.Records, records.Resets),
		invites:   records.Of[invite](o.Records, records.Invites),
		first:     records.Of[first](o.Records, records.FirstAdmin),
	}
}

// password is the record of a password, named after the URN of its user.
type password struct {
	// Hash is the hash in PHC string form.
	Hash string `json:"hash"`
	// Changed is the time at which somebody set the password, epoch milliseconds.
	Changed int64 `json:"changed"`
}

// ErrCredentials is the error of a sign-in with a wrong name or password, and of a sign-in of
// somebody who may not act. These cases have one text, which does not tell who has an account.
var ErrCredentials = &catalog.Error{Code: catalog.Unauthenticated, Message: "Invalid Credentials"}

// SignIn returns the user with a name (or URN) and password. It fails with [ErrCredentials], or
// with a Busy error whose cause is a [catalog.WaitError] if too many sign-ins of this account or from this
// address have failed. The remote address "" is not counted.
func (s *Service) SignIn(ctx context.Context, name, password, remote string) (model.URN, error) {
	if len(name) > limits.MaxURNBytes {
		return model.URN{}, ErrCredentials
	}
	account := name
	u, err := s.userOf(name)
	if err == nil {
		account = u.String()
	}
	if err := s.try(ctx, account, u, password, remote); err != nil {
		return model.URN{}, err
	}
	return u, nil
}

// try checks the password of a user and counts a failure. The zero URN has no password.
func (s *Service) try(ctx context.Context, account string, u model.URN, password, remote string) error {
	end, err := s.tries.begin(account, remote)
	if err != nil {
		return err
	}
	how := undecided
	defer func() { end(how) }()
	matches, err := s.matches(ctx, u, password)
	switch {
	case err != nil:
		return err
	case !matches:
		how = failed
		return ErrCredentials
	}
	how = succeeded
	return nil
}

// matches reports whether a user may act and has a password. It does the same work whether or not
// the user exists.
func (s *Service) matches(ctx context.Context, u model.URN, text string) (bool, error) {
	var record records.Record[password]
	if !u.IsZero() {
		var err error
		if record, _, err = s.passwords.Get(ctx, u.String()); err != nil {
			return false, err
		}
		may, err := s.active(ctx, u)
		if err != nil {
			return false, err
		}
		if !may {
			record.Value.Hash = ""
		}
	}
	if len(text) > limits.MaxPasswordBytes {
		text, record.Value.Hash = "", ""
	}
	matches, renewed, err := s.hasher.verify(ctx, text, record.Value.Hash)
	if err != nil || !matches || renewed == "" {
		return matches, err
	}
	record.Value.Hash = renewed
	_, err = s.passwords.Put(ctx, u.String(), record.Value, record.Revision)
	if errors.Is(err, records.ErrChanged) { // another request has just set a password
		err = nil
	}
	return true, err
}

// active reports whether a user may act.
func (s *Service) active(ctx context.Context, u model.URN) (bool, error) {
	err := s.Actors.Active(ctx, u)
	switch catalog.CodeOf(err) {
	case catalog.Unauthenticated, catalog.Forbidden, catalog.NotFound:
		return false, nil
	}
	return err == nil, err
}

// userOf returns the user with a name or URN.
func (s *Service) userOf(name string) (model.URN, error) {
	const prefix = "urn:"
	if len(name) > len(prefix) && name[:len(prefix)] == prefix {
		u, err := s.Registry.ReadURN(name)
		if err == nil {
			err = catalog.RequireType(u, model.EntityCorpuser)
		}
		return u, err
	}
	u, err := model.BuildURN(s.Registry.Dialects()[0].Namespace, model.EntityCorpuser, name)
	if err == nil {
		err = s.Registry.CheckURN(u)
	}
	if err != nil {
		return model.URN{}, err
	}
	return u, nil
}

// HasPassword reports whether a user has a password here.
func (s *Service) HasPassword(ctx context.Context, u model.URN) (bool, error) {
	_, has, err := s.passwords.Get(ctx, u.String())
	return has, err
}

// ChangePassword replaces the password of a user who knows the old one. It ends the user's sessions, except
// the one with the id keep.
func (s *Service) ChangePassword(ctx context.Context, u model.URN, old, text, keep string) error {
	if err := s.try(ctx, u.String(), u, old, ""); err != nil {
		return err
	}
	return s.setPassword(ctx, u, text, keep, u.Key())
}

// setPassword checks and sets the password of a user, and ends the sessions of the user without
// the id keep.
func (s *Service) setPassword(ctx context.Context, u model.URN, text, keep string, names ...string) error {
	if err := s.checkPassword(text, names...); err != nil {
		return err
	}
	hash, err := s.hasher.hash(ctx, text)
	if err != nil {
		return err
	}
	return s.storePassword(ctx, u, hash, keep)
}

func (s *Service) storePassword(ctx context.Context, u model.URN, hash, keep string) error {
	_, err := s.passwords.Update(ctx, u.String(), func(p *password) error {
		*p = s.passwordOf(hash)
		return nil
	})
	if err != nil {
		return err
	}
	return s.passwordSet(ctx, u, keep)
}

func (s *Service) passwordOf(hash string) password {
	return password{Hash: hash, Changed: s.Now().UnixMilli()}
}

// passwordSet forgets the failed sign-ins of a user whose password was set, and ends the user's sessions,
// except the one with the id keep.
func (s *Service) passwordSet(ctx context.Context, u model.URN, keep string) error {
	s.tries.clear(u.String())
	return s.Sessions.EndAll(ctx, u.String(), keep)
}

// create makes a user and the password of the user in one transaction. It fails with Conflict if
// the user exists.
func (s *Service) create(ctx context.Context, u model.URN, hash string, aspects map[string]catalog.Tree) error {
	record, err := s.passwords.Alongside(u.String(), s.passwordOf(hash))
	if err != nil {
		return err
	}
	err = s.Writer.Create(ctx, u, aspects, catalog.WriteOptions{
		Actor:     u.String(),
		Alongside: func([]int) []graphstore.Record { return []graphstore.Record{record} },
	})
	if err != nil {
		return err
	}
	// A former user of this name, who was deleted, may have left sessions.
	return s.passwordSet(ctx, u, "")
}

// Forget deletes the password of a user who is deleted, with the link that sets a new one, and
// ends the sessions of the user.
func (s *Service) Forget(ctx context.Context, u model.URN) error {
	return errors.Join(s.passwords.Forget(ctx, u.String()), s.resets.Forget(ctx, u.String()), s.Sessions.EndAll(ctx, u.String(), ""))
}

// Prune deletes the records of links that have expired. The server calls it from time to time;
// links end without it too.
func (s *Service) Prune(ctx context.Context) error {
	now := s.Now().UnixMilli()
	stays := func(_ string, value json.RawMessage) bool {
		var of struct {
			Expires int64 `json:"expires"`
		}
		return json.Unmarshal(value, &of) != nil || now < of.Expires
	}
	return errors.Join(s.invites.Prune(ctx, "", stays), s.resets.Prune(ctx, "", stays))
}
