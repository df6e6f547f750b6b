package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// callerRequests is how many requests the innocent caller makes in one repetition.
	callerRequests = 2000
	// busyConnections is how many requests the busy caller always has open.
	busyConnections = 48
	// busyBefore is how long the busy caller is there before the innocent one is measured.
	busyBefore = 500 * time.Millisecond
	// callerTarget is the least rate of the innocent caller beside the busy one, as a part of its
	// rate alone: one caller may slow another by twice at most.
	callerTarget = 0.5
)

// callerRow is a kind of request that both callers make.
type callerRow struct {
	what string
	call func(ctx context.Context, s *server, caller string, i int) error
}

var callerRows = []callerRow{
	{"reads", func(ctx context.Context, s *server, _ string, _ int) error {
		_, err := s.get(ctx, "/entitiesV2/"+strings.ReplaceAll(sampleOrders, ",", "%2C"))
		return err
	}},
	{"searches", func(ctx context.Context, s *server, _ string, _ int) error {
		_, err := s.post(ctx, "/entities?action=searchAcrossEntities", []byte(`{"input":"orders","start":0,"count":20}`))
		return err
	}},
	{"walks", func(ctx context.Context, s *server, _ string, _ int) error {
		_, err := s.post(ctx, "/api/graphql", fmt.Appendf(nil, `{"query":"{ searchAcrossLineage(input: {urn: \"%s\", direction: DOWNSTREAM, count: 20}) { total } }"}`, sampleOrders))
		return err
	}},
	{"writes", func(ctx context.Context, s *server, caller string, i int) error {
		_, err := s.post(ctx, "/aspects?action=ingestProposal", fmt.Appendf(nil, `{"proposal":{"entityType":"tag","entityUrn":"urn:li:tag:%s%d","changeType":"UPSERT","aspectName":"tagProperties","aspect":{"contentType":"application/json","value":"{\"name\":\"%[1]s\"}"}}}`, caller, i%100))
		return err
	}},
}

// onCallers compares how fast a caller is beside another one at full speed, and alone.
func (b *bench) onCallers(ctx context.Context) error {
	data, admin := filepath.Join(b.dir, "callers"), filepath.Join(b.dir, "admin")
	if err := os.WriteFile(admin, []byte("admin\na long password\n"), 0o600); err != nil {
		return err
	}
	s, err := startServer(ctx, b.binary, "--data", data, "--sample", "--auth", "on", "--first-admin-file", admin, "--caller-rate", "0", "--open-metrics")
	if err != nil {
		return err
	}
	defer s.stop() //nolint:errcheck // the figures are taken
	if s.token, err = b.newToken(ctx, s.base, data, "innocent", "Editor"); err != nil {
		return err
	}
	busy, err := b.newToken(ctx, s.base, data, "busy", "Editor")
	if err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	for _, r := range callerRows {
		alone := func(int) (figure, error) {
			return s.measure(ctx, 1, callerRequests, func(ctx context.Context, i int) error { return r.call(ctx, s, "innocent", i) })
		}
		beside := func(round int) (figure, error) {
			stop, err := b.keepBusy(ctx, s, busy, r.what)
			if err != nil {
				return figure{}, err
			}
			samples := s.sampleWaiting(ctx)
			f, err := alone(round)
			waiting, all := samples()
			fmt.Printf("%s: requests of the busy caller waited in %d of %d samples; the other caller made %.0f requests a second\n", r.what, waiting, all, f.rate())
			return f, errorOr(stop(), err)
		}
		if err := b.add("two callers: "+r.what+" beside a busy caller, and alone", callerTarget, beside, alone); err != nil {
			return err
		}
	}
	return nil
}

func errorOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// busyToken is the variable of the environment with the token of the busy caller.
const busyToken = "HEADWATER_BENCH_TOKEN"

// keepBusy starts the busy caller, and returns the function that ends it. The busy caller is a process with a low
// priority, as if it ran on another machine: it takes little of the processor time that the innocent caller needs.
func (b *bench) keepBusy(ctx context.Context, s *server, token, what string) (stop func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, "nice", "-n", "5", self, "-busy", what, "-busy-server", s.base)
	c.Env, c.Stdout, c.Stderr = append(os.Environ(), busyToken+"="+token), os.Stdout, os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := c.Start(); err != nil {
		return nil, err
	}
	time.Sleep(busyBefore)
	return func() error { return errorOr(c.Process.Signal(os.Interrupt), c.Wait()) }, nil
}

// beBusy makes requests of a kind on busyConnections connections until it is interrupted.
func beBusy(ctx context.Context, base, what string) error {
	place := slices.IndexFunc(callerRows, func(r callerRow) bool { return r.what == what })
	if place < 0 {
		return fmt.Errorf("no requests are called %q", what)
	}
	s := &server{base: base, token: os.Getenv(busyToken), http: newClient()}
	began, made := time.Now(), atomic.Int64{}
	_, err := measure(ctx, busyConnections, math.MaxInt, func(ctx context.Context, i int) error {
		err := callerRows[place].call(ctx, s, "busy", i)
		if ctx.Err() == nil { // the last requests fail because the caller is interrupted
			made.Add(1)
			return err
		}
		return nil
	})
	if ctx.Err() == nil {
		return err
	}
	fmt.Printf("%s: the busy caller made %.0f requests a second\n", what, float64(made.Load())/time.Since(began).Seconds())
	return nil
}

// newToken makes a token of a service account with a role, with the server's secrets.
func (b *bench) newToken(ctx context.Context, base, data, name, role string) (string, error) {
	c := exec.CommandContext(ctx, b.binary, "token", "create", name, "--service-account", name, "--role", role, "--for", "day", "--server", base, "--keys", filepath.Join(data, "keys.json"), "--output", "json")
	c.Stderr = os.Stderr
	text, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("a token of %s: %w", name, err)
	}
	var made struct{ AccessToken string }
	if err := json.Unmarshal(text, &made); err != nil {
		return "", fmt.Errorf("a token of %s: %w", name, err)
	}
	return made.AccessToken, nil
}

// sampleWaiting counts, until the returned function is called, how often requests of callers wait at the server.
func (s *server) sampleWaiting(ctx context.Context) (result func() (waiting, all int)) {
	ctx, cancel := context.WithCancel(ctx)
	var (
		group        sync.WaitGroup
		waiting, all int
	)
	group.Go(func() {
		for tick := time.NewTicker(100 * time.Millisecond); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
			}
			text, err := s.get(ctx, "/metrics")
			if err != nil {
				continue
			}
			if all++; !strings.Contains(string(text), "\nheadwater_caller_requests_waiting 0\n") {
				waiting++
			}
		}
	})
	return func() (int, int) {
		cancel()
		group.Wait()
		return waiting, all
	}
}
