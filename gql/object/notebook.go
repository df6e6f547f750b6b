package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// Notebook is a document with text, queries and charts.
type Notebook struct{ *Node }

// NotebookTool is the tool that has the notebook.
func (b *Notebook) NotebookTool() string { return b.part(0) }

// NotebookID is the name of the notebook in the tool.
func (b *Notebook) NotebookID() string { return b.part(1) }

// Platform is the platform that contains the notebook.
func (b *Notebook) Platform(ctx context.Context) (*DataPlatform, error) { return b.toolPlatform(ctx) }

// NotebookInfo is the information that the tool states about a notebook.
type NotebookInfo struct {
	Title       *string `json:"title"`
	Description *string `json:"description"`
	ExternalURL *string `json:"externalUrl"`
	Custom
}

// Info is the information that the tool states about the notebook.
func (b *Notebook) Info(ctx context.Context) (*NotebookInfo, error) {
	return aspect[NotebookInfo](ctx, b.Node, model.AspectNotebookInfo)
}

// EditableProperties are the properties of the notebook that people wrote in the catalog.
func (b *Notebook) EditableProperties(ctx context.Context) (*Described, error) {
	return aspect[Described](ctx, b.Node, model.AspectEditableNotebookProperties)
}
