// Package features lists the abilities of a server that pages and clients ask for.
package features

// Feature is an ability that pages and clients ask for before they use it.
type Feature struct {
	Name string
	On   bool
}

// The names of the features that pages and clients know.
const (
	Access     = "showAccessManagement"
	AcrylInfo  = "showAcrylInfo"
	Browse     = "showBrowseV2"
	Contracts  = "dataContractsEnabled"
	Filters    = "showSearchFiltersV2"
	Metrics    = "metricsEnabled"
	ReadOnly   = "readOnlyModeEnabled"
	Subdomains = "nestedDomainsEnabled"
)

// List has the features of a server.
type List []Feature

// Of returns the features of a server, which may be read-only.
func Of(readOnly bool) List {
	return List{
		{Contracts, true},
		{Metrics, true},
		{Subdomains, true},
		{ReadOnly, readOnly},
		{Access, false},
		{AcrylInfo, false},
		{Browse, true},
		{Filters, true},
	}
}

// On reports whether a feature is on; false if there is no such feature.
func (fs List) On(name string) bool {
	for _, f := range fs {
		if f.Name == name {
			return f.On
		}
	}
	return false
}
