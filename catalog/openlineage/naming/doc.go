// Package naming decides which entities the names of OpenLineage mean. It turns the namespace and the name
// of a dataset, a job or a run into the URN that a connector of the same store or orchestrator would write.
// The package reads nothing but its arguments and its settings.
//
// The URN of a dataset begins in dataset.go, which takes the platform from the table of stores in platforms.go and the
// spelling of each store's names from names.go. The URNs of jobs, flows and runs are made in jobs.go. If a dataset has
// several names, symlinks.go chooses among them. inverse.go goes the other way, from a URN to a name.
package naming
