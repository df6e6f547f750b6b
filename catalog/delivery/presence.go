package delivery

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/safely"
)

// renewal is the record by which a server shows that it lives.
type renewal struct {
	// Renewed is when it was written, epoch milliseconds.
	Renewed int64 `json:"renewed"`
}

// forgetServer is how long a server must have been silent before its record is deleted.
const forgetServer = time.Hour

// presence shows other servers that this one lives, by one record for all its workers, and
// watches theirs. A lease is measured by how long the watcher saw no renewal, so the clocks of
// servers need not agree.
type presence struct {
	service *Service

	mu      sync.Mutex
	workers int
	// stop ends the renewals, and ended is closed then; alive is cancelled when they fail for
	// too long, or end.
	stop   context.CancelFunc
	ended  chan struct{}
	alive  context.Context
	reborn func()
	seen   map[string]sighting
	// renewed is when the newest renewal began, zero before the first. lapses counts how often
	// the next one came so late that others may have taken over.
	renewed time.Time
	lapses  int64
}

// sighting is a revision of another server's record, and when it was first seen.
type sighting struct {
	revision string
	at       time.Time
}

// join keeps the presence up until the last worker has left.
func (p *presence) join() (leave func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.workers++; p.workers == 1 {
		ctx, stop := context.WithCancel(context.Background())
		p.stop, p.renewed = stop, time.Time{}
		p.alive, p.reborn = context.WithCancel(ctx)
		ended := make(chan struct{})
		p.ended = ended
		p.service.own.Go("presence", func() { p.renew(ctx, ended) })
	}
	return p.leave
}

func (p *presence) leave() {
	p.mu.Lock()
	p.workers--
	last, stop, ended := p.workers == 0, p.stop, p.ended
	p.mu.Unlock()
	if last {
		stop()
		<-ended
	}
}

// renew writes the record of this server again and again. When that has failed for almost as
// long as a lease lasts, what this server does on behalf of its leases is cancelled.
func (p *presence) renew(ctx context.Context, ended chan<- struct{}) {
	defer close(ended)
	if p.service.alone {
		<-ctx.Done()
		return
	}
	s := p.service
	every := s.lease / renewals
	revision, renewed := "", time.Now()
	for {
		began := time.Now()
		attempt, cancel := context.WithTimeout(ctx, every)
		next := ""
		err := safely.Do(func() (err error) {
			next, err = s.renew(attempt, revision)
			return err
		})
		cancel()
		if err == nil {
			revision, renewed = next, began
			p.revive(ctx, began)
		} else if time.Since(renewed) > s.lease-every {
			p.silence()
		}
		if !pause(ctx, every) {
			break
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), every)
	defer cancel()
	if err := s.servers.Delete(last, s.id, revision); err != nil {
		s.logger.DebugContext(last, "the record of this server stays for some time", "error", err)
	}
}

// renew writes the record of this server, whoever wrote or deleted it meanwhile.
func (s *Service) renew(ctx context.Context, revision string) (string, error) {
	now := renewal{Renewed: s.now().UnixMilli()}
	next, err := s.servers.Put(ctx, s.id, now, revision)
	if errors.Is(err, records.ErrChanged) {
		found, _, err := s.servers.Get(ctx, s.id)
		if err != nil {
			return "", err
		}
		return s.servers.Put(ctx, s.id, now, found.Revision)
	}
	return next, err
}

func (p *presence) silence() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reborn()
}

func (p *presence) revive(ctx context.Context, renewed time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.late() {
		p.lapses++
	}
	p.renewed = renewed
	if p.alive.Err() != nil && ctx.Err() == nil {
		p.alive, p.reborn = context.WithCancel(ctx)
	}
}

// late reports whether others may take this server for dead. Not even the goroutine that
// renews may know: all of the process may have been frozen.
func (p *presence) late() bool {
	return !p.service.alone && !p.renewed.IsZero() && time.Since(p.renewed) > p.service.lease
}

// lapsed counts how often others may have taken this server for dead, now included. It is
// unknown until others can see this server.
func (p *presence) lapsed() (times int64, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.late() {
		return p.lapses + 1, true
	}
	return p.lapses, p.service.alone || !p.renewed.IsZero()
}

// while is a context that also ends when this server may have been replaced.
func (p *presence) while(ctx context.Context) (context.Context, context.CancelFunc) {
	p.mu.Lock()
	alive := p.alive
	p.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(alive, cancel)
	return ctx, func() { stop(); cancel() }
}

// gone reports whether a server no longer delivers.
func (p *presence) gone(ctx context.Context, server string) (bool, error) {
	if server == "" || server == p.service.id || p.service.alone {
		return true, nil
	}
	record, known, err := p.service.servers.Get(ctx, server)
	if err != nil || !known {
		return err == nil, err
	}
	silent := p.silentFor(server, record.Revision)
	if silent > forgetServer {
		err = ignoreChanged(p.service.servers.Delete(ctx, server, record.Revision))
	}
	return silent > p.service.lease, err
}

func (p *presence) silentFor(server, revision string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last, ok := p.seen[server]; ok && last.revision == revision {
		return time.Since(last.at)
	}
	p.seen[server] = sighting{revision, time.Now()}
	return 0
}
