package catalog

// Feature is an ability that pages and clients ask for before they use it.
type Feature struct {
	Name string
	On   bool
}

// The names of the features that pages and clients know.
const (
	FeatureAccess     = "showAccessManagement"
	FeatureAcrylInfo  = "showAcrylInfo"
	FeatureBrowse     = "showBrowseV2"
	FeatureContracts  = "dataContractsEnabled"
	FeatureFilters    = "showSearchFiltersV2"
	FeatureMetrics    = "metricsEnabled"
	FeatureReadOnly   = "readOnlyModeEnabled"
	FeatureSubdomains = "nestedDomainsEnabled"
)

// Features are the features of a server.
type Features []Feature

// FeaturesOf returns the features of a server, which may be read-only.
func FeaturesOf(readOnly bool) Features {
	return Features{
		{FeatureContracts, true},
		{FeatureMetrics, true},
		{FeatureSubdomains, true},
		{FeatureReadOnly, readOnly},
		{FeatureAccess, false},
		{FeatureAcrylInfo, false},
		{FeatureBrowse, true},
		{FeatureFilters, true},
	}
}

// On reports whether a feature is on; false if there is no such feature.
func (fs Features) On(name string) bool {
	for _, f := range fs {
		if f.Name == name {
			return f.On
		}
	}
	return false
}
