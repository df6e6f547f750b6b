package relational

import "github.com/headwater-io/headwater/model"

// container proposes the container of a database, or of a schema in it.
func (r *Reading) container(database, schema string) error {
	key := r.key(database, schema)
	urn := containerURN(key)
	properties := map[string]string{"platform": r.Platform, "env": r.Env, "database": database}
	if r.Instance != "" {
		properties["instance"] = r.Instance
	}
	name, kind := database, "Database"
	var parent values
	if schema != "" {
		name, kind = schema, "Schema"
		properties["schema"] = schema
		parent = values{"container": containerURN(r.key(database, ""))}
	}
	return r.proposeAll(urn,
		aspect{model.AspectContainerProperties, values{"name": name, "env": r.Env, "customProperties": properties}},
		aspect{model.AspectStatus, values{"removed": false}},
		aspect{model.AspectDataPlatformInstance, r.instance()},
		aspect{model.AspectSubTypes, values{"typeNames": []string{kind}}},
		aspect{model.AspectContainer, parent},
		aspect{model.AspectBrowsePathsV2, r.path(database, "", schema != "")},
	)
}

// instance is the value of dataPlatformInstance.
func (r *Reading) instance() values {
	v := values{"platform": r.platformURN()}
	if r.Instance != "" {
		v["instance"] = r.instanceURN()
	}
	return v
}

// path is the browse path of tables and views in a schema, or directly in a database.
func (r *Reading) path(database, schema string, inside bool) values {
	path := []values{}
	step := func(urn string) { path = append(path, values{"id": urn, "urn": urn}) }
	if r.Instance != "" {
		step(r.instanceURN())
	}
	if inside {
		step(containerURN(r.key(database, "")))
		if schema != "" {
			step(containerURN(r.key(database, schema)))
		}
	}
	return values{"path": path}
}

// place returns the container of a schema's tables and views, and their browse path.
func (r *Reading) place(database, schema string) (urn string, path values) {
	if r.TwoLevels {
		schema = ""
	}
	return containerURN(r.key(database, schema)), r.path(database, schema, true)
}
