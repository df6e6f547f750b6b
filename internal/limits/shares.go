package limits

import "time"

// Limits of each caller, while callers are known. They keep one caller from slowing the others.
const (
	// DefaultCallerRate is how many requests a caller may make in a second.
	DefaultCallerRate = 1_000
	// DefaultCallerRequests is how many requests of a caller are worked on at the same time while no
	// other caller has any.
	DefaultCallerRequests = 32
	// MaxCallerLong is how many event streams, exports and other requests without a time limit a
	// caller may have at the same time.
	MaxCallerLong = 50
	// MaxCallerWaiting is how many requests of a caller may wait for their turn, MaxCallersWaiting
	// how many of all callers together.
	MaxCallerWaiting  = 256
	MaxCallersWaiting = 4_096
	// CallerWait is how long a request waits for its turn.
	CallerWait = 10 * time.Second
)

// shares lists the limits of each caller.
func shares() []Limit {
	return []Limit{
		{Name: "caller rate", Value: DefaultCallerRate, Unit: "requests a second", Setting: "caller-rate", Meaning: "The requests that a caller may make in a second, while authentication is on. Further ones wait; those that would wait for more than the caller wait are refused with 429 and Retry-After. 0 means no limit."},
		{Name: "caller requests", Value: DefaultCallerRequests, Unit: "requests", Setting: "caller-requests", Meaning: "The requests of a caller that are worked on at the same time, while authentication is on. When other callers have made requests within the last half second, they share the server: each has as many as the server may use processors, divided by the number of these callers, at least one; up to three more, if these have taken longer than a second. Further requests wait for their turn."},
		{Name: "caller streams", Value: MaxCallerLong, Unit: "requests", Meaning: "The event streams, exports, imports and other requests without a time limit that a caller may have at the same time, while authentication is on. One more is refused with 429 and Retry-After."},
		{Name: "caller waiting", Value: MaxCallerWaiting, Unit: "requests", Meaning: "The requests of a caller that wait for their turn. One more is refused with 429 and Retry-After."},
		{Name: "callers waiting", Value: MaxCallersWaiting, Unit: "requests", Meaning: "The requests of all callers that wait for their turn. One more is refused with 503 and Retry-After."},
		{Name: "caller wait", Value: int64(CallerWait / time.Second), Unit: "seconds", Meaning: "How long a request waits for the turn of its caller. Then it is refused with 429 and Retry-After."},
	}
}
