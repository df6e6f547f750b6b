// Package catalog has the words that all rooms share: errors, names and URNs, filters, changes of
// the log, stamps and system metadata. It has no engine. The rooms are the packages in this folder,
// each with the rules of one concept, and only package write writes entities. None of them depends
// on HTTP or on an engine of a store.
package catalog
