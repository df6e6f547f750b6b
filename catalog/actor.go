package catalog

import (
	"context"
)

type actorKey struct{}

// WithActor sets the actor on whose behalf a request is made: an actor's URN,
// or "" for the system actor.
func WithActor(ctx context.Context, actor string) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// ActorOf returns the actor of a request.
func ActorOf(ctx context.Context) string {
	actor, _ := ctx.Value(actorKey{}).(string)
	return actor
}
