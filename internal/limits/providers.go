package limits

import "time"

// Limits of sign-in with an identity provider.
const (
	// SignInTime is how long a person may take at the provider.
	SignInTime = 10 * time.Minute
	// MaxReturnTo is how long the path of the page may be to which a sign-in returns.
	MaxReturnTo = 2048
	// MaxProviderAnswer is how large an answer of a provider may be.
	MaxProviderAnswer = 1 << 20
	// MaxProviderToken is how long a token of a provider may be that a machine sends.
	MaxProviderToken = 16 << 10
	// MaxProviderGroups is how many groups of a person a provider may name.
	MaxProviderGroups = 1000
	// ProviderKeysPause is the time between two requests for the keys of a provider.
	ProviderKeysPause = 10 * time.Second
	// ProviderLeeway is how far the clocks of a provider and of this server may differ.
	ProviderLeeway = time.Minute
)

// providers lists the limits of sign-in with an identity provider.
func providers() []Limit {
	return []Limit{
		{Name: "sign-in time", Value: int64(SignInTime / time.Second), Unit: "seconds", Meaning: "The time between the start of a sign-in with an identity provider and its end. A later end is refused with 401."},
		{Name: "page after sign-in", Value: MaxReturnTo, Unit: "bytes", Meaning: "The path of the page to which a sign-in returns. A longer path is refused with 400."},
		{Name: "provider answer", Value: MaxProviderAnswer, Unit: "bytes", Meaning: "The size of an answer of an identity provider. With a larger one, the sign-in ends with 503."},
		{Name: "provider token", Value: MaxProviderToken, Unit: "bytes", Meaning: "The length of a token of an identity provider that a machine sends. A longer one is refused with 401."},
		{Name: "provider groups", Value: MaxProviderGroups, Unit: "groups", Meaning: "The groups of a person that an identity provider names. A sign-in with more is refused with 403."},
		{Name: "provider keys", Value: int64(ProviderKeysPause / time.Second), Unit: "seconds", Meaning: "The time between two requests for the keys of an identity provider. A token with a key that is new within this time is refused with 401."},
		{Name: "provider leeway", Value: int64(ProviderLeeway / time.Second), Unit: "seconds", Meaning: "How long after its end, or before its beginning, a token of an identity provider is accepted, because clocks differ."},
	}
}
