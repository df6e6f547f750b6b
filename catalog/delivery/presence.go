package delivery

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/safely"
)

// renewal is the record by which a server shows that it is alive.
type renewal struct {
	// Renewed is when the server wrote the record, epoch milliseconds.
	Renewed int64 `json:"renewed"`
}

// forgetServer is the time of silence after which the record of a server is deleted.
const forgetServer = time.Hour

// presence shows other servers that this server is alive, by one record for all workers of this
// server, and watches the records of the other servers. A lease lapses when the watcher has
// seen no renewal for the duration of the lease, so the clocks of servers need not agree.
type presence struct {
	service *Service

	mu      sync.Mutex
	workers int
	// stop ends the renewals, and ended is closed after their end. alive is cancelled when
	// renewals fail for too long, or end.
	stop        context.CancelFunc
	ended       chan struct{}
	alive       context.Context
	cancelAlive func()
	seen        map[string]sighting
	// renewed is the time at which the newest renewal began, zero before the first. lapses counts
	// the renewals that came so late that other servers may have taken over.
	renewed time.Time
	lapses  int64
}

// sighting is a revision of another server's record, and when this server first saw it.
type sighting struct {
	revision string
	at       time.Time
}

// join begins the renewals for the first worker. The renewals end when the last worker has
// left.
func (p *presence) join() (leave func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.workers++; p.workers == 1 {
		ctx, stop := context.WithCancel(context.Background())
		p.stop, p.renewed = stop, time.Time{}
		p.alive, p.cancelAlive = context.WithCancel(ctx)
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

// renew writes the record of this server every third of a lease. When the writes have failed
// for almost the duration of a lease, renew cancels alive, and with it all work that depends on
// the lease.
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

// renew writes the record of this server, even if another server wrote or deleted it meanwhile.
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
	p.cancelAlive()
}

func (p *presence) revive(ctx context.Context, renewed time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.late() {
		p.lapses++
	}
	p.renewed = renewed
	if p.alive.Err() != nil && ctx.Err() == nil {
		p.alive, p.cancelAlive = context.WithCancel(ctx)
	}
}

// late reports whether other servers may believe that this server is dead. The goroutine that
// renews may not know, because the whole process may have been frozen.
func (p *presence) late() bool {
	return !p.service.alone && !p.renewed.IsZero() && time.Since(p.renewed) > p.service.lease
}

// lapsed returns how often other servers may have believed that this server is dead, including
// now. The number is unknown until other servers can see this server.
func (p *presence) lapsed() (times int64, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.late() {
		return p.lapses + 1, true
	}
	return p.lapses, p.service.alone || !p.renewed.IsZero()
}

// while returns a context that also ends when this server may have been replaced.
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
