package parser

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/tasks"
)

//go:embed polyglot.wasm.zst
var packed []byte

const (
	pageBytes = 64 << 10
	// instances are the texts that are parsed at one time. Each instance has a memory of its own.
	instances = 2
)

// Parser parses texts. A Parser is safe for concurrent use.
type Parser struct {
	dir     string
	start   sync.Once
	tasks   *tasks.Group
	ready   chan struct{}
	failure error
	runtime wazero.Runtime
	module  wazero.CompiledModule
	idle    chan *instance
	ahead   aheadTexts
	// closing is done when the parser is closed.
	closing context.Context
	close   context.CancelFunc
}

// ErrClosed says that the parser was closed.
var ErrClosed = errors.New("the SQL parser is closed")

// New returns a parser that has not begun to compile. The compiled module is kept in the
// directory dir, which is made if it does not exist; with "", it is kept in memory only.
func New(dir string) *Parser {
	p := &Parser{dir: dir, tasks: tasks.New("SQL parser", nil), ready: make(chan struct{}), idle: make(chan *instance, instances)}
	p.closing, p.close = context.WithCancel(context.Background())
	for range instances {
		p.idle <- nil
	}
	return p
}

// Start begins to compile the module in the background, unless that was begun before.
func (p *Parser) Start() {
	p.start.Do(func() {
		if !p.tasks.Go("compiling the SQL parser", func() {
			defer close(p.ready)
			p.failure = errors.New("compiling the SQL parser failed")
			p.failure = p.compile()
		}) {
			p.failure = ErrClosed
			close(p.ready)
		}
	})
}

// Close ends the parser and frees its memory. Texts that are being parsed are given up.
func (p *Parser) Close() error {
	p.close()
	if err := p.tasks.End(context.Background()); err != nil || p.runtime == nil {
		return err
	}
	for range instances { // a call that goes on would use memory that is given back
		<-p.idle
	}
	err := p.runtime.Close(context.Background())
	for range instances { // later calls find that the parser is closed
		p.idle <- nil
	}
	return err
}

func (p *Parser) compile() error {
	unpacker, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return fmt.Errorf("unpacking the SQL parser: %w", err)
	}
	defer unpacker.Close()
	module, err := unpacker.DecodeAll(packed, nil)
	if err != nil {
		return fmt.Errorf("unpacking the SQL parser: %w", err)
	}
	// The module asks for the deadline itself: wazero would leave the module in each turn of each loop to do so.
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(limits.MaxSQLParserBytes / pageBytes)
	if p.dir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(p.dir)
		if err != nil {
			return fmt.Errorf("opening the directory of the compiled SQL parser: %w", err)
		}
		config = config.WithCompilationCache(cache)
	}
	p.runtime = wazero.NewRuntimeWithConfig(p.closing, config)
	if p.module, err = p.runtime.CompileModule(p.closing, module); err != nil {
		return fmt.Errorf("compiling the SQL parser: %w", err)
	}
	return p.giveImports()
}

// giveImports gives the module functions of the host. The module was made for web pages and names
// functions of pages, which end the call: parsing calls none of them except to tell a panic. make.sh adds
// a call of the function [pause] to the loops of the module.
func (p *Parser) giveImports() error {
	hosts := map[string]wazero.HostModuleBuilder{}
	for _, f := range p.module.ImportedFunctions() {
		module, name, _ := f.Import()
		if hosts[module] == nil {
			hosts[module] = p.runtime.NewHostModuleBuilder(module)
		}
		given := api.GoFunc(func(context.Context, []uint64) { panic(errHost) })
		if module == "headwater" && name == "pause" {
			given = pause
		}
		hosts[module].NewFunctionBuilder().WithGoFunction(given, f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	for name, host := range hosts {
		if _, err := host.Instantiate(p.closing); err != nil {
			return fmt.Errorf("giving the SQL parser the module %s: %w", name, err)
		}
	}
	return nil
}

// pause ends a call whose context is done. The module calls pause every few thousand turns of its loops. The
// call also lets Go stop the goroutine: code of the module cannot be interrupted, and the garbage collector
// waits for it.
func pause(ctx context.Context, _ []uint64) {
	if err := ctx.Err(); err != nil {
		panic(err)
	}
}

var errHost = errors.New("the SQL parser gave up")

// Parse returns the trees of the statements in a text, in their order. dialect is a
// name that DialectOf returns. The caller may change the trees. Parse waits until the module has been compiled, as long as ctx lasts;
// after that, the text has limits.SQLParseTime. A text that is not SQL of the dialect gives a
// *SyntaxError.
func (p *Parser) Parse(ctx context.Context, text, dialect string) ([]Node, error) {
	if len(text) > limits.MaxSQLBytes {
		return nil, &SyntaxError{Line: 1, Column: 1, Message: fmt.Sprintf("the text has more than %d bytes", limits.MaxSQLBytes)}
	}
	if begun := p.ahead.take(text, dialect); begun != nil {
		return begun.wait(ctx)
	}
	return p.parse(ctx, text, dialect)
}

func (p *Parser) parse(ctx context.Context, text, dialect string) ([]Node, error) {
	p.Start()
	in, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, limits.SQLParseTime)
	defer cancel()
	defer context.AfterFunc(p.closing, cancel)()
	out, in, err := p.call(limited, in, text, dialect)
	p.idle <- in
	if err != nil {
		return nil, p.because(ctx, limited, err)
	}
	return treesOf(out)
}

// take waits until the module is compiled and an instance is idle. The instance is nil if it has yet
// to be made.
func (p *Parser) take(ctx context.Context) (*instance, error) {
	select {
	case <-p.ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if p.failure != nil {
		return nil, p.failure
	}
	select {
	case in := <-p.idle:
		if ctx.Err() != nil { // a short text would be parsed before the module asks
			p.idle <- in
			return nil, ctx.Err()
		}
		return p.made(in), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// made returns an idle instance that is already made, rather than one still to be made, because each instance takes
// much memory: a caller that parses one text after the other needs only one instance.
func (p *Parser) made(in *instance) *instance {
	if in != nil {
		return in
	}
	select {
	case other := <-p.idle:
		p.idle <- nil
		return other
	default:
		return nil
	}
}

// because says why a call ended without an answer.
func (p *Parser) because(ctx, limited context.Context, err error) error {
	switch {
	case p.closing.Err() != nil:
		return ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return &SyntaxError{Line: 1, Column: 1, Message: fmt.Sprintf("the text was not parsed within %v", limits.SQLParseTime.Round(time.Millisecond))}
	default:
		return &SyntaxError{Line: 1, Column: 1, Message: "the parser gave up on the text", cause: err}
	}
}

// call parses a text in an instance, which call makes if in is nil. It returns the instance for
// the next call: nil after an error, because a call that ended early leaves its memory undefined.
func (p *Parser) call(ctx context.Context, in *instance, text, dialect string) ([]byte, *instance, error) {
	if in == nil {
		var err error
		if in, err = p.instantiate(ctx); err != nil {
			return nil, nil, err
		}
	}
	out, err := in.parse(ctx, text, dialect)
	if err != nil || in.memory.Size() > limits.MaxSQLParserBytes/2 {
		_ = in.module.Close(context.WithoutCancel(ctx)) // the memory is freed; the error of the call matters more
		return out, nil, err
	}
	return out, in, nil
}
