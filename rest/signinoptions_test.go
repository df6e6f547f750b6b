package rest_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/gin-gonic/gin"

	restaccess "github.com/headwater-io/headwater/rest/access"
	"github.com/headwater-io/headwater/rest/call"
)

// hanging is a change log whose store never answers.
type hanging struct{}

func (hanging) EndOfChanges(ctx context.Context) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

// TestSignInOptionsOfHangingStore: how people sign in is answered although the store does not tell the end of the change log.
func TestSignInOptionsOfHangingStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endpoints := restaccess.Endpoints(nil, hanging{})
		at := slices.IndexFunc(endpoints, func(e call.Endpoint) bool { return e.Path == "/auth/options" })
		w := httptest.NewRecorder()
		c, _ := gin.CreateTestContext(w)
		c.Request = httptest.NewRequest(http.MethodGet, endpoints[at].Path, http.NoBody)
		err := endpoints[at].Handle(&call.Call{Context: c, Logger: slog.New(slog.DiscardHandler)})
		if answer := w.Body.String(); err != nil || !strings.Contains(answer, `"auth":"off"`) || strings.Contains(answer, "cursor") {
			t.Errorf("the answer is %s %v", answer, err)
		}
	})
}
