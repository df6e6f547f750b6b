package access_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// TestForgetDuringLook ends a session while the gate looks it up: the answer of that look is not remembered.
func TestForgetDuringLook(t *testing.T) {
	h := newHouse(t)
	ada := h.user("ada")
	looked, letGo := make(chan struct{}), make(chan struct{})
	var ended atomic.Bool
	o := h.gate.Options
	o.Sessions = func(context.Context, string) (model.URN, string, error) {
		if ended.Load() {
			return model.URN{}, "", &catalog.Error{Code: catalog.Unauthenticated, Message: "the session has ended"}
		}
		close(looked)
		<-letGo
		return ada, "s1", nil
	}
	gate := access.New(o)
	early := make(chan error, 1)
	go func() {
		_, err := gate.Caller(t.Context(), access.Shown{Session: "secret"})
		early <- err
	}()
	<-looked
	ended.Store(true)
	gate.Forget()
	close(letGo)
	if err := <-early; err != nil {
		t.Errorf("a request that came before the end of the session: %v", err)
	}
	if c, err := gate.Caller(t.Context(), access.Shown{Session: "secret"}); catalog.CodeOf(err) != catalog.Unauthenticated {
		t.Errorf("after the end of the session: %+v %v", c.Caller, err)
	}
}
