package webhooks

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/internal/hooksend"
	"github.com/headwater-io/headwater/internal/limits"
)

// worker delivers to one webhook. Its methods must not be called concurrently.
type worker struct {
	*Service
	*definition
	selection *streams.Selection
	// position is the cursor after the newest page that was delivered completely, "" if this
	// worker has delivered none.
	position string
	// done is the place of the newest event of the present page that was delivered or became a
	// dead letter.
	done place
}

// batch has the events of one request.
type batch struct {
	id     string
	events []streams.Event
	// before is a cursor before the events.
	before string
}

// deliver sends the events of changes, batch by batch. deliver fails after each failed attempt;
// when it is called again with the same changes, it continues with the failed batch.
func (w *worker) deliver(ctx context.Context, changes []catalog.Change) error {
	events, err := w.selection.Of(ctx, changes)
	if err != nil {
		return err
	}
	for i := range events {
		if placeOf(&events[i]) == w.done {
			events = events[i+1:]
			break
		}
	}
	for len(events) > 0 {
		p, n, err := w.next(ctx, events)
		if err != nil {
			return err
		}
		b := &batch{id: w.messageID(p), events: events[:n], before: w.before(changes, events[0].Cursor)}
		if err := w.attempt(ctx, b, p); err != nil {
			return err
		}
		w.done = placeOf(&events[n-1])
		events = events[n:]
	}
	if len(changes) > 0 {
		w.position, w.done = changes[len(changes)-1].Cursor, place{}
	}
	return nil
}

// next chooses the events of the next request. next stores the places of these events, unless
// the places are already stored because the same batch failed before.
func (w *worker) next(ctx context.Context, events []streams.Event) (*progress, int, error) {
	record, _, err := w.progress.Get(ctx, w.ID)
	if err != nil {
		return nil, 0, err
	}
	p := record.Value
	if p.First == placeOf(&events[0]) {
		for i := range events {
			if placeOf(&events[i]) == p.Last {
				return &p, i + 1, nil
			}
		}
	}
	n := full(events)
	p, err = w.progress.Update(ctx, w.ID, func(p *progress) error {
		*p = progress{First: placeOf(&events[0]), Last: placeOf(&events[n-1]), Dead: p.Dead}
		return nil
	})
	return &p, n, err
}

// full returns the number of events that fit into one request.
func full(events []streams.Event) int {
	size := 0
	for i := range events {
		if size += events[i].Size; i == limits.MaxWebhookBatch || i > 0 && size > limits.MaxWebhookBatchBytes {
			return i
		}
	}
	return len(events)
}

// messageID returns the webhook-id of a batch. The id is the same at each attempt, on every
// server.
func (w *worker) messageID(p *progress) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s %d %s %d", w.ID, w.Created, p.First.Cursor, p.First.Index, p.Last.Cursor, p.Last.Index))
	return "msg_" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
}

// before returns a cursor from which the change with a cursor can be read again, "" if only the
// record of the follower has such a cursor.
func (w *worker) before(changes []catalog.Change, cursor string) string {
	before := w.position
	for i := range changes {
		if changes[i].Cursor == cursor {
			break
		}
		before = changes[i].Cursor
	}
	return before
}

// attempt waits until a batch is due and sends it. If the receiver does not accept the batch,
// attempt records the failure and returns an error, unless the batch has become a dead letter.
func (w *worker) attempt(ctx context.Context, b *batch, p *progress) error {
	if err := waitFor(ctx, time.UnixMilli(p.Next).Sub(w.Now())); err != nil {
		return err
	}
	body, err := encode(w.Filter.Format, b.events)
	if err != nil {
		return err
	}
	answer, err := w.Sender.Send(ctx, &hooksend.Message{URL: w.URL, Secret: w.Secret, ID: b.id, At: w.Now(), Body: body})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil && answer.Delivered():
		w.delivered.Add(1)
		if p.Attempts == 0 {
			return nil
		}
		_, err := w.progress.Update(ctx, w.ID, func(p *progress) error { p.forgetFailures(); return nil })
		return err
	case answer.Gone():
		w.failed.Add(1)
		return w.giveUp(ctx, "the receiver answered 410 Gone")
	}
	return w.failedOnce(ctx, b, answer, failure(answer, err))
}

// giveUp disables the webhook, and waits until this worker is therefore stopped.
func (w *worker) giveUp(ctx context.Context, reason string) error {
	w.Logger.WarnContext(ctx, "a webhook is disabled", "webhook", w.ID, "reason", reason)
	if err := w.disable(ctx, w.ID, reason); err != nil {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

func failure(a hooksend.Answer, err error) error {
	if err != nil {
		return err
	}
	text := fmt.Sprintf("the receiver answered %d", a.Status)
	if a.Text != "" {
		text += ": " + a.Text
	}
	return errors.New(text)
}

// failedOnce records a failed attempt. After the last attempt, failedOnce makes the batch a
// dead letter and returns nil.
func (w *worker) failedOnce(ctx context.Context, b *batch, a hooksend.Answer, why error) error {
	now := w.Now()
	p, err := w.progress.Update(ctx, w.ID, func(p *progress) error {
		if p.Attempts == 0 {
			p.Since = now.UnixMilli()
		}
		p.Attempts++
		p.Next = now.Add(w.Retry.pause(p.Attempts, a.RetryAfter)).UnixMilli()
		p.Status, p.Error = a.Status, why.Error()
		return nil
	})
	if err != nil {
		return err
	}
	if p.Attempts == 1 {
		w.Logger.WarnContext(ctx, "a receiver did not take a batch of its webhook; trying again", "webhook", w.ID, "error", hooksend.Detail(why))
	}
	if p.Attempts < w.Retry.Attempts && now.UnixMilli()-p.Since < w.Retry.Age.Milliseconds() {
		w.failed.Add(1)
		return why
	}
	return w.bury(ctx, b, &p)
}

// pause returns the pause after a number of failures. Half of the pause is random.
func (r Retry) pause(failures int, asked time.Duration) time.Duration {
	pause := min(r.First<<min(failures-1, 20), r.Most)
	pause = pause/2 + rand.N(pause/2+1) //nolint:gosec // jitter
	return max(pause, min(asked, r.Most))
}

func waitFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// payload is the body of a request.
type payload struct {
	Type      streams.Format `json:"type"`
	Timestamp string         `json:"timestamp"`
	Data      []any          `json:"data"`
}

// encode returns the body for events. The time in the body is the time of the last event, so
// that the body is the same at each attempt.
func encode(format streams.Format, events []streams.Event) ([]byte, error) {
	p := payload{Type: format, Data: make([]any, len(events))}
	for i := range events {
		p.Data[i] = events[i].Data
		p.Timestamp = time.UnixMilli(events[i].Time).UTC().Format(time.RFC3339Nano)
	}
	return p.text()
}

func (p *payload) text() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(p); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}
