package announced

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/clip"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

// Draft is a change to announce.
type Draft struct {
	// PullRequest is the address of the pull request, and Project the directory of the project in its repository. Together they
	// identify the change: who announces it again replaces the promise.
	PullRequest string `json:"pullRequest"`
	Project     string `json:"project,omitempty"`
	// Repository is the name or the address of the repository; if it is empty, it follows from the pull request.
	Repository string `json:"repository,omitempty"`
	Author     string `json:"author,omitempty"`
	// Days is for how many days the change is expected; 0 means limits.DefaultAnnouncedDays.
	Days int `json:"days,omitempty"`
	Promise
}

// check refuses drafts that are too large or that name nothing.
func (d *Draft) check(r *model.Registry) error {
	address, err := url.Parse(d.PullRequest)
	if err != nil || address.Scheme != "https" && address.Scheme != "http" || address.Host == "" {
		return catalog.Errorf(catalog.Invalid, "pullRequest is the address of a pull request, with http or https, and not %q", clipped(d.PullRequest))
	}
	if d.Days < 0 || d.Days > limits.AnnouncedDays {
		return catalog.Errorf(catalog.Invalid, "a change is expected for 1 to %d days, and not for %d", limits.AnnouncedDays, d.Days)
	}
	if d.Certain < 0 || d.Possible < 0 {
		return catalog.Errorf(catalog.Invalid, "the numbers of effects are not negative")
	}
	for _, list := range []struct {
		what      string
		has, most int
	}{{"changes", len(d.Changes), limits.AnnouncedMembers}, {"effects", len(d.Effects), limits.AnnouncedEffects}, {"exceptions", len(d.Exceptions), limits.AnnouncedEffects}} {
		if list.has > list.most {
			return catalog.Errorf(catalog.Invalid, "an announced change has at most %d %s, and this one has %d", list.most, list.what, list.has)
		}
	}
	if err := checkTexts(d.PullRequest, d.Project, d.Repository, d.Author); err != nil {
		return err
	}
	for i := range d.Changes {
		if err := d.Changes[i].check(r); err != nil {
			return err
		}
	}
	for i := range d.Effects {
		e := &d.Effects[i]
		if err := cmp.Or(checkURN(r, e.URN, ""), checkTexts(e.Name, e.Effect, e.Why)); err != nil {
			return err
		}
	}
	for i := range d.Exceptions {
		e := &d.Exceptions[i]
		if err := cmp.Or(checkURN(r, e.URN, ""), checkTexts(e.Name, e.Rule, e.Who, e.Until, e.Reason)); err != nil {
			return err
		}
	}
	return nil
}

func (m *Member) check(r *model.Registry) error {
	if !slices.Contains(Kinds(), m.Kind) {
		return catalog.Errorf(catalog.Invalid, "there is no kind of changes %q%s", clipped(m.Kind), nearest.Among(m.Kind, Kinds(), "kinds"))
	}
	if len(m.Datasets) == 0 || len(m.Datasets) > limits.AnnouncedDatasets {
		return catalog.Errorf(catalog.Invalid, "a change of an announced change is about 1 to %d datasets, and not about %d", limits.AnnouncedDatasets, len(m.Datasets))
	}
	for _, urn := range m.Datasets {
		if err := checkURN(r, urn, model.EntityDataset); err != nil {
			return err
		}
	}
	if m.Sure < 0 || m.Sure > 1 {
		return catalog.Errorf(catalog.Invalid, "sure is a number from 0 to 1, and not %g", m.Sure)
	}
	return checkTexts(m.Table, m.Column, m.Path, m.How, m.NewName, m.OldType, m.NewType)
}

func checkTexts(texts ...string) error {
	for _, text := range texts {
		if len(text) > limits.AnnouncedText {
			return catalog.Errorf(catalog.Invalid, "a text of an announced change has %d bytes, at most %d are allowed", len(text), limits.AnnouncedText)
		}
	}
	return nil
}

