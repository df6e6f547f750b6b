package call

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"github.com/headwater-io/headwater/catalog"
)

// TestFailIsLogged: a failure is logged as an error with its route, but not that of a request that its caller has ended.
func TestFailIsLogged(t *testing.T) {
	for _, ended := range []bool{false, true} {
		var log bytes.Buffer
		ctx, end := context.WithCancel(t.Context())
		defer end()
		answer := httptest.NewRecorder()
		c, engine := gin.CreateTestContext(answer)
		engine.GET("/waits", func(g *gin.Context) {
			if ended {
				end()
			}
			one := &Call{Context: g, Logger: slog.New(slog.NewTextHandler(&log, nil))}
			one.Fail(catalog.StoreFailure(errors.Join(context.Canceled)))
		})
		c.Request = httptest.NewRequestWithContext(ctx, http.MethodGet, "/waits", nil)
		engine.HandleContext(c)
		if answer.Code != http.StatusServiceUnavailable {
			t.Errorf("status %d", answer.Code)
		}
		if logged := strings.Contains(log.String(), "level=ERROR") && strings.Contains(log.String(), "method=GET route=/waits status=503"); logged == ended {
			t.Errorf("ended %v: the log says %q", ended, log.String())
		}
	}
}
