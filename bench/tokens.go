package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	// tokenRequests is how many requests one repetition has.
	tokenRequests = 5000
	// tokenTarget is how much more processor time a request with a token may cost.
	tokenTarget = 50 * time.Microsecond
)

// onTokens prints how much more processor time of the server a request costs that shows a token: one of an
// administrator, who may see everything, and one of an editor, from whom secrets are hidden. The server without
// authentication has a copy of the catalog: policies and accounts are searched too.
func (b *bench) onTokens(ctx context.Context) (err error) {
	data, admin := filepath.Join(b.dir, "tokens"), filepath.Join(b.dir, "admin")
	if err := os.WriteFile(admin, []byte("admin\na long password\n"), 0o600); err != nil {
		return err
	}
	withAuth := []string{"--data", data, "--sample", "--auth", "on", "--first-admin-file", admin, "--caller-rate", "0", "--open-metrics"}
	on, err := startServer(ctx, b.binary, withAuth...)
	if err != nil {
		return err
	}
	if on.token, err = b.newToken(ctx, on.base, data, "administrator", "Admin"); err != nil {
		return errors.Join(err, on.stop())
	}
	adminToken := on.token
	editorToken, err := b.newToken(ctx, on.base, data, "editor", "Editor")
	if err = errors.Join(err, on.settle(ctx), on.stop(), os.CopyFS(data+"-off", os.DirFS(data))); err != nil {
		return err
	}
	if on, err = startServer(ctx, b.binary, withAuth...); err != nil {
		return err
	}
	defer on.stop() //nolint:errcheck // the figures are taken
	off, err := startServer(ctx, b.binary, "--data", data+"-off", "--sample")
	if err != nil {
		return err
	}
	defer off.stop() //nolint:errcheck // the figures are taken
	editor := *on
	on.token, editor.token = adminToken, editorToken
	for _, s := range []*server{on, off} {
		if err := s.settle(ctx); err != nil {
			return err
		}
	}
	for _, r := range callerRows {
		costs := map[*server][]float64{}
		for range b.repetitions {
			for _, s := range []*server{off, on, &editor} {
				cost, err := s.cost(ctx, tokenRequests, func(ctx context.Context, i int) error { return r.call(ctx, s, "reader", i) })
				if err != nil {
					return err
				}
				costs[s] = append(costs[s], float64(cost))
			}
		}
		without := time.Duration(median(costs[off]))
		for _, token := range []struct {
			whose string
			of    *server
		}{{"an administrator", on}, {"an editor", &editor}} {
			with, missed := time.Duration(median(costs[token.of])), ""
			if with-without > tokenTarget {
				missed = ", missed"
			}
			fmt.Printf("tokens: %s cost %d µs of processor time without a token, %d µs with one of %s: %d µs more (%d wanted%s)\n",
				r.what, without.Microseconds(), with.Microseconds(), token.whose, (with - without).Microseconds(), tokenTarget.Microseconds(), missed)
		}
	}
	return nil
}

// costed is measure, with the processor time of the server that one operation takes.
func (s *server) costed(ctx context.Context, clients, n int, op func(ctx context.Context, i int) error) (figure, time.Duration, error) {
	before, err := s.processor()
	if err != nil {
		return figure{}, 0, err
	}
	f, err := s.measure(ctx, clients, n, op)
	if err != nil {
		return f, 0, err
	}
	after, err := s.processor()
	return f, (after - before) / time.Duration(n), err
}

// cost returns the processor time of the server that one of n requests takes. Unlike a rate, it hardly depends on
// other programs on the machine.
func (s *server) cost(ctx context.Context, n int, op func(ctx context.Context, i int) error) (time.Duration, error) {
	before, err := s.processor()
	if err != nil {
		return 0, err
	}
	if _, err := measure(ctx, 1, n, op); err != nil {
		return 0, err
	}
	after, err := s.processor()
	return (after - before) / time.Duration(n), err
}
