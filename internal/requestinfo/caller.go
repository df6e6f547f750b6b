package requestinfo

import (
	"context"
	"net"
)

// Means is how a caller has shown who they are.
type Means string

// The means.
const (
	// NoMeans: authentication is off, and every caller is believed.
	NoMeans Means = ""
	// ByToken: a personal token or the token of a service account.
	ByToken Means = "token"
	// BySession: a session of the page, which began with a sign-in.
	BySession Means = "session"
	// ByProvider: a token of an identity provider, which a machine sent.
	ByProvider Means = "provider"
	// ByTopic: the caller has written to a topic of Kafka, which decides who may do that. The caller
	// has no name.
	ByTopic Means = "kafka"
	// BySystemSecret: the secret of the system client.
	BySystemSecret Means = "system"
)

// Caller is who makes a request, and how they have shown it.
type Caller struct {
	// Actor is the URN of the user or service account. It is "" for the system actor, and for every caller
	// while authentication is off and the request names no actor.
	Actor string
	Means Means
	// Credential is the id of the token or of the session. It is not secret: it does not let anybody sign in.
	Credential string
	// Impersonator is the URN of the caller if the caller, who has that privilege, makes the request
	// in the name of Actor. It is "system" for the system client, and otherwise "".
	Impersonator string
	// Stated is the URN in whose name the request asks to be made, if the caller has no such
	// privilege. The request is then made in the caller's own name.
	Stated string
	// Admin: the caller has the role of administrators, and may make requests in the name of others.
	Admin bool
	// Remote is the address from which the request came, without a port.
	Remote string
}

type callerKey struct{}

// WithCaller sets who makes a request. It also sets the actor of [ActorOf].
func WithCaller(ctx context.Context, c Caller) context.Context {
	return WithActor(context.WithValue(ctx, callerKey{}, c), c.Actor)
}

// CallerOf returns who makes a request; without [WithCaller] it is the zero Caller with the actor
// of [WithActor].
func CallerOf(ctx context.Context) Caller {
	c, known := ctx.Value(callerKey{}).(Caller)
	if !known {
		c.Actor = ActorOf(ctx)
	}
	return c
}

// Host returns an address without its port.
func Host(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}
