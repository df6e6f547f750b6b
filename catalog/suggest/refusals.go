package suggest

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Existing tells which entities exist.
type Existing interface {
	Existing(ctx context.Context, urns []model.URN) (map[model.URN]bool, error)
}

// Service suggests tags and keeps the refused suggestions. It is safe for concurrent use.
type Service struct {
	existing Existing
	// refusals has a record for each dataset with refusals, named after the dataset.
	refusals records.Records[[]Refusal]
	now      func() time.Time
}

// New makes a Service.
func New(existing Existing, door *records.Door, now func() time.Time) *Service {
	return &Service{existing: existing, refusals: records.Of[[]Refusal](door, records.TagRefusals), now: now}
}

// Refusal says that a suggested tag is wrong for a dataset or a column.
type Refusal struct {
	// Column is the path of the column, "" for the dataset itself.
	Column string `json:"column,omitempty"`
	Tag    string `json:"tag"`
	// By is the URN of the actor who refused the suggestion, Time the time of the refusal, epoch milliseconds.
	By   string `json:"by"`
	Time int64  `json:"time"`
}

// attempts bounds the attempts to write a record that other callers write at the same time.
const attempts = 10

// The privileges to edit tags: whoever may answer a suggestion by the tag may also refuse it.
const (
	tagEntities = "EDIT_ENTITY_TAGS"
	editEntity  = "EDIT_ENTITY"
)

// Refused returns the refusals of a dataset, the oldest first.
func (s *Service) Refused(ctx context.Context, dataset model.URN) ([]Refusal, error) {
	record, _, err := s.refusals.Get(ctx, recordOf(dataset))
	return record.Value, err
}

// Refuse records that a tag suggested by a column's name is wrong for the column; the column "" stands for
// the dataset itself. A second refusal of the same suggestion changes nothing. Refuse fails with NotFound if
// the dataset does not exist, and with Invalid if the name does not suggest the tag or if the dataset has
// limits.MaxTagRefusals refusals.
func (s *Service) Refuse(ctx context.Context, dataset model.URN, column string, tag model.URN, by string) error {
	if err := s.checkAnswer(ctx, dataset, column, tag); err != nil {
		return err
	}
	existing, err := s.existing.Existing(ctx, []model.URN{dataset})
	if err != nil {
		return err
	}
	if !existing[dataset] {
		return catalog.NotStored(dataset, "there is no %s whose suggestions could be refused")
	}
	dialect, _ := model.Default().DialectOf(dataset)
	made := Refusal{Column: column, Tag: tag.String(), By: cmp.Or(by, catalog.SystemActor(dialect)), Time: s.now().UnixMilli()}
	return s.edit(ctx, dataset, func(list []Refusal) ([]Refusal, error) {
		if slices.ContainsFunc(list, made.same) {
			return list, nil
		}
		if len(list) >= limits.MaxTagRefusals {
			return nil, catalog.Errorf(catalog.Invalid, "%d suggestions of %s are refused; there can be no more", len(list), dataset)
		}
		return append(list, made), nil
	})
}

// TakeBack forgets a refusal, so that the tag is suggested again. It fails with NotFound if there is none.
func (s *Service) TakeBack(ctx context.Context, dataset model.URN, column string, tag model.URN) error {
	if err := s.checkAnswer(ctx, dataset, column, tag); err != nil {
		return err
	}
	wanted := Refusal{Column: column, Tag: tag.String()}
	return s.edit(ctx, dataset, func(list []Refusal) ([]Refusal, error) {
		at := slices.IndexFunc(list, wanted.same)
		if at < 0 {
			return nil, catalog.Errorf(catalog.NotFound, "the tag %s is not refused there", tag)
		}
		return slices.Delete(list, at, at+1), nil
	})
}

// Forget removes the refused suggestions of a dataset that is deleted.
func (s *Service) Forget(ctx context.Context, dataset model.URN, _ catalog.WriteOptions) error {
	return s.refusals.Forget(ctx, recordOf(dataset))
}

func (r Refusal) same(other Refusal) bool { return r.Column == other.Column && r.Tag == other.Tag }

// checkAnswer fails unless the caller may edit the tags, and unless the name suggests the tag.
func (s *Service) checkAnswer(ctx context.Context, dataset model.URN, column string, tag model.URN) error {
	if err := catalog.RequireType(dataset, model.EntityDataset); err != nil {
		return err
	}
	if err := catalog.RequireType(tag, model.EntityTag); err != nil {
		return err
	}
	kind, privilege := Personal, tagEntities
	if column != "" {
		kind, privilege = KindOf(column), permission.PrivilegeTagColumns
	}
	question := permission.About(dataset, privilege, editEntity)
	question.Labels = []model.URN{tag}
	if err := permission.RequireFor(ctx, "answer suggestions", question); err != nil {
		return err
	}
	if kind == "" || !slices.ContainsFunc(TagsFor(kind), func(id string) bool {
		u, err := model.BuildURN(tag.Namespace(), model.EntityTag, id)
		return err == nil && u == tag
	}) {
		return catalog.Errorf(catalog.Invalid, "the tag %s is not suggested there", tag)
	}
	return nil
}

// edit changes the refusals of a dataset. A record without refusals is deleted.
func (s *Service) edit(ctx context.Context, dataset model.URN, change func([]Refusal) ([]Refusal, error)) error {
	name := recordOf(dataset)
	for range attempts {
		record, exists, err := s.refusals.Get(ctx, name)
		if err != nil {
			return err
		}
		list, err := change(record.Value)
		switch {
		case err != nil:
			return err
		case len(list) > 0:
			_, err = s.refusals.Put(ctx, name, list, record.Revision)
		case exists:
			err = s.refusals.Delete(ctx, name, record.Revision)
		}
		if !errors.Is(err, records.ErrChanged) {
			return err
		}
	}
	return catalog.Errorf(catalog.Busy, "too many answer suggestions of the same dataset; try again")
}

func recordOf(dataset model.URN) string { return url.PathEscape(dataset.String()) }
