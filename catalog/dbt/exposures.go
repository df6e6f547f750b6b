package dbt

import (
	"strings"

	"github.com/headwater-io/headwater/model"
)

// exposureTypes are the sub-types of dashboards, by the type of the exposure.
var exposureTypes = map[string]string{"dashboard": "Dashboard", "notebook": "Notebook", "analysis": "Analysis", "ml": "ML Model", "application": "Application"}

// exposure proposes an exposure as a dashboard of dbt.
func (t *translation) exposure(e *Exposure) {
	urn := t.exposureURN(e)
	t.propose(urn, model.AspectDataPlatformInstance, instance(dbtPlatform, t.Instance))
	t.propose(urn, model.AspectDashboardInfo, t.dashboardInfo(e))
	t.propose(urn, model.AspectStatus, values{"removed": false})
	t.propose(urn, model.AspectSubTypes, values{"typeNames": []string{exposureTypes[e.Type]}})
	if name := e.owner(); name != "" && !t.Mappings.NoOwners {
		t.propose(urn, model.AspectOwnership, ownership([]owner{{name: user(t.Mappings.stripped(name)), kind: "DATAOWNER"}}))
	}
	if len(e.Tags) > 0 {
		t.propose(urn, model.AspectGlobalTags, t.globalTags(t.ofDBT(e.Tags)))
	}
}

// owner returns the name of the owner: the address, otherwise the name in the form of a user name.
func (e *Exposure) owner() string {
	if e.OwnerEmail != "" {
		return e.OwnerEmail
	}
	return strings.ToLower(strings.ReplaceAll(e.OwnerName, " ", "_"))
}

func (t *translation) dashboardInfo(e *Exposure) values {
	custom := map[string]string{"dbt_unique_id": e.ID, "exposure_type": e.Type}
	for name, value := range map[string]string{"maturity": e.Maturity, "dbt_package_name": e.Package, "dbt_file_path": e.Path} {
		if value != "" {
			custom[name] = value
		}
	}
	for _, name := range e.meta.names {
		custom[name] = pythonText(e.meta.values[name])
	}
	datasets := []string{}
	for _, id := range e.Upstreams {
		if from := t.Nodes[id]; from != nil {
			datasets = append(datasets, t.inDBT(from))
		}
	}
	now := stamp(t.Now.UnixMilli(), ingestion)
	info := values{
		"title": e.Name, "description": e.Description, "customProperties": custom, "charts": []string{}, "dashboards": []string{}, "datasets": datasets,
		"lastModified": values{"created": now, "lastModified": now},
	}
	if e.URL != "" {
		info["externalUrl"] = e.URL
	}
	return info
}
