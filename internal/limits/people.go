package limits

import "time"

// Limits of people who sign in.
const (
	// MinPasswordBytes and MaxPasswordBytes are how long a password must and may be. A setting may
	// choose another least length, from LeastMinPassword to MostMinPassword.
	MinPasswordBytes = 8
	LeastMinPassword = 4
	MostMinPassword  = 128
	MaxPasswordBytes = 1024
	// MaxProfileText is how long the full name and the title of a person who signs up may be, in bytes.
	MaxProfileText = 256
	// MaxFailedSignIns is how many sign-ins of one account, and MaxFailedSignInsFrom how many from
	// one address, may fail within FailedSignInTime.
	MaxFailedSignIns     = 10
	MaxFailedSignInsFrom = 50
	FailedSignInTime     = 15 * time.Minute
	// MaxQueuedPasswords is how many passwords may wait until they are hashed.
	MaxQueuedPasswords = 100
	// InviteTime is how long a link that lets people in can be used, MaxInvites how many such links
	// there may be, one for each role.
	InviteTime = 14 * 24 * time.Hour
	MaxInvites = 100
	// ResetTime is how long a link that sets a new password can be used.
	ResetTime = 24 * time.Hour
	// SessionTime is how long a session lasts, SessionIdle how long it lasts without a request.
	SessionTime = 24 * time.Hour
	SessionIdle = 8 * time.Hour
	// MaxSessions is how many sessions a user may have.
	MaxSessions = 100
)

// people lists the limits of people who sign in.
func people() []Limit {
	return []Limit{
		{Name: "password", Value: MaxPasswordBytes, Unit: "bytes", Meaning: "The length of a password, which has at least 8 bytes, or as many as --min-password says. Another one is refused with 400."},
		{Name: "profile text", Value: MaxProfileText, Unit: "bytes", Meaning: "The full name and the title of somebody who signs up. Longer ones are refused with 400."},
		{Name: "failed sign-ins", Value: MaxFailedSignIns, Unit: "sign-ins", Meaning: "The sign-ins of one account that may fail within 15 minutes. After the fifth one, each further try must wait, twice as long each time. Earlier tries are refused, also with the right password; the error says how long to wait."},
		{Name: "failed sign-ins from an address", Value: MaxFailedSignInsFrom, Unit: "sign-ins", Meaning: "The sign-ins from one address (of IPv6: from one network of 64 bits) that may fail within 15 minutes. Further tries are refused until the 15 minutes are over."},
		{Name: "queued passwords", Value: MaxQueuedPasswords, Unit: "passwords", Meaning: "The passwords that wait until they are hashed, which happens two at a time. One more is refused with 503 and Retry-After."},
		{Name: "invite", Value: int64(InviteTime / time.Second), Unit: "seconds", Meaning: "How long a link that lets people in can be used. Then it is refused with 400."},
		{Name: "invites", Value: MaxInvites, Unit: "items", Meaning: "The links that let people in, one for each role. One more is refused with 422."},
		{Name: "password reset", Value: int64(ResetTime / time.Second), Unit: "seconds", Meaning: "How long a link that sets a new password can be used, once. Then it is refused with 400."},
		{Name: "session", Value: int64(SessionTime / time.Second), Unit: "seconds", Meaning: "How long a session of somebody who has signed in lasts. Then its requests are refused with 401."},
		{Name: "idle session", Value: int64(SessionIdle / time.Second), Unit: "seconds", Meaning: "How long a session lasts without a request. Then its requests are refused with 401."},
		{Name: "sessions", Value: MaxSessions, Unit: "items", Meaning: "The sessions of one user. One more ends the oldest one."},
	}
}
