package people

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// first is the record of the link that makes the first administrator.
type first struct {
	// Hash is the hash of the token.
	Hash string `json:"hash"`
}

// ErrFirst is the error for a link that never made an administrator, or no longer makes one.
var ErrFirst = &catalog.Error{Code: catalog.Forbidden, Message: "The link that makes the first administrator is not valid, or has been used. The server shows a new one when it starts, as long as there is no administrator."}

func (s *Service) adminRole() model.URN {
	return model.StoredURN("urn:" + s.Registry.Dialects()[0].Namespace + ":" + model.EntityDataHubRole + ":" + catalog.AdminRole)
}

// IsAdmin reports whether a user has the role of administrators. It reads the store.
func (s *Service) IsAdmin(ctx context.Context, u model.URN) (bool, error) {
	stored, err := s.Reader.Aspect(ctx, u, model.AspectRoleMembership, 0)
	if catalog.CodeOf(err) == catalog.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	value, err := catalog.TreeOf(stored.Value)
	return err == nil && s.hasRole(value, s.adminRole()), err
}

// hasRole reports whether a roleMembership has a role.
func (s *Service) hasRole(membership catalog.Tree, role model.URN) bool {
	roles, _ := membership["roles"].([]any)
	for _, of := range roles {
		if text, ok := of.(string); ok && s.names.SameURN(text, role) {
			return true
		}
	}
	return false
}

// HasAdministrator reports whether an administrator can sign in: one who may act, and who has a
// password unless people sign in with an identity provider. An administrator who only came with
// ingested metadata has no password.
func (s *Service) HasAdministrator(ctx context.Context) (bool, error) {
	const count = 100
	for start := 0; ; start += count {
		page, err := s.Reader.Relationships(ctx, read.RelationshipQuery{URN: s.adminRole(), Direction: "INCOMING", Types: []string{model.RelationshipIsMemberOfRole}, Start: start, Count: count})
		if err != nil {
			return false, err
		}
		for i := range page.Relationships {
			can, err := s.canSignIn(ctx, model.StoredURN(page.Relationships[i].Entity))
			if can || err != nil {
				return can, err
			}
		}
		if len(page.Relationships) < count {
			return false, nil
		}
	}
}

// knownFor is how long [Service.KnowsAdministrator] remembers.
const knownFor = 5 * time.Second

// KnowsAdministrator is [Service.HasAdministrator] for requests that anybody can send. It remembers a yes for
// five seconds, so it may be out of date for that long after the last administrator is removed. It does not
// remember a no.
func (s *Service) KnowsAdministrator(ctx context.Context) (bool, error) {
	now := s.Now()
	if now.UnixMilli() < s.known.Load() {
		return true, nil
	}
	has, err := s.HasAdministrator(ctx)
	if has {
		s.known.Store(now.Add(knownFor).UnixMilli())
	}
	return has, err
}

func (s *Service) canSignIn(ctx context.Context, u model.URN) (bool, error) {
	if u.EntityType() != model.EntityCorpuser {
		return false, nil
	}
	if may, err := s.active(ctx, u); !may || err != nil || s.Provider {
		return may, err
	}
	return s.HasPassword(ctx, u)
}

// FirstLink makes a link that makes the first administrator, and returns its token, which is not
// shown again. The former link ends. If an administrator can sign in, there is no link, and the
// token is "".
func (s *Service) FirstLink(ctx context.Context) (token string, err error) {
	has, err := s.HasAdministrator(ctx)
	if err != nil {
		return "", err
	}
	if has {
		return "", s.first.Forget(ctx, "")
	}
	token = newToken()
	_, err = s.first.Update(ctx, "", func(f *first) error {
		f.Hash = hashOf(token)
		return nil
	})
	return token, err
}

// UseFirst makes the first administrator for somebody who has the token of the link, and returns
// the URN. It fails with [ErrFirst] if there is no such link. If the user exists, because the
// catalog has ingested it, it becomes an administrator and gets the password: whoever has the link
// has the server.
func (s *Service) UseFirst(ctx context.Context, token string, n SignUp) (model.URN, error) {
	record, _, err := s.first.Get(ctx, "")
	if err != nil {
		return model.URN{}, err
	}
	if !isToken(token, record.Value.Hash) {
		return model.URN{}, ErrFirst
	}
	if has, err := s.HasAdministrator(ctx); err != nil {
		return model.URN{}, err
	} else if has {
		return model.URN{}, errors.Join(ErrFirst, s.first.Forget(ctx, ""))
	}
	u, hash, err := s.prepareFirst(ctx, &n)
	if err != nil {
		return u, err
	}
	// Delete makes the link work only once: of two callers, one deletes this revision.
	if err := s.first.Delete(ctx, "", record.Revision); errors.Is(err, records.ErrChanged) {
		return u, ErrFirst
	} else if err != nil {
		return u, err
	}
	if err := s.makeFirst(ctx, u, &n, hash); err != nil {
		// The link can be used again. If Put fails too, the next start makes a new link.
		_, back := s.first.Put(context.WithoutCancel(ctx), "", record.Value, "")
		return u, errors.Join(err, back)
	}
	return u, nil
}

