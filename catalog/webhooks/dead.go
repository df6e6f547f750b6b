package webhooks

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/internal/hooksend"
	"github.com/headwater-io/headwater/internal/limits"
)

// Letter is a batch that a receiver did not accept. Letter has the places of the events in the
// log, and not the events themselves.
type Letter struct {
	ID      string `json:"id"`
	Webhook string `json:"webhook"`
	// Message is the webhook-id of the batch. A replay sends the batch under the same id.
	Message string `json:"message"`
	// Before is a cursor before the events. First and Last are the places of the first and the
	// last event.
	Before string `json:"before"`
	First  place  `json:"first"`
	Last   place  `json:"last"`
	Events int    `json:"events"`
	// URNs are some of the entities that the events are about.
	URNs []string `json:"urns"`
	// Filter is the filter that the webhook had when the batch was made.
	Filter streams.Filter `json:"filter"`
	// Attempts counts the attempts, which all failed. Since is the time of the first one, Time
	// that of the last one, epoch milliseconds. Status and Error are the result of the last
	// attempt; Status is 0 if there was no answer.
	Attempts int    `json:"attempts"`
	Since    int64  `json:"since"`
	Time     int64  `json:"time"`
	Status   int    `json:"status,omitempty"`
	Error    string `json:"error"`
}

func (l *Letter) record() string { return l.Webhook + "/" + l.ID }

// shownURNs bounds the entities that a dead letter names.
const shownURNs = 5

// bury stores a batch as a dead letter. If the webhook already has the allowed number of
// letters, bury disables the webhook instead, so that no event is lost.
func (w *worker) bury(ctx context.Context, b *batch, p *progress) error {
	letters, err := w.lettersOf(ctx, w.ID, "", limits.MaxDeadLetters)
	if err != nil {
		return err
	}
	if len(letters) >= limits.MaxDeadLetters {
		return w.giveUp(ctx, fmt.Sprintf("there are %d dead letters, the limit; replay or delete them", len(letters)))
	}
	l := &Letter{
		ID: fmt.Sprintf("%013d-%s", w.Now().UnixMilli(), strings.ToLower(rand.Text()[:8])), Webhook: w.ID, Message: b.id,
		Before: b.before, First: p.First, Last: p.Last, Events: len(b.events), Filter: w.selection.Filter(),
		Attempts: p.Attempts, Since: p.Since, Time: w.Now().UnixMilli(), Status: p.Status, Error: p.Error,
	}
	if l.Before == "" {
		if l.Before, err = w.cursor(ctx, w.definition); err != nil {
			return err
		}
	}
	for i := range b.events {
		if urn := b.events[i].URN; len(l.URNs) < shownURNs && (i == 0 || urn != b.events[i-1].URN) {
			l.URNs = append(l.URNs, urn)
		}
	}
	if _, err := w.letters.Put(ctx, l.record(), *l, ""); err != nil {
		return err
	}
	w.dead.Add(1)
	w.Logger.WarnContext(ctx, "a batch of a webhook is a dead letter", "webhook", w.ID, "letter", l.ID, "events", l.Events, "error", p.Error)
	_, err = w.progress.Update(ctx, w.ID, func(p *progress) error {
		p.forgetFailures()
		p.Dead = len(letters) + 1
		return nil
	})
	return err
}

// cursor returns the cursor of a webhook's follower, which is before the events that are being
// delivered.
func (s *Service) cursor(ctx context.Context, d *definition) (string, error) {
	cursor, ok, err := s.Followers.Cursor(ctx, d.follower())
	if err == nil && !ok {
		cursor = d.From
	}
	return cursor, err
}

// FeedPositions returns the cursors after which items of an actor's feed still have to be sent:
// the cursors of all webhooks that send the feed, including disabled webhooks, and of their
// oldest dead letters.
func (s *Service) FeedPositions(ctx context.Context, actor string) ([]string, error) {
	known, err := s.definitions(ctx)
	if err != nil {
		return nil, err
	}
	var positions []string
	for i := range known {
		d := &known[i].definition
		if slices.Contains(d.Filter.Actors, actor) {
			cursor, err := s.cursor(ctx, d)
			if err != nil {
				return nil, err
			}
			positions = append(positions, cursor)
		}
		before, found, err := s.oldestLetter(ctx, d.ID, actor)
		if err != nil {
			return nil, err
		}
		if found {
			positions = append(positions, before)
		}
	}
	return positions, nil
}

