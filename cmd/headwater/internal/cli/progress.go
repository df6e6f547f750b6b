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

// Progress shows the progress of a task: as a bar on a terminal, otherwise as a line from
// time to time.
type Progress struct {
	name  string
	total int
	bar   *progressbar.ProgressBar
	lines io.Writer
	shown time.Time
}

// lineEvery is the time between two lines of progress without a terminal.
const lineEvery = 10 * time.Second

// BytesBar returns the progress of reading a file.
func (e *Environment) BytesBar(name string) *Progress {
	size := int64(-1)
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	return e.newProgress(name, size, progressbar.OptionShowBytes(true))
}

// CountBar returns the progress through total items; 0 means that the number is unknown.
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
	if e.Output == "json" { // with JSON output, standard error may have only an error
		p.lines = io.Discard
	}
	if screen.IsTerminal(e.Stderr) {
		p.bar = progressbar.NewOptions64(size, progressbar.OptionSetDescription(screen.Line(name)), progressbar.OptionSetWriter(e.Stderr),
			option, progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	return p
}

// Report shows the bytes read and the records acknowledged so far.
func (p *Progress) Report(bytes int64, records int) {
	p.show(bytes, "%s: %s acknowledged\n", p.name, wording.Counted(records, "record", "records"))
}

// Set shows the number of items done.
func (p *Progress) Set(done int) {
	if p.total > 0 {
		p.show(int64(done), "%s: %d of %d\n", p.name, done, p.total)
		return
	}
	p.show(int64(done), "%s: %d\n", p.name, done)
}

// SetOf shows the number of items done and a new total, 0 while the total is unknown.
func (p *Progress) SetOf(done, total int) {
	if p.bar != nil && total > 0 {
		p.bar.ChangeMax(total)
	}
	p.total = total
	p.Set(min(done, max(total, 0)))
}

func (p *Progress) show(position int64, line string, args ...any) {
	if p.bar != nil {
		_ = p.bar.Set64(position) // an error of the display has no consequence
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