// checkURN refuses a text that is no URN of a type of entities, "" for any type. Without a type, the URN may be missing.
func checkURN(r *model.Registry, urn, entityType string) error {
	if urn == "" && entityType == "" {
		return nil
	}
	u, err := model.ParseURN(urn)
	if err == nil {
		err = r.CheckURN(u)
	}
	if err != nil {
		return &catalog.Error{Code: catalog.Invalid, Message: err.Error()}
	}
	if entityType != "" {
		return catalog.RequireType(u, entityType)
	}
	return nil
}

func clipped(text string) string { return clip.Text(text, 200) }

// urnOf returns the URN of an announced change with an id, in the dialect of an actor.
func (s *Service) urnOf(id, actor string) (model.URN, error) {
	dialect, known := s.Registry.DialectOf(model.StoredURN(actor))
	if !known {
		dialect = s.Registry.Dialects()[0]
	}
	u, err := model.BuildURN(dialect.Namespace, model.EntityAnnouncedChange, id)
	if err != nil {
		return model.URN{}, catalog.Errorf(catalog.Internal, "an announced change: %w", err)
	}
	return u, nil
}

// digest returns some hexadecimal digits of a hash of texts.
func digest(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:10])
}

// Announce stores the promise that the check of a change makes. The same pull request and project are the same change: its
// promise is replaced, and the arrivals of the former promise stay. If nothing is promised any more, a stored change is withdrawn; if none is stored,
// Announce returns nil.
func (s *Service) Announce(ctx context.Context, d *Draft, o catalog.WriteOptions) (*Change, error) {
	if err := permission.Require(ctx, "announce changes", Privilege); err != nil {
		return nil, err
	}
	if err := d.check(s.Registry); err != nil {
		return nil, err
	}
	u, err := s.urnOf("pr-"+digest(d.PullRequest, d.Project), o.Actor)
	if err != nil {
		return nil, err
	}
	stored, err := s.stored(ctx, s.Store, []string{u.String()})
	if err != nil {
		return nil, err
	}
	info := stored[u.String()]
	if info == nil {
		if len(d.Changes) == 0 {
			return nil, nil
		}
		if err := s.makeRoom(ctx, o); err != nil {
			return nil, err
		}
		info = &Info{Created: s.stamp(u, o)}
		d.into(info, info.Created)
		value, err := info.tree()
		if err != nil {
			return nil, err
		}
		err = s.Writer.Create(ctx, u, map[string]catalog.Tree{model.AspectAnnouncedChangeInfo: value}, o)
		if catalog.CodeOf(err) != catalog.Conflict { // another request may have announced it at the same time
			return s.shownOf(u, info), err
		}
	}
	err = s.edit(ctx, u, Privilege, o, func(stored *Info, by catalog.AuditStamp) error {
		d.into(stored, by)
		info = stored
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.shownOf(u, info), nil
}

// stamp returns the stamp of a write by the actor of a request, of the system in the dialect of a URN if there is none.
func (s *Service) stamp(u model.URN, o catalog.WriteOptions) catalog.AuditStamp {
	actor := o.Actor
	if actor == "" {
		dialect, _ := s.Registry.DialectOf(u)
		actor = catalog.SystemActor(dialect)
	}
	return catalog.AuditStamp{Time: s.Now().UnixMilli(), Actor: actor}
}

const day = 24 * time.Hour

// into writes a draft into an announced change. What has arrived of the same members stays.
func (d *Draft) into(info *Info, by catalog.AuditStamp) {
	arrived := map[string][]Arrival{}
	for i := range info.Changes {
		arrived[info.Changes[i].identity()] = info.Changes[i].Arrivals
	}
	if by != info.Created {
		info.LastAnnounced = &by
	}
	days := cmp.Or(d.Days, limits.DefaultAnnouncedDays)
	info.ExpiresAt = by.Time + int64(days)*day.Milliseconds()
	if len(d.Changes) == 0 {
		info.State, info.Reason = StateWithdrawn, "the pull request changes nothing any more that was announced"
		return
	}
	info.PullRequest, info.Project, info.Author = d.PullRequest, d.Project, d.Author
	info.Title, info.Repository = names(d)
	info.Promise = d.Promise
	info.Changes = slices.Clone(d.Changes)
	for i := range info.Changes {
		info.Changes[i].Arrivals = arrived[info.Changes[i].identity()]
	}
	info.Reason, info.State = "", info.progress()
}

// identity identifies a member among those of its change.
func (m *Member) identity() string {
	return strings.Join([]string{m.Kind, strings.ToLower(m.Column), strings.Join(slices.Sorted(slices.Values(m.Datasets)), " ")}, "\x00")
}

// names returns a title of a change for people, such as "shop/orders 12", and its repository.
func names(d *Draft) (title, repository string) {
	address, err := url.Parse(d.PullRequest)
	if err != nil {
		return d.PullRequest, d.Repository
	}
	parts := strings.Split(strings.Trim(address.Path, "/"), "/")
	for i, part := range parts {
		if part == "pull" || part == "pulls" || part == "-" || part == "merge_requests" || part == "pull-requests" {
			repository = address.Scheme + "://" + address.Host + "/" + strings.Join(parts[:i], "/")
			title = strings.Join(parts[:i], "/") + " " + parts[len(parts)-1]
			break
		}
	}
	title = cmp.Or(title, address.Host+address.Path)
	if d.Project != "" {
		title += " (" + d.Project + ")"
	}
	return title, cmp.Or(d.Repository, repository)
}

// edit changes the aspect of a stored change.
func (s *Service) edit(ctx context.Context, u model.URN, privilege string, o catalog.WriteOptions, change func(*Info, catalog.AuditStamp) error) error {
	one := write.Edit{URN: u, Aspect: model.AspectAnnouncedChangeInfo, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
		info, err := decoded(value)
		if err != nil {
			return err
		}
		if err := change(info, by); err != nil {
			return err
		}
		after, err := info.tree()
		if err != nil {
			return err
		}
		clear(value)
		maps.Copy(value, after)
		return nil
	}}
	if privilege != "" {
		one.Privileges = []string{privilege}
	}
	return s.Writer.EditWith(ctx, []write.Edit{one}, map[string]string{"appSource": Follower}, o)
}

// Withdraw says that an announced change will not come. It fails with NotFound if there is none, and with Conflict if all of it
// has arrived.
func (s *Service) Withdraw(ctx context.Context, u model.URN, reason string, o catalog.WriteOptions) (*Change, error) {
	if err := permission.Require(ctx, "withdraw announced changes", Privilege); err != nil {
		return nil, err
	}
	if err := checkTexts(reason); err != nil {
		return nil, err
	}
	if _, err := s.Get(ctx, u); err != nil {
		return nil, err
	}
	err := s.edit(ctx, u, Privilege, o, func(stored *Info, _ catalog.AuditStamp) error {
		switch stored.State {
		case StateArrived:
			return catalog.Errorf(catalog.Conflict, "%s has arrived, so that it cannot be withdrawn", u)
		case StateUnannounced:
			return catalog.Errorf(catalog.Conflict, "nobody announced %s, so that it cannot be withdrawn", u)
		}
		stored.State, stored.Reason = StateWithdrawn, reason
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, u)
}

// makeRoom fails with Invalid if the catalog has limits.AnnouncedChanges. Before, it deletes some of the oldest changes that
// nobody announced.
func (s *Service) makeRoom(ctx context.Context, o catalog.WriteOptions) error {
	oldest, total, err := s.Store.ListEntities(ctx, model.EntityAnnouncedChange, graphstore.Page{Count: roomMade})
	if err != nil {
		return catalog.StoreFailure(err)
	}
	if total < limits.AnnouncedChanges {
		return nil
	}
	var gone []model.URN
	for _, urn := range oldest {
		if u := model.StoredURN(urn); strings.HasPrefix(u.Key(), unannouncedID) {
			gone = append(gone, u)
		}
	}
	if len(gone) == 0 {
		return catalog.Errorf(catalog.Invalid, "the catalog has %d announced changes, and may have no more; delete some that have arrived, expired or were withdrawn", total)
	}
	_, err = s.Writer.DeleteEntities(write.OwnWork(permission.With(ctx, permission.Everything{})), gone, false, o.WithoutWait())
	return err
}

// roomMade is how many changes are deleted at once to make room.
const roomMade = 100
