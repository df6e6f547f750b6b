package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/screen"
)

// progress shows the progress of a task: a bar on a terminal, otherwise a line
// from time to time.
type progress struct {
	name  string
	total int
	bar   *progressbar.ProgressBar
	lines io.Writer
	shown time.Time
}

// lineEvery is how often a line is written without a terminal.
const lineEvery = 10 * time.Second

// bytesBar is the progress of reading a file.
func (e *environment) bytesBar(name string) *progress {
	size := int64(-1)
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	return e.newProgress(name, size, progressbar.OptionShowBytes(true))
}

// countBar is the progress through a number of items, 0 if it is unknown.
func (e *environment) countBar(name string, total int) *progress {
	size := int64(total)
	if total == 0 {
		size = -1
	}
	p := e.newProgress(name, size, progressbar.OptionShowCount())
	p.total = total
	return p
}

func (e *environment) newProgress(name string, size int64, option progressbar.Option) *progress {
	p := &progress{name: name, lines: e.stderr, shown: time.Now()}
	if e.output == "json" { // standard error is for an error then, as JSON
		p.lines = io.Discard
	}
	if screen.IsTerminal(e.stderr) {
		p.bar = progressbar.NewOptions64(size, progressbar.OptionSetDescription(screen.Line(name)), progressbar.OptionSetWriter(e.stderr),
			option, progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	return p
}

// report reports bytes read and records acknowledged.
func (p *progress) report(bytes int64, records int) {
	p.show(bytes, "%s: %s acknowledged\n", p.name, catalog.Counted(records, "record", "records"))
}

// set reports items done.
func (p *progress) set(done int) {
	if p.total > 0 {
		p.show(int64(done), "%s: %d of %d\n", p.name, done, p.total)
		return
	}
	p.show(int64(done), "%s: %d\n", p.name, done)
}

// setOf reports items done of a total that may change, 0 as long as it is unknown.
func (p *progress) setOf(done, total int) {
	if p.bar != nil && total > 0 {
		p.bar.ChangeMax(total)
	}
	p.total = total
	p.set(min(done, max(total, 0)))
}

func (p *progress) show(position int64, line string, args ...any) {
	if p.bar != nil {
		_ = p.bar.Set64(position) // a failure of the display does not matter
		return
	}
	if time.Since(p.shown) >= lineEvery {
		p.shown = time.Now()
		fmt.Fprintf(p.lines, line, args...)
	}
}

func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
