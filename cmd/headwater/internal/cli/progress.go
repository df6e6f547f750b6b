package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

// Progress shows the progress of a task: a bar on a terminal, otherwise a line
// from time to time.
type Progress struct {
	name  string
	total int
	bar   *progressbar.ProgressBar
	lines io.Writer
	shown time.Time
}

// lineEvery is how often a line is written without a terminal.
const lineEvery = 10 * time.Second

// BytesBar is the progress of reading a file.
func (e *Environment) BytesBar(name string) *Progress {
	size := int64(-1)
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	return e.newProgress(name, size, progressbar.OptionShowBytes(true))
}

// CountBar is the progress through a number of items, 0 if it is unknown.
func (e *Environment) CountBar(name string, total int) *Progress {
	size := int64(total)
	if total == 0 {
		size = -1
	}
	p := e.newProgress(name, size, progressbar.OptionShowCount())
	p.total = total
	return p
}

func (e *Environment) newProgress(name string, size int64, option progressbar.Option) *Progress {
	p := &Progress{name: name, lines: e.Stderr, shown: time.Now()}
	if e.Output == "json" { // standard error is for an error then, as JSON
		p.lines = io.Discard
	}
	if screen.IsTerminal(e.Stderr) {
		p.bar = progressbar.NewOptions64(size, progressbar.OptionSetDescription(screen.Line(name)), progressbar.OptionSetWriter(e.Stderr),
			option, progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	return p
}

// Report reports bytes read and records acknowledged.
func (p *Progress) Report(bytes int64, records int) {
	p.show(bytes, "%s: %s acknowledged\n", p.name, wording.Counted(records, "record", "records"))
}

// Set reports items done.
func (p *Progress) Set(done int) {
	if p.total > 0 {
		p.show(int64(done), "%s: %d of %d\n", p.name, done, p.total)
		return
	}
	p.show(int64(done), "%s: %d\n", p.name, done)
}

// SetOf reports items done of a total that may change, 0 as long as it is unknown.
func (p *Progress) SetOf(done, total int) {
	if p.bar != nil && total > 0 {
		p.bar.ChangeMax(total)
	}
	p.total = total
	p.Set(min(done, max(total, 0)))
}

func (p *Progress) show(position int64, line string, args ...any) {
	if p.bar != nil {
		_ = p.bar.Set64(position) // a failure of the display does not matter
		return
	}
	if time.Since(p.shown) >= lineEvery {
		p.shown = time.Now()
		fmt.Fprintf(p.lines, line, args...)
	}
}

// Finish removes the bar from the terminal.
func (p *Progress) Finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
