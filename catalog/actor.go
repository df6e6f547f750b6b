package catalog

import "context"

type actorKey struct{}

// WithActor says on whose behalf a request is made: the URN of an actor, "" for
// the system actor.
func WithActor(ctx context.Context, actor string) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// ActorOf is the actor of a request.
func ActorOf(ctx context.Context) string {
	actor, _ := ctx.Value(actorKey{}).(string)
	return actor
}
