package limits

import "time"

// Limits of webhooks and of filtered events.
const (
	// MaxFilterNames is how many kinds, types, aspects or URNs a filter of events may
	// name, each.
	MaxFilterNames = 100
	// MaxScannedChanges is how many changes one request for filtered events reads before it answers
	// without an event.
	MaxScannedChanges = 20_000
	// MaxWebhooks is how many webhooks there may be.
	MaxWebhooks = 100
	// MaxWebhookID, MaxWebhookURL and MaxWebhookText are how long the id, the URL and
	// the description of a webhook may be, in bytes.
	MaxWebhookID   = 64
	MaxWebhookURL  = 2048
	MaxWebhookText = 1000
	// MaxWebhookBatch is how many events one request to a receiver has at most,
	// MaxWebhookBatchBytes how large their values are together, unless one event
	// alone is larger.
	MaxWebhookBatch      = 100
	MaxWebhookBatchBytes = 1 << 20
	// MaxWebhookAttempts is how often a batch is sent, and MaxWebhookAge how long it is
	// tried, before it becomes a dead letter.
	MaxWebhookAttempts = 12
	MaxWebhookAge      = time.Hour
	// MaxWebhookPause is the longest pause between two attempts.
	MaxWebhookPause = 5 * time.Minute
	// MaxDeadLetters is how many dead letters a webhook may have.
	MaxDeadLetters = 1000
	// MaxReplayed is how many dead letters one request replays or deletes.
	MaxReplayed = 100
)

// webhooks lists the limits of webhooks and of filtered events.
func webhooks() []Limit {
	return []Limit{
		{Name: "filter of events", Value: MaxFilterNames, Unit: "items", Meaning: "The kinds, entity types, aspects or URNs, each, that a filter of events may name. More are refused with 400."},
		{Name: "changes scanned", Value: MaxScannedChanges, Unit: "changes", Meaning: "How many changes one request for filtered events reads at least before it answers that no event of these changes fits the filter. The member next of the answer continues after these changes."},
		{Name: "webhooks", Value: MaxWebhooks, Unit: "items", Meaning: "Webhooks of a catalog. One more is refused with 422."},
		{Name: "webhook URL", Value: MaxWebhookURL, Unit: "bytes", Meaning: "The URL of a webhook. An id may have 64 bytes, a description 1000. Longer ones are refused with 400."},
		{Name: "webhook batch", Value: MaxWebhookBatch, Unit: "events", Meaning: "The events in one request to a receiver. More follow in the next request."},
		{Name: "webhook batch size", Value: MaxWebhookBatchBytes, Unit: "bytes", Meaning: "The values of the events in one request to a receiver. One event that is larger is sent alone."},
		{Name: "webhook attempts", Value: MaxWebhookAttempts, Unit: "attempts", Meaning: "How often a batch is sent, over at most an hour, before it becomes a dead letter and the next one is sent."},
		{Name: "webhook pause", Value: int64(MaxWebhookPause / time.Second), Unit: "seconds", Meaning: "The longest pause between two attempts, also if the receiver asks for a longer one (Retry-After)."},
		{Name: "dead letters", Value: MaxDeadLetters, Unit: "items", Meaning: "The dead letters of a webhook. When there are so many, the webhook is disabled; when it is enabled again, it goes on where it stopped."},
		{Name: "letters replayed", Value: MaxReplayed, Unit: "items", Meaning: "The dead letters that one request replays or deletes. The answer says how many are left."},
	}
}
