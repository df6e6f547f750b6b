package webhooks

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/internal/hooksend"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
)

// Webhook is a webhook as callers see it, with the state of its delivery. Only the answer to
// its creation has the secret.
type Webhook struct {
	ID             string         `json:"id"`
	URL            string         `json:"url"`
	Secret         string         `json:"secret,omitempty"`
	Description    string         `json:"description,omitempty"`
	Filter         streams.Filter `json:"filter"`
	Enabled        bool           `json:"enabled"`
	DisabledReason string         `json:"disabledReason,omitempty"`
	// Created is the time of its creation, epoch milliseconds.
	Created   int64  `json:"created"`
	CreatedBy string `json:"createdBy,omitempty"`
	// State is the state of its follower, or "disabled". Lag is the number of changes of the log
	// that the follower has not received, -1 if that is unknown.
	State string `json:"state"`
	Lag   int64  `json:"lag"`
	// Attempts counts the failed attempts of the batch that is to be sent now. Status and Error
	// are the result of the last attempt. NextAttempt is the time of the next attempt, epoch
	// milliseconds.
	Attempts    int    `json:"attempts,omitempty"`
	Status      int    `json:"status,omitempty"`
	Error       string `json:"error,omitempty"`
	NextAttempt int64  `json:"nextAttempt,omitempty"`
	DeadLetters int    `json:"deadLetters"`
}

const stateDisabled = "disabled"

// Spec has the members of a webhook that a caller sets. In a creation, a nil member gets its
// default; a nil id or secret is drawn at random. In a change, a nil member stays as it is.
type Spec struct {
	ID          *string         `json:"id"`
	URL         *string         `json:"url"`
	Secret      *string         `json:"secret"`
	Description *string         `json:"description"`
	Filter      *streams.Filter `json:"filter"`
	Enabled     *bool           `json:"enabled"`
}

// apply sets the given members of a definition.
func (s *Service) apply(spec *Spec, d *definition) error {
	if spec.URL != nil {
		d.URL = *spec.URL
	}
	if len(d.URL) > limits.MaxWebhookURL {
		return catalog.Errorf(catalog.Invalid, "url has more than %d bytes, the limit", limits.MaxWebhookURL)
	}
	if err := s.Sender.CheckURL(d.URL); err != nil {
		return catalog.Errorf(catalog.Invalid, "url: %w", err)
	}
	if spec.Secret != nil {
		d.Secret = *spec.Secret
	}
	if err := hooksend.CheckSecret(d.Secret); err != nil {
		return catalog.Errorf(catalog.Invalid, "secret: %w", err)
	}
	if spec.Description != nil {
		d.Description = *spec.Description
	}
	if len(d.Description) > limits.MaxWebhookText {
		return catalog.Errorf(catalog.Invalid, "description has more than %d bytes, the limit", limits.MaxWebhookText)
	}
	if spec.Filter != nil {
		d.Filter = *spec.Filter
	}
	selection, err := s.Streams.Select(d.Filter)
	if err != nil {
		return err
	}
	d.Filter = selection.Filter()
	if spec.Enabled != nil {
		if d.Enabled = *spec.Enabled; d.Enabled {
			d.DisabledReason = ""
		}
	}
	return nil
}

func checkID(id string) error {
	valid := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	if id == "" || len(id) > limits.MaxWebhookID || strings.ContainsFunc(id, func(r rune) bool { return !valid(r) }) {
		return catalog.Errorf(catalog.Invalid, "the id of a webhook is 1 to %d letters, digits, - and _", limits.MaxWebhookID)
	}
	return nil
}

// Create makes a webhook, which receives the events from now on. Only this result has the
// secret.
func (s *Service) Create(ctx context.Context, spec *Spec, actor string) (*Webhook, error) {
	if err := permission.RequireWhole(ctx, "use webhooks, which are sent everything"); err != nil {
		return nil, err
	}
	d := definition{Enabled: true, Created: s.Now().UnixMilli(), CreatedBy: actor, Secret: hooksend.NewSecret(), ID: strings.ToLower(rand.Text())}
	if spec.ID != nil {
		d.ID = *spec.ID
	}
	err := checkID(d.ID)
	if err == nil && spec.URL == nil {
		err = catalog.Errorf(catalog.Invalid, "url is required")
	}
	if err == nil {
		err = s.apply(spec, &d)
	}
	if err != nil {
		return nil, err
	}
	known, err := s.definitions(ctx)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(known, func(k stored) bool { return k.ID == d.ID }) {
		return nil, exists(d.ID)
	}
	if err := s.clear(ctx, &d); err != nil { // deletes the remains of a former webhook with the same id
		return nil, err
	}
	if d.From, err = s.Log.EndOfChanges(ctx); err != nil {
		return nil, err
	}
	switch err := s.hooks.Create(ctx, d.ID, d, limits.MaxWebhooks); {
	case errors.Is(err, records.ErrChanged):
		return nil, exists(d.ID)
	case errors.Is(err, records.ErrFull):
		return nil, catalog.Errorf(catalog.Validation, "there are %d webhooks, the limit", limits.MaxWebhooks)
	case err != nil:
		return nil, err
	}
	s.changed()
	w, err := s.view(ctx, &d)
	if err != nil {
		return nil, err
	}
	w.Secret = d.Secret
	return w, nil
}