// oldestLetter returns the cursor before the oldest dead letter of a webhook that has items of
// an actor's feed. The filter of the letter counts, because a letter is sent with the filter
// that the webhook had when the letter was made.
func (s *Service) oldestLetter(ctx context.Context, id, actor string) (before string, found bool, err error) {
	for limit, after := 1, ""; ; limit = limits.MaxDeadLetters {
		letters, err := s.lettersOf(ctx, id, after, limit)
		if err != nil {
			return "", false, err
		}
		for i := range letters {
			if after = letters[i].ID; slices.Contains(letters[i].Filter.Actors, actor) {
				return letters[i].Before, true, nil
			}
		}
		if len(letters) < limit {
			return "", false, nil
		}
	}
}

func (s *Service) lettersOf(ctx context.Context, id, after string, limit int) ([]Letter, error) {
	prefix := id + "/"
	if after != "" {
		after = prefix + after
	}
	page, err := s.letters.Page(ctx, prefix, after, limit)
	letters := make([]Letter, len(page))
	for i := range page {
		letters[i] = page[i].Value
	}
	return letters, err
}

// Letters returns the dead letters of a webhook after the given one, the oldest first. The id
// "" stands for the beginning.
func (s *Service) Letters(ctx context.Context, id, after string, limit int) ([]Letter, error) {
	if err := permission.RequireWhole(ctx, "read what webhooks could not send"); err != nil {
		return nil, err
	}
	if limit < 1 || limit > limits.MaxDeadLetters {
		return nil, catalog.Errorf(catalog.Invalid, "limit must be 1 to %d", limits.MaxDeadLetters)
	}
	if _, err := s.definition(ctx, id); err != nil {
		return nil, err
	}
	return s.lettersOf(ctx, id, after, limit)
}

// All, in place of a letter's id, names all letters of a webhook.
const All = "all"

// named returns the letters that a request names, and the number of further letters.
func (s *Service) named(ctx context.Context, id, letter string) (letters []Letter, more int, err error) {
	all, err := s.lettersOf(ctx, id, "", limits.MaxDeadLetters)
	if err != nil {
		return nil, 0, err
	}
	if letter == All {
		n := min(len(all), limits.MaxReplayed)
		return all[:n], len(all) - n, nil
	}
	for i := range all {
		if all[i].ID == letter {
			return all[i : i+1], len(all) - 1, nil
		}
	}
	return nil, 0, catalog.Errorf(catalog.NotFound, "webhook %s has no dead letter %s", id, letter)
}

