package embedded

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/headwater-io/headwater/indexer"
)

const (
	// mergeAt is the number of segments of about the same size that are merged into one.
	mergeAt = 6
	// maxFile bounds the size of a merged file, in bytes.
	maxFile = 2 << 30
	// saveEvery is how often changes are saved that are too few to fill the memory.
	saveEvery = time.Minute
	// retryFirst is the wait before the first retry of a failed merge, retryMost the longest
	// wait before a later one.
	retryFirst = 100 * time.Millisecond
	retryMost  = 5 * time.Second
)

// start starts the two goroutines that merge.
func (c *core) start() {
	c.stopping.Store(false)
	c.stop = make(chan struct{})
	c.wakeMemory, c.wakeFiles = make(chan struct{}, 1), make(chan struct{}, 1)
	c.tasks.Go(func() { c.upkeep(c.wakeMemory, c.mergeMemory, c.save, &c.saving) })
	c.tasks.Go(func() { c.upkeep(c.wakeFiles, c.mergeFiles, func() error { return nil }, &c.merging) })
	wake(c.wakeFiles)
}

// halt ends the two goroutines that merge, and waits for them.
func (c *core) halt() {
	if c.stopping.CompareAndSwap(false, true) {
		close(c.stop)
	}
	c.tasks.Wait()
}

// upkeep runs step whenever it is woken, and also every saveEvery. A function that fails is
// tried again until it succeeds.
func (c *core) upkeep(woken chan struct{}, step func() (more bool, err error), also func() error, last *failure) {
	tick := time.NewTicker(saveEvery)
	defer tick.Stop()
	due, wait := false, retryFirst // due: the function also must run, or has failed
	for {
		select {
		case <-c.stop:
			return
		case <-woken:
		case <-tick.C:
			due = true
		}
		var err error
		for more := true; more && err == nil && !c.stopping.Load(); {
			err = c.guarded(func() (err error) { more, err = step(); return err })
		}
		if err == nil && due {
			err = c.guarded(also)
			due = err != nil
		}
		if errors.Is(err, errStopped) {
			return
		}
		c.report(last, err)
		if err == nil {
			wait = retryFirst
			continue
		}
		select {
		case <-c.stop:
			return
		case <-time.After(wait):
			wake(woken)
		}
		wait = min(2*wait, retryMost)
	}
}

// failure is the error of the last attempt, nil if it succeeded. It is set with mu held,
// and read without waiting.
type failure struct{ err atomic.Pointer[error] }

func (f *failure) get() error {
	if err := f.err.Load(); err != nil {
		return *err
	}
	return nil
}

// report records the result of a merge, and wakes the writes that wait for it.
func (c *core) report(last *failure, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && last.get() == nil {
		c.logger.Warn("the search index cannot be merged or saved; trying again until it can", "error", err)
	}
	last.err.Store(&err)
	close(c.changed)
	c.changed = make(chan struct{})
}

// mergeMemory merges segments in memory. If they take too much memory, it writes all of
// them to a file.
func (c *core) mergeMemory() (more bool, err error) {
	v := c.acquire()
	if v == nil {
		return false, errStopped
	}
	defer v.release()
	memory, _ := v.split()
	if v.memory() >= c.memory {
		return true, c.save()
	}
	inputs := likeSized(memory, func(p *part) int { return bits.Len(uint(p.docs)) / 3 })
	if inputs == nil || sizeOf(inputs) > c.memory/4 {
		return false, nil
	}
	m := &merger{inputs: inputs, stopped: c.stopping.Load}
	var out bytes.Buffer
	out.Grow(sizeOf(inputs))
	if _, err := m.merge(newEncoder(&out)); err != nil {
		return false, err
	}
	merged, err := parseSegment(out.Bytes())
	if err != nil {
		return false, err
	}
	c.replace(m, merged)
	return true, nil
}

// likeSized returns the parts of the lowest level that has enough parts.
func likeSized(parts []part, level func(*part) int) []part {
	levels := map[int][]part{}
	for i := range parts {
		l := level(&parts[i])
		levels[l] = append(levels[l], parts[i])
	}
	best := -1 << 30
	for l, list := range levels {
		if len(list) >= mergeAt && (best == -1<<30 || l < best) {
			best = l
		}
	}
	return levels[best]
}

func sizeOf(parts []part) int {
	size := 0
	for i := range parts {
		size += parts[i].size
	}
	return size
}

// replace publishes a view with the result of a merge in place of its inputs. Documents of
// the inputs that have been deleted since the merge began are marked as gone in the result.
// merged is nil if no document is left.
func (c *core) replace(m *merger, merged *segment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.current.Load()
	c.publish(exchanged(now.parts, m, merged), now.cursor)
	close(c.changed)
	c.changed = make(chan struct{})
}

