package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

const (
	// callerRequests is how many requests the innocent caller makes in one repetition.
	callerRequests = 300
	// busyConnections is how many requests the busy caller always has open.
	busyConnections = 48
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
	busy := *s
	for _, caller := range []struct {
		name string
		of   *server
	}{{"innocent", s}, {"busy", &busy}} {
		if caller.of.token, err = b.newToken(ctx, s.base, data, caller.name); err != nil {
			return err
		}
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	for _, r := range callerRows {
		alone := func(int) (figure, error) {
			return s.measure(ctx, 1, callerRequests, func(ctx context.Context, i int) error { return r.call(ctx, s, "innocent", i) })
		}
		beside := func(round int) (figure, error) {
			stop := keepBusy(ctx, func(ctx context.Context, i int) error { return r.call(ctx, &busy, "busy", i) })
			f, err := alone(round)
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

// keepBusy keeps busyConnections operations running until stop is called, which returns their first
// error.
func keepBusy(ctx context.Context, op func(ctx context.Context, i int) error) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	var (
		group sync.WaitGroup
		once  sync.Once
		first error
	)
	for c := range busyConnections {
		group.Go(func() {
			for i := c; ctx.Err() == nil; i += busyConnections {
				if err := op(ctx, i); err != nil && ctx.Err() == nil {
					once.Do(func() { first = err })
					return
				}
			}
		})
	}
	return func() error {
		cancel()
		group.Wait()
		return first
	}
}

// newToken makes a token of a service account with the server's secrets.
func (b *bench) newToken(ctx context.Context, base, data, name string) (string, error) {
	c := exec.CommandContext(ctx, b.binary, "token", "create", name, "--service-account", name, "--role", "Editor", "--for", "day", "--server", base, "--keys", filepath.Join(data, "keys.json"), "--output", "json")
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
