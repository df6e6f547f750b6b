package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// Notebook is text, queries and charts in one.
type Notebook struct{ *Node }

// NotebookTool is the tool.
func (b *Notebook) NotebookTool() string { return b.part(0) }

// NotebookID is its name in the tool.
func (b *Notebook) NotebookID() string { return b.part(1) }

// Platform is where it is.
func (b *Notebook) Platform(ctx context.Context) (*DataPlatform, error) { return b.toolPlatform(ctx) }

// NotebookInfo is what the tool says of a notebook.
type NotebookInfo struct {
	Title       *string `json:"title"`
	Description *string `json:"description"`
	ExternalURL *string `json:"externalUrl"`
	Custom
}

// Info is what the tool says.
func (b *Notebook) Info(ctx context.Context) (*NotebookInfo, error) {
	return aspect[NotebookInfo](ctx, b.Node, model.AspectNotebookInfo)
}

// EditableProperties are what people wrote in the catalog.
func (b *Notebook) EditableProperties(ctx context.Context) (*Described, error) {
	return aspect[Described](ctx, b.Node, model.AspectEditableNotebookProperties)
}
