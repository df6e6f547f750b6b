// Package facts reads the facts about entities that policies ask for: owners, domains, containers, tags,
// terms, platform instances and groups, with their ancestors. A [Known] remembers the facts for all callers
// of a server, and follows the change log to know which facts have changed. The reasons are in
// docs/decisions/0089-known-facts.md.
package facts
