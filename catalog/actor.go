package catalog

import (
	"context"

	"github.com/headwater-io/headwater/model"
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

// systemActorName is the user who is recorded for anonymous writes.
const systemActorName = "__datahub_system"

// SystemActor is the URN of the actor of anonymous writes in a dialect.
func SystemActor(d model.Dialect) string {
	return "urn:" + d.Namespace + ":corpuser:" + systemActorName
}