// prepareFirst checks the input of the first administrator, and computes the hash of the password.
func (s *Service) prepareFirst(ctx context.Context, n *SignUp) (u model.URN, hash string, err error) {
	if err := s.check(n, true); err != nil {
		return u, "", err
	}
	if u, err = s.userOf(n.Email); err != nil {
		return u, "", catalog.Errorf(catalog.Invalid, "Email cannot be the name of a user: %w", err)
	}
	hash, err = s.hasher.hash(ctx, n.Password)
	return u, hash, err
}

// makeFirst makes a user an administrator with a password.
func (s *Service) makeFirst(ctx context.Context, u model.URN, n *SignUp, hash string) error {
	exists, err := s.Writer.Exists(ctx, u)
	if err != nil {
		return err
	}
	if !exists {
		info, status := n.profile(s.stampOf(u))
		return s.create(ctx, u, hash, map[string]catalog.Tree{
			model.AspectCorpUserInfo: info, model.AspectCorpUserStatus: status,
			model.AspectRoleMembership: {"roles": []any{s.adminRole().String()}},
		})
	}
	if err := s.Writer.Edit(ctx, s.firstEdits(u), catalog.WriteOptions{Actor: u.String()}); err != nil {
		return err
	}
	// The password is written last: an administrator without a password does not count, so that a failure
	// locks nobody out.
	return s.storePassword(ctx, u, hash, "")
}

// firstEdits makes a user who exists an administrator who may act.
func (s *Service) firstEdits(u model.URN) []write.Edit {
	return []write.Edit{
		{URN: u, Aspect: model.AspectRoleMembership, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
			if !s.hasRole(value, s.adminRole()) {
				roles, _ := value["roles"].([]any)
				value["roles"] = append(roles, s.adminRole().String())
			}
			return nil
		}},
		write.Replace(u, model.AspectCorpUserStatus, activeStatus),
		{URN: u, Aspect: model.AspectStatus, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
			if value["removed"] == true {
				value["removed"] = false
			}
			return nil
		}},
	}
}

// maxFirstFile is how large the file of the first administrator may be, in bytes.
const maxFirstFile = 64 << 10

// FirstFromFile makes the first administrator from a file, and reports whether it did: it does not
// read the file if an administrator can sign in. The file has a name and a password, a line each,
// or {"email":…,"fullName":…,"password":…}.
func (s *Service) FirstFromFile(ctx context.Context, path string) (u model.URN, made bool, err error) {
	if has, err := s.HasAdministrator(ctx); has || err != nil {
		return u, false, err
	}
	n, err := readFirst(path)
	if err != nil {
		return u, false, err
	}
	u, hash, err := s.prepareFirst(ctx, &n)
	if err != nil {
		return u, false, catalog.Errorf(catalog.Invalid, "the file of the first administrator: %s", catalog.MessageOf(err))
	}
	if err := s.makeFirst(ctx, u, &n, hash); err != nil {
		if catalog.CodeOf(err) == catalog.Conflict { // another server over the store has just made it
			return u, false, nil
		}
		return u, false, err
	}
	return u, true, s.first.Forget(ctx, "")
}

// readFirst reads the file of the first administrator. Its errors do not repeat the file.
func readFirst(path string) (n SignUp, err error) {
	file, err := os.Open(path)
	if err != nil {
		return n, catalog.Errorf(catalog.Invalid, "the file of the first administrator: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxFirstFile+1))
	if err != nil {
		return n, catalog.Errorf(catalog.Invalid, "the file of the first administrator: %w", err)
	}
	if len(text) > maxFirstFile {
		return n, catalog.Errorf(catalog.Invalid, "the file of the first administrator has more than %d bytes", maxFirstFile)
	}
	if trimmed := bytes.TrimSpace(text); bytes.HasPrefix(trimmed, []byte("{")) {
		if json.Unmarshal(trimmed, &n) != nil {
			return n, catalog.Errorf(catalog.Invalid, `the file of the first administrator is not JSON like {"email":…,"fullName":…,"password":…}`)
		}
	} else {
		lines := strings.Split(strings.TrimRight(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
		if len(lines) != 2 {
			return n, catalog.Errorf(catalog.Invalid, "the file of the first administrator must have two lines: a name and a password")
		}
		n.Email, n.Password = strings.TrimSpace(lines[0]), lines[1]
	}
	if n.FullName == "" {
		n.FullName = n.Email
	}
	return n, nil
}
