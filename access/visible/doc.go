// Package visible hides the entities that the caller of a request may not see, at the two lowest interfaces: a graph
// store and a search index that answer each caller as if the hidden entities did not exist. So no room
// and no door can forget it.
//
// The rights of a caller to see entities come with the context of the request, as a [View]. A context without one, or of
// the server's own work, sees everything. So does the view of a caller who may read every entity, and
// then nothing here takes time.
// The reasons are in docs/decisions/0088-visible.md.
package visible