func exists(id string) error {
	return catalog.Errorf(catalog.Conflict, "there is a webhook %s already", id)
}

// stored is a definition with the revision of its record.
type stored struct {
	definition
	revision string
}

func (s *Service) definitions(ctx context.Context) ([]stored, error) {
	page, err := s.hooks.Page(ctx, "", "", limits.MaxWebhooks)
	found := make([]stored, len(page))
	for i := range page {
		found[i] = stored{page[i].Value, page[i].Revision}
	}
	return found, err
}

// definition reads a webhook. If there is none, the error suggests similar ids.
func (s *Service) definition(ctx context.Context, id string) (*definition, error) {
	record, known, err := s.hooks.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, s.unknown(ctx, id)
	}
	return &record.Value, nil
}

func (s *Service) unknown(ctx context.Context, id string) error {
	known, err := s.definitions(ctx)
	if err != nil {
		return err
	}
	ids := make([]string, len(known))
	for i := range known {
		ids[i] = known[i].ID
	}
	return catalog.Errorf(catalog.NotFound, "there is no webhook %s%s", id, nearest.Among(id, ids, "webhooks"))
}

// List returns all webhooks, ordered by id.
func (s *Service) List(ctx context.Context) ([]Webhook, error) {
	known, err := s.definitions(ctx)
	if err != nil {
		return nil, err
	}
	followers, err := s.Followers.Followers(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Webhook, len(known))
	for i := range known {
		w, err := s.describe(ctx, &known[i].definition, followers)
		if err != nil {
			return nil, err
		}
		list[i] = *w
	}
	return list, nil
}

// Get returns a webhook.
func (s *Service) Get(ctx context.Context, id string) (*Webhook, error) {
	d, err := s.definition(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.view(ctx, d)
}

func (s *Service) view(ctx context.Context, d *definition) (*Webhook, error) {
	followers, err := s.Followers.Followers(ctx)
	if err != nil {
		return nil, err
	}
	return s.describe(ctx, d, followers)
}

// describe returns a webhook with the state of its delivery.
func (s *Service) describe(ctx context.Context, d *definition, followers []delivery.Follower) (*Webhook, error) {
	w := &Webhook{
		ID: d.ID, URL: d.URL, Description: d.Description, Filter: d.Filter, Enabled: d.Enabled, DisabledReason: d.DisabledReason,
		Created: d.Created, CreatedBy: d.CreatedBy, State: delivery.StateWaiting,
	}
	for i := range followers {
		if f := &followers[i]; f.Name == d.follower() {
			w.State, w.Lag, w.Error = f.State, f.Lag, f.Failure
		}
	}
	if !d.Enabled {
		w.State = stateDisabled
	}
	record, _, err := s.progress.Get(ctx, d.ID)
	if err != nil {
		return nil, err
	}
	p := &record.Value
	if w.DeadLetters = p.Dead; p.Attempts > 0 {
		w.Attempts, w.Status, w.Error, w.NextAttempt = p.Attempts, p.Status, p.Error, p.Next
	}
	return w, nil
}

// Update changes a webhook. A batch that failed is then sent again at once.
func (s *Service) Update(ctx context.Context, id string, spec *Spec) (*Webhook, error) {
	if err := permission.RequireWhole(ctx, "use webhooks, which are sent everything"); err != nil {
		return nil, err
	}
	if spec.ID != nil && *spec.ID != id {
		return nil, catalog.Errorf(catalog.Invalid, "the id of a webhook cannot be changed")
	}
	if _, err := s.definition(ctx, id); err != nil {
		return nil, err
	}
	d, err := s.hooks.Update(ctx, id, func(d *definition) error {
		if d.ID == "" {
			return s.unknown(ctx, id) // another caller deleted the webhook meanwhile
		}
		return s.apply(spec, d)
	})
	if err != nil {
		return nil, err
	}
	if _, err := s.progress.Update(ctx, id, func(p *progress) error { p.forgetFailures(); return nil }); err != nil {
		return nil, err
	}
	s.changed()
	return s.view(ctx, &d)
}

// Delete deletes a webhook with its dead letters. A request that is being sent may still
// arrive.
func (s *Service) Delete(ctx context.Context, id string) error {
	d, err := s.definition(ctx, id)
	if err != nil {
		return err
	}
	if err := s.hooks.Forget(ctx, id); err != nil {
		return err
	}
	s.changed()
	return s.clear(ctx, d)
}

// clear deletes the follower, the dead letters and the progress of a webhook.
func (s *Service) clear(ctx context.Context, d *definition) error {
	if err := s.Followers.Remove(ctx, d.follower()); err != nil && catalog.CodeOf(err) != catalog.NotFound {
		return err
	}
	if err := s.letters.Prune(ctx, d.ID+"/", func(string, json.RawMessage) bool { return false }); err != nil {
		return err
	}
	return s.progress.Forget(ctx, d.ID)
}

// disable stops a webhook. The webhook keeps its place in the log.
func (s *Service) disable(ctx context.Context, id, reason string) error {
	_, err := s.hooks.Update(ctx, id, func(d *definition) error {
		if d.ID == "" {
			return errDeleted
		}
		d.Enabled, d.DisabledReason = false, reason
		return nil
	})
	if errors.Is(err, errDeleted) {
		err = nil
	}
	s.changed()
	return err
}

var errDeleted = errors.New("the webhook is deleted")
