// Package facts reads what policies ask of entities: owners, domains, containers, tags, terms, platform
// instances and groups, with what is above them. A [Known] remembers the facts for all callers of a server,
// and follows the change log to know which of them have changed. The reasons are in
// docs/decisions/0089-known-facts.md.
package facts
