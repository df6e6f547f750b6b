package parser

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// instance is a copy of the module with a memory of its own. One goroutine uses it at a time.
type instance struct {
	module                       api.Module
	memory                       api.Memory
	run, allocate, free, reserve api.Function
}

func (p *Parser) instantiate(ctx context.Context) (*instance, error) {
	// The module lives longer than the call that needs it first.
	module, err := p.runtime.InstantiateModule(experimental.WithMemoryAllocator(context.WithoutCancel(ctx), allocator), p.module, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return nil, fmt.Errorf("starting the SQL parser: %w", err)
	}
	in := &instance{
		module: module, memory: module.Memory(),
		run:      module.ExportedFunction("parse"),
		allocate: module.ExportedFunction("__wbindgen_export"),
		free:     module.ExportedFunction("__wbindgen_export4"),
		reserve:  module.ExportedFunction("__wbindgen_add_to_stack_pointer"),
	}
	if in.memory == nil || in.run == nil || in.allocate == nil || in.free == nil || in.reserve == nil {
		return nil, errors.New("the SQL parser lacks one of its functions")
	}
	return in, nil
}

// resultBytes is the room on the module's stack for the address and the length of an answer.
const resultBytes = 16

var errMemory = errors.New("the SQL parser named a place outside its memory")

// parse calls the module, whose functions take and return text by address and length.
func (in *instance) parse(ctx context.Context, text, dialect string) ([]byte, error) {
	result, err := call(ctx, in.reserve, api.EncodeI32(-resultBytes))
	if err != nil {
		return nil, err
	}
	textAt, err := in.write(ctx, text)
	if err != nil {
		return nil, err
	}
	dialectAt, err := in.write(ctx, dialect)
	if err != nil {
		return nil, err
	}
	if _, err := call(ctx, in.run, result, textAt, uint64(len(text)), dialectAt, uint64(len(dialect))); err != nil {
		return nil, err
	}
	place, ok := in.memory.Read(uint32(result), 8)
	if !ok {
		return nil, errMemory
	}
	at, size := binary.LittleEndian.Uint32(place), binary.LittleEndian.Uint32(place[4:])
	answer, ok := in.memory.Read(at, size)
	if !ok {
		return nil, errMemory
	}
	answer = append([]byte(nil), answer...) // the memory is used again
	if _, err := call(ctx, in.reserve, resultBytes); err != nil {
		return nil, err
	}
	_, err = call(ctx, in.free, uint64(at), uint64(size), 1)
	return answer, err
}

// write copies a text into the module's memory. The module frees it.
func (in *instance) write(ctx context.Context, text string) (uint64, error) {
	at, err := call(ctx, in.allocate, uint64(len(text)), 1)
	if err != nil {
		return 0, err
	}
	if !in.memory.WriteString(uint32(at), text) {
		return 0, errMemory
	}
	return at, nil
}

func call(ctx context.Context, f api.Function, args ...uint64) (uint64, error) {
	results, err := f.Call(ctx, args...)
	if err != nil || len(results) == 0 {
		return 0, err
	}
	return results[0], nil
}
