package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
)

const (
	replicaCount = 3
	// replicaTarget is the wanted ratio of the replicas' reads to those of the primary.
	replicaTarget = 2.5
	// replicaReads is how many reads one repetition sends to each server.
	replicaReads = 4000
)

// replicaSet is a primary with its replicas. If there are enough cores, each server runs on
// a core of its own. Otherwise all run on the same core, and are measured one at a time.
type replicaSet struct {
	primary  *server
	replicas []*server
	// together: all replicas are measured at the same time.
	together bool
}

// onReplicas compares the reads of three replicas with those of their primary.
func (b *bench) onReplicas(ctx context.Context) error {
	set := &replicaSet{together: runtime.NumCPU() >= replicaCount+2}
	defer set.stop()
	if err := b.startPinned(ctx, set); err != nil {
		return err
	}
	w := workload{datasets: b.embeddedSize}
	began := time.Now()
	if _, err := load(ctx, set.primary, w); err != nil {
		return err
	}
	loaded := time.Since(began)
	began = time.Now()
	for _, r := range set.replicas {
		if err := r.awaitLevel(ctx); err != nil {
			return err
		}
	}
	fmt.Printf("embedded, %d datasets: loaded in %v, %d replicas level %v later\n",
		w.datasets, loaded.Round(time.Millisecond), replicaCount, time.Since(began).Round(time.Millisecond))
	for _, s := range append([]*server{set.primary}, set.replicas...) {
		if err := s.settle(ctx); err != nil {
			return err
		}
	}
	how := "on paper"
	if set.together {
		how = "at once"
	}
	fmt.Printf("reads of %s; %d cores\n", map[bool]string{
		true:  "the replicas at once, each server on a core of its own",
		false: "one server at a time on core 0, the others idle, the clients on the rest: the sum is what the replicas would answer on cores of their own",
	}[set.together], runtime.NumCPU())
	for _, kind := range []struct {
		name string
		read func(context.Context, *server, workload, int) (figure, error)
	}{{"point reads", pointReads}, {"one-hop reads", oneHopReads}} {
		read := func(s *server) (figure, error) { return kind.read(ctx, s, w, replicaReads) }
		name := fmt.Sprintf("embedded: %s, %d replicas %s beside primary", kind.name, replicaCount, how)
		err := b.add(name, replicaTarget, func(int) (figure, error) { return set.measureReplicas(read) },
			func(int) (figure, error) { return read(set.primary) })
		if err != nil {
			return err
		}
	}
	return nil
}

// startPinned starts the servers, each on its core if taskset exists. It keeps this process
// away from the cores of the servers.
func (b *bench) startPinned(ctx context.Context, set *replicaSet) error {
	core := func(i int) string {
		if set.together {
			return strconv.Itoa(i)
		}
		return "0"
	}
	first := 1
	if set.together {
		first = replicaCount + 1
	}
	if err := onCores(first, runtime.NumCPU()-1); err != nil {
		return err
	}
	var err error
	data := func(name string) []string { return []string{"--data", filepath.Join(b.dir, name)} }
	if set.primary, err = startOn(ctx, core(0), b.binary, []string{"serve"}, data("primary")...); err != nil {
		return err
	}
	for i := range replicaCount {
		r, err := startOn(ctx, core(i+1), b.binary, []string{"follow", set.primary.base}, data(fmt.Sprintf("replica-%d", i))...)
		if err != nil {
			return err
		}
		set.replicas = append(set.replicas, r)
	}
	return nil
}

// onCores restricts this process, with all its threads, to some of the cores.
func onCores(first, last int) error {
	if first > last {
		return nil
	}
	out, err := exec.Command("taskset", "-a", "-c", "-p", fmt.Sprintf("%d-%d", first, last), strconv.Itoa(os.Getpid())).CombinedOutput()
	if err != nil {
		return fmt.Errorf("taskset: %w: %s", err, out)
	}
	return nil
}

func startOn(ctx context.Context, core, binary string, verb []string, args ...string) (*server, error) {
	return startCommand(ctx, append([]string{"taskset", "-c", core, binary}, verb...), args...)
}

func (set *replicaSet) stop() {
	for _, r := range set.replicas {
		_ = r.stop()
	}
	if set.primary != nil {
		_ = set.primary.stop()
	}
}

// measureReplicas returns the sum of the replicas' figures.
func (set *replicaSet) measureReplicas(read func(*server) (figure, error)) (figure, error) {
	figures, failures := make([]figure, replicaCount), make([]error, replicaCount)
	done := make(chan struct{}, replicaCount)
	for i, r := range set.replicas {
		go func() {
			figures[i], failures[i] = read(r)
			done <- struct{}{}
		}()
		if !set.together {
			<-done
		}
	}
	if set.together {
		for range set.replicas {
			<-done
		}
	}
	var sum figure
	rate := 0.0
	for i, f := range figures {
		if failures[i] != nil {
			return sum, failures[i]
		}
		sum.ops += f.ops
		sum.mallocs += f.mallocs
		sum.bytes += f.bytes
		rate += f.rate()
	}
	sum.latencies = figures[0].latencies
	sum.elapsed = time.Duration(float64(sum.ops) / rate * float64(time.Second))
	return sum, nil
}

// awaitLevel waits until a replica has all changes of its source.
func (s *server) awaitLevel(ctx context.Context) error {
	for {
		answer, err := s.get(ctx, "/replica")
		if err != nil {
			return err
		}
		var status struct {
			State      string `json:"state"`
			LagChanges int64  `json:"lagChanges"`
			Failure    string `json:"failure"`
		}
		if err := json.Unmarshal(answer, &status); err != nil {
			return err
		}
		if status.Failure != "" {
			return fmt.Errorf("the replica: %s", status.Failure)
		}
		if status.State == "level" && status.LagChanges == 0 {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