// Replay is the result of a replay of dead letters.
type Replay struct {
	// Replayed counts the letters that the receiver accepted and that were then deleted. Left
	// counts the dead letters that the webhook still has.
	Replayed int `json:"replayed"`
	Left     int `json:"left"`
	// Letter is the letter at which the replay stopped. Status and Error are the result of its
	// attempt.
	Letter string `json:"letter,omitempty"`
	Status int    `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
}

// replayFor bounds the time after which one call sends no further letter.
const replayFor = 20 * time.Second

// Replay sends dead letters again, the oldest first, until the receiver refuses one. Replay
// uses the present URL and secret of the webhook, and the webhook-id that the letter had
// before.
func (s *Service) Replay(ctx context.Context, id, letter string) (*Replay, error) {
	if err := permission.RequireWhole(ctx, "send what webhooks could not send"); err != nil {
		return nil, err
	}
	d, err := s.definition(ctx, id)
	if err != nil {
		return nil, err
	}
	letters, more, err := s.named(ctx, id, letter)
	if err != nil {
		return nil, err
	}
	r, began := &Replay{Left: more + len(letters)}, s.Now()
	for i := range letters {
		if i > 0 && s.Now().Sub(began) > replayFor {
			break
		}
		l := &letters[i]
		answer, err := s.resend(ctx, d, l)
		if err != nil || !answer.Delivered() {
			if ctx.Err() != nil {
				return nil, catalog.StoreFailure(ctx.Err())
			}
			s.failed.Add(1)
			r.Letter, r.Status, r.Error = l.ID, answer.Status, catalog.Shown(failure(answer, err).Error())
			break
		}
		s.delivered.Add(1)
		if err := s.letters.Forget(ctx, l.record()); err != nil {
			return nil, err
		}
		r.Replayed, r.Left = r.Replayed+1, r.Left-1
	}
	return r, s.count(ctx, id, r.Left)
}

// Discard deletes dead letters. Discard returns the number of deleted letters, and the number
// of letters that are left.
func (s *Service) Discard(ctx context.Context, id, letter string) (deleted, left int, err error) {
	if _, err := s.definition(ctx, id); err != nil {
		return 0, 0, err
	}
	letters, more, err := s.named(ctx, id, letter)
	if err != nil {
		return 0, 0, err
	}
	for i := range letters {
		if err := s.letters.Forget(ctx, letters[i].record()); err != nil {
			return i, more + len(letters) - i, err
		}
	}
	return len(letters), more, s.count(ctx, id, more)
}

// count stores the number of dead letters of a webhook.
func (s *Service) count(ctx context.Context, id string, n int) error {
	_, err := s.progress.Update(ctx, id, func(p *progress) error { p.Dead = n; return nil })
	return err
}

// resend reads the events of a letter from the log and sends them.
func (s *Service) resend(ctx context.Context, d *definition, l *Letter) (hooksend.Answer, error) {
	selection, err := s.Streams.Select(l.Filter)
	if err != nil {
		return hooksend.Answer{}, err
	}
	events, err := s.reread(ctx, selection, l)
	if err != nil {
		return hooksend.Answer{}, err
	}
	body, err := encode(selection.Filter().Format, events)
	if err != nil {
		return hooksend.Answer{}, err
	}
	return s.Sender.Send(ctx, &hooksend.Message{URL: d.URL, Secret: d.Secret, ID: l.Message, At: s.Now(), Body: body})
}

// rereadChanges bounds the changes that are read to find the events of a letter.
const rereadChanges = 20_000

func (s *Service) reread(ctx context.Context, selection *streams.Selection, l *Letter) ([]streams.Event, error) {
	var (
		found []streams.Event
		in    bool
		from  = l.Before
	)
	for read := 0; read < rereadChanges; {
		changes, next, err := s.Log.Changes(ctx, from, limits.MaxChanges)
		if err != nil {
			return nil, err
		}
		if len(changes) == 0 {
			break
		}
		for i := range changes {
			cursor := changes[i].Cursor
			if in = in || cursor == l.First.Cursor; !in {
				continue
			}
			events, err := selection.Of(ctx, changes[i:i+1])
			if err != nil {
				return nil, err
			}
			for _, e := range events {
				if (cursor != l.First.Cursor || e.Index >= l.First.Index) && (cursor != l.Last.Cursor || e.Index <= l.Last.Index) {
					found = append(found, e)
				}
			}
			if cursor == l.Last.Cursor && len(found) > 0 {
				return found, nil
			}
		}
		from, read = next, read+len(changes)
	}
	return nil, catalog.Errorf(catalog.Gone, "the events of the letter are no longer in the log; delete it")
}

// DeadLetters returns the number of dead letters of all webhooks together.
func (s *Service) DeadLetters(ctx context.Context) (int64, error) {
	page, err := s.progress.Page(ctx, "", "", limits.MaxWebhooks)
	var sum int64
	for i := range page {
		sum += int64(page[i].Value.Dead)
	}
	return sum, err
}

// Ping is the result of a test of a webhook.
type Ping struct {
	Delivered bool   `json:"delivered"`
	Status    int    `json:"status,omitempty"`
	Error     string `json:"error,omitempty"`
}

// typePing is the type of the body of a test. The body has no data.
const typePing = "ping"

// Test sends a body of type ping to the receiver of a webhook, once, even if the webhook is
// disabled.
func (s *Service) Test(ctx context.Context, id string) (*Ping, error) {
	if err := permission.RequireWhole(ctx, "use webhooks, which are sent everything"); err != nil {
		return nil, err
	}
	d, err := s.definition(ctx, id)
	if err != nil {
		return nil, err
	}
	p := payload{Type: typePing, Timestamp: s.Now().UTC().Format(time.RFC3339Nano), Data: []any{}}
	body, err := p.text()
	if err != nil {
		return nil, err
	}
	answer, err := s.Sender.Send(ctx, &hooksend.Message{URL: d.URL, Secret: d.Secret, ID: "msg_" + strings.ToLower(rand.Text()), At: s.Now(), Body: body})
	if ctx.Err() != nil {
		return nil, catalog.StoreFailure(ctx.Err())
	}
	if err != nil {
		s.Logger.WarnContext(ctx, "the test of a webhook failed", "webhook", id, "error", hooksend.Detail(err))
	}
	ping := &Ping{Delivered: err == nil && answer.Delivered(), Status: answer.Status}
	if !ping.Delivered {
		ping.Error = catalog.Shown(failure(answer, err).Error())
	}
	return ping, nil
}