// exchanged returns the parts with the result of a merge in place of its inputs. If an
// input is no longer among the parts, all its documents are gone.
func exchanged(parts []part, m *merger, merged *segment) []part {
	var rest []part
	gone := roaring.New()
	for i := range m.inputs {
		add := func(doc uint32) bool {
			if to := m.moved[i][doc]; to != dropped {
				gone.Add(to)
			}
			return true
		}
		if now := indexOf(parts, m.inputs[i].segment); now < 0 {
			for doc := range m.moved[i] {
				add(uint32(doc))
			}
		} else if parts[now].gone != nil {
			parts[now].gone.Iterate(add)
		}
	}
	for _, p := range parts {
		if indexOf(m.inputs, p.segment) < 0 {
			rest = append(rest, p)
		}
	}
	if merged == nil {
		return rest
	}
	if gone.IsEmpty() {
		gone = nil
	}
	if p := (part{segment: merged, gone: gone}); merged.mapped != nil || p.alive() > 0 {
		rest = append(rest, p)
	}
	return rest
}

// save writes the segments in memory to a file, and the current state of the index to the
// snapshot.
func (c *core) save() error {
	c.disk.Lock()
	defer c.disk.Unlock()
	v := c.acquire()
	if v == nil {
		return nil
	}
	defer v.release()
	memory, files := v.split()
	if !c.unsaved && len(memory) == 0 && v.cursor == c.saved.cursor && slices.EqualFunc(files, c.saved.parts, func(a, b part) bool {
		return a.segment == b.segment && a.gone == b.gone
	}) {
		return nil
	}
	next := saved{cursor: v.cursor, parts: files}
	m := &merger{inputs: memory, stopped: func() bool { return false }}
	var merged *segment
	if len(memory) > 0 {
		var err error
		if merged, err = writeSegment(c.nextFile(), m); err != nil {
			return err
		}
		if merged != nil {
			next.parts = append(next.parts, part{segment: merged})
		}
	}
	if err := c.setSaved(next); err != nil {
		return errors.Join(err, discard(merged))
	}
	if len(memory) > 0 {
		c.replace(m, merged)
		wake(c.wakeFiles)
	}
	return nil
}

// setSaved makes next the saved state and writes the snapshot. The caller holds disk.
func (c *core) setSaved(next saved) error {
	if c.serving {
		if err := writeSnapshot(c.dir, c.made, next); err != nil {
			return err
		}
	}
	c.saved, c.unsaved = next, false
	return nil
}

func (c *core) nextFile() string {
	return filepath.Join(c.dir, fmt.Sprintf("%08d%s", c.number.Add(1), segmentSuffix))
}

// mergeFiles merges files, and rewrites files of which many documents are gone. It drops only
// documents that were gone when the state was saved, so that the saved state remains the state of
// one moment.
func (c *core) mergeFiles() (more bool, err error) {
	c.disk.Lock()
	inputs := c.filesToMerge()
	for i := range inputs { // the merge needs the inputs even if the view releases them
		inputs[i].holders.Add(1)
	}
	c.disk.Unlock()
	if inputs == nil {
		return false, nil
	}
	defer func() {
		for i := range inputs {
			_ = inputs[i].release()
		}
	}()
	for i := range inputs {
		if err := verify(inputs[i].mapped.path, inputs[i].mapped.sum); err != nil {
			return false, fmt.Errorf("%w: %w", indexer.ErrDamaged, err)
		}
	}
	m := &merger{inputs: inputs, stopped: c.stopping.Load}
	merged, err := writeSegment(c.nextFile(), m)
	if err != nil {
		return false, err
	}
	c.disk.Lock()
	defer c.disk.Unlock()
	if err := c.setSaved(saved{cursor: c.saved.cursor, parts: exchanged(c.saved.parts, m, merged)}); err != nil {
		return false, errors.Join(err, discard(merged))
	}
	for i := range inputs {
		inputs[i].mapped.doomed.Store(true)
	}
	c.replace(m, merged)
	return true, nil
}

// filesToMerge chooses the files to merge: several files of about the same size, or one file with a
// third of its documents gone.
func (c *core) filesToMerge() []part {
	parts := slices.Clone(c.saved.parts)
	for i := range parts {
		if p := &parts[i]; p.alive() < p.docs*2/3 {
			return parts[i : i+1 : i+1]
		}
	}
	parts = slices.DeleteFunc(parts, func(p part) bool { return p.size > maxFile/2 })
	inputs := likeSized(parts, func(p *part) int { return bits.Len(uint(p.size*p.alive()/p.docs)) / 2 })
	slices.SortFunc(inputs, func(a, b part) int { return cmp.Compare(a.size, b.size) })
	for sizeOf(inputs) > maxFile {
		inputs = inputs[:len(inputs)-1]
	}
	return inputs
}

// close ends the core. If save is set, the segments in memory are saved; otherwise the
// files are deleted.
func (c *core) close(save bool) error {
	c.halt()
	var err error
	if save {
		err = c.guarded(c.save)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.current.Swap(nil)
	if v == nil {
		return err
	}
	if !save {
		for i := range v.parts {
			if m := v.parts[i].mapped; m != nil {
				m.doomed.Store(true)
			}
		}
	}
	v.release()
	return err
}
