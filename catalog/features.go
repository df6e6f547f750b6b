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

// Features are the features, by name.
func (c *Catalog) Features() []Feature {
	return []Feature{
		{FeatureContracts, true},
		{FeatureMetrics, true},
		{FeatureSubdomains, true},
		{FeatureReadOnly, c.ReadOnly()},
		{FeatureAccess, false},
		{FeatureAcrylInfo, false},
		{FeatureBrowse, true},
		{FeatureFilters, true},
	}
}

// Feature reports whether a feature is on; false if there is no such feature.
func (c *Catalog) Feature(name string) bool {
	for _, f := range c.Features() {
		if f.Name == name {
			return f.On
		}
	}
	return false
}
