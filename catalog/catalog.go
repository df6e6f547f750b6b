// Package catalog has the words that all rooms share: errors, names and URNs, filters,
// changes of the log, stamps, and what is known of columns and labels. It has no engine: the
// rooms are the packages in this folder, each with the rules of one concept, and package write
// is the only one that writes entities. None of them depends on HTTP or on an engine of a store.
package catalog
