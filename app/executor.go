package app

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"

	"github.com/headwater-io/headwater/app/config"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/executor"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/internal/tasks"
)

// executorSettings returns the settings of this server's executor.
func executorSettings(s *config.Server) executor.Settings {
	return executor.Settings{
		Dir: filepath.Join(s.Data, "executor"), Parallel: s.ExecutorRuns, Time: s.ExecutorTime, Memory: s.ExecutorMemory, Disk: s.ExecutorDisk,
		Environments: s.ExecutorEnvironments, Wheels: s.ExecutorWheels, Python: s.ExecutorPython, Constraints: s.ExecutorConstraints, SQLCache: cmp.Or(s.SQLCache, filepath.Join(s.Data, "sql")), AllowCode: s.ExecutorCode,
	}
}

// checkExecutor returns an error that describes the first fault of the executor's settings.
func checkExecutor(s *config.Server) error {
	settings := executorSettings(s)
	if err := settings.Check(); err != nil {
		return fmt.Errorf("executor: %w", err)
	}
	return nil
}

// runSources runs an executor over this server's own REST interface, until the function that it returns is
// called. A replica has no executor, and a server has none while it is read-only.
func (s *server) runSources(ctx context.Context, h *http.Server, listener net.Listener, cat *services.Services) (stop func(), err error) {
	if s.settings.Executor != config.ExecutorOn || s.settings.Follow != "" {
		return func() {}, nil
	}
	settings := executorSettings(s.settings)
	settings.Token, settings.RunToken, settings.Logger = s.own.Executor, s.own.Run, s.logger
	if settings.Server, err = s.ownAddress(ctx, h, listener); err != nil {
		return nil, err
	}
	working, end := context.WithCancel(context.WithoutCancel(ctx))
	work := tasks.New("executor of the server", s.logger)
	work.Go("runs", func() {
		cat.WhileWritable(working, func(ctx context.Context) {
			x, err := executor.Open(settings)
			if err == nil {
				err = x.Run(ctx)
			}
			if err != nil {
				s.logger.ErrorContext(ctx, "this server runs no ingestion sources", "error", err)
			}
		})
	})
	return func() {
		end()
		_ = work.Wait(context.Background())
	}, nil
}

// ownAddress returns an address at which this server reaches itself: the address on which it listens, or, with
// TLS or if this address belongs to another network, a new address that only this machine reaches.
func (s *server) ownAddress(ctx context.Context, h *http.Server, listener net.Listener) (string, error) {
	if at, ok := listener.Addr().(*net.TCPAddr); ok && s.settings.TLSCert == "" {
		switch {
		case at.IP.IsUnspecified():
			return fmt.Sprintf("http://127.0.0.1:%d", at.Port), nil
		case at.IP.IsLoopback():
			return "http://" + at.String(), nil
		}
	}
	own, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("an address for the executor: %w", err)
	}
	tasks.New("server", s.logger).Go("requests of the executor", func() {
		_ = safely.Do(func() error { return h.Serve(own) }) // the server of the executor logs its end itself
	})
	return "http://" + own.Addr().String(), nil
}
