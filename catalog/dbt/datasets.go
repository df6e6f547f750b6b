package dbt

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/internal/python"
	"github.com/headwater-io/headwater/model"
)

// dbtDataset proposes a node as a dataset of dbt, and the runs that built it.
func (t *translation) dbtDataset(n *Node) {
	urn := t.inDBT(n)
	lineage := t.upstreamLineage(n, urn)
	if t.proposes(n) {
		t.propose(urn, model.AspectSubTypes, values{"typeNames": []string{n.subType()}})
		t.propose(urn, model.AspectDataPlatformInstance, instance(dbtPlatform, t.Instance))
		t.propose(urn, model.AspectDatasetProperties, t.datasetProperties(n))
		t.propose(urn, model.AspectStatus, values{"removed": false})
		added := t.Mappings.ofNode(n)
		if people := t.Mappings.people(n, added); people != nil {
			t.propose(urn, model.AspectOwnership, ownership(people))
		}
		if tags := t.nodeTags(n, added); len(tags) > 0 {
			t.propose(urn, model.AspectGlobalTags, t.globalTags(tags))
		}
		t.added(urn, added)
		t.propose(urn, model.AspectSchemaMetadata, t.schemaMetadata(n))
		if lineage != nil {
			t.propose(urn, model.AspectUpstreamLineage, lineage)
		}
		if n.Language == "sql" && n.RawCode != "" {
			t.propose(urn, model.AspectViewProperties, t.viewProperties(n))
		}
		if t.statesSiblings(n) {
			t.propose(urn, model.AspectSiblings, values{"siblings": []string{t.inTarget(n)}, "primary": !t.Lineage.TablesPrimary})
		}
		for i := range n.Columns {
			c := &n.Columns[i]
			t.assign(field(urn, t.column(c.Name)), t.Mappings.ofColumn(c))
		}
	}
	if !t.Without[ModelPerformance] {
		for i := range n.runs {
			t.run(n, &n.runs[i], urn, lineage)
		}
	}
	if t.proposes(n) && !t.Without[CatalogStats] && (n.rows != nil || n.bytes != nil) {
		t.propose(urn, model.AspectDatasetProfile, t.profile(n))
	}
}

// targetDataset proposes that the platform's table of a node is a copy of dbt's dataset, and the queries of the node.
func (t *translation) targetDataset(n *Node) {
	urn := t.inTarget(n)
	if !t.Without[Queries] {
		t.queries(n, urn)
	}
	if !t.proposes(n) {
		return
	}
	if t.statesSiblings(n) {
		operations := []values{{"op": "add", "path": "/siblings/" + pointer.Replace(t.inDBT(n)), "value": t.inDBT(n)}}
		if t.Lineage.TablesPrimary {
			operations = append(operations, values{"op": "add", "path": "/primary", "value": true})
		}
		t.borrow(urn, "PATCH", model.AspectSiblings, operations)
	}
	if t.TargetInstance != "" && !t.NoTargetInstances {
		t.borrow(urn, "UPSERT", model.AspectDataPlatformInstance, instance("urn:li:dataPlatform:"+t.Platform, t.TargetInstance))
	}
	if n.Type == typeSource {
		return // the table was there before dbt, so it is not a copy of dbt's dataset
	}
	from := t.inDBT(n)
	if t.Lineage.Whole {
		t.borrow(urn, "UPSERT", model.AspectUpstreamLineage, t.copied(from, urn, n))
		return
	}
	operations := []values{{"op": "add", "path": "/upstreams/" + pointer.Replace(from), "value": upstream(from, "COPY")}}
	for _, c := range n.Columns {
		path := "/fineGrainedLineages/NONE/" + pointer.Replace(field(urn, t.column(c.Name))) + "/NONE/" + pointer.Replace(field(from, t.column(c.Name)))
		operations = append(operations, values{"op": "add", "path": path, "value": values{"confidenceScore": 1.0}})
	}
	t.borrow(urn, "PATCH", model.AspectUpstreamLineage, operations)
}

// statesSiblings reports whether a node and its table are named as siblings. Servers find out themselves, but for semantic
// views, and as long as dbt's dataset is the primary one.
func (t *translation) statesSiblings(n *Node) bool {
	return n.isInTarget() && (t.Lineage.TablesPrimary || n.Materialized == semanticView)
}

// copied is the lineage of a dataset that is a copy of another one, column by column.
func (t *translation) copied(from, to string, n *Node) values {
	lineage := values{"upstreams": []values{upstream(from, "COPY")}}
	if n.Type == typeSource && t.Lineage.SkipSources {
		return lineage // the table would seem to have columns downstream
	}
	columns := []values{}
	for _, c := range n.Columns {
		columns = append(columns, values{
			"upstreamType": "FIELD_SET", "upstreams": []string{field(from, t.column(c.Name))}, "downstreamType": "FIELD", "downstreams": []string{field(to, t.column(c.Name))}, "confidenceScore": 1.0,
		})
	}
	if len(columns) > 0 {
		lineage["fineGrainedLineages"] = columns
	}
	return lineage
}

// pointer escapes a part of a JSON pointer.
var pointer = strings.NewReplacer("~", "~0", "/", "~1")

// column returns the path of a column.
func (t *translation) column(name string) string {
	if t.columnsLower {
		return strings.ToLower(name)
	}
	return name
}

func (n *Node) subType() string {
	switch {
	case n.Materialized == semanticView:
		return "Semantic View"
	case n.Type == typeSemanticModel:
		return "Semantic Model"
	}
	return strings.ToUpper(n.Type[:1]) + n.Type[1:]
}

func (t *translation) datasetProperties(n *Node) values {
	custom := map[string]string{}
	for _, name := range n.meta.names {
		custom[name] = pythonText(n.meta.values[name])
	}
	for name, value := range map[string]string{
		"node_type": n.Type, "materialization": n.Materialized, "dbt_file_path": n.Path, "language": n.Language, "dbt_unique_id": n.ID, "dbt_package_name": n.Package,
	} {
		if value != "" {
			custom[name] = value
		}
	}
	if n.catalogType != nil {
		custom["catalog_type"] = *n.catalogType
	}
	maps.Copy(custom, t.properties)
	properties := values{"name": n.Name, "description": n.Description, "customProperties": custom, "tags": t.ofDBT(n.Tags)}
	if address := t.Repository.address(n.Path); address != "" {
		properties["externalUrl"] = address
	}
	return properties
}

func (t *translation) schemaMetadata(n *Node) values {
	fields, seen := []values{}, map[string]bool{}
	for i := range n.Columns {
		c := &n.Columns[i]
		path := t.column(c.Name)
		if strings.TrimSpace(path) == "" || seen[path] {
			continue // a field needs a name of its own
		}
		seen[path] = true
		one := values{
			"fieldPath": path, "nullable": false, "nativeDataType": c.Type, "recursive": false, "isPartOfKey": false,
			"type": values{"type": values{"com.linkedin.schema." + columnType(c.Type, t.Adapter) + "Type": values{}}},
		}
		if text := c.about(); text != "" {
			one["description"] = text
		}
		added := t.Mappings.ofColumn(c)
		if tags := slices.Concat(added.tags, t.ofDBT(c.Tags)); len(tags) > 0 {
			one["globalTags"] = t.globalTags(tags)
		}
		if len(added.terms) > 0 {
			one["glossaryTerms"] = t.glossaryTerms(added.terms)
		}
		fields = append(fields, one)
	}
	modified := stamp(0, unknownActor)
	if !n.loaded.IsZero() {
		modified = stamp(millis(n.loaded), executor)
	}
	return values{
		"schemaName": n.ID, "platform": dbtPlatform, "version": 0, "hash": "", "created": stamp(0, unknownActor), "lastModified": modified,
		"platformSchema": values{"com.linkedin.schema.MySqlDDL": values{"tableSchema": ""}}, "fields": fields,
	}
}

// about returns the description of a column: the project's, the database's, or both.
func (c *Column) about() string {
	if c.Comment != "" && c.Description != "" && c.Comment != c.Description {
		return "dbt comment: " + c.Comment + "\n\ndbt model description: " + c.Description
	}
	return cmp.Or(c.Comment, c.Description)
}

func (t *translation) viewProperties(n *Node) values {
	view := values{"materialized": n.Materialized == "table" || n.Materialized == "incremental" || n.Materialized == typeSnapshot, "viewLanguage": "SQL", "viewLogic": n.RawCode}
	if n.CompiledCode != "" && !t.NoCompiledCode {
		view["formattedViewLogic"] = shortened(n.CompiledCode)
	}
	return view
}

// shortened returns the first characters of code that is too long.
func shortened(code string) string {
	if len(code) <= codeCharacters {
		return code
	}
	if characters := []rune(code); len(characters) > codeCharacters {
		return string(characters[:codeCharacters]) + "..."
	}
	return code
}

func upstream(urn, kind string) values {
	return values{"dataset": urn, "type": kind, "auditStamp": stamp(0, unknownActor)}
}

// upstreamLineage is the value of the aspect upstreamLineage of a dataset of dbt, nil if the node depends on nothing.
func (t *translation) upstreamLineage(n *Node, urn string) values {
	if n.Type == typeSource {
		return t.copied(t.inTarget(n), urn, n)
	}
	if p := n.parsed; p != nil && t.Lineage.PreferSQL {
		return t.parsedLineage(n, p, urn)
	}
	upstreams, found := []values{}, false
	for _, id := range slices.Sorted(slices.Values(n.Upstreams)) {
		from := t.Nodes[id]
		if from == nil {
			continue
		}
		if found = true; n.Type != typeModel || t.asUpstream(from) != t.inTarget(n) {
			upstreams = append(upstreams, upstream(t.asUpstream(from), "TRANSFORMED"))
		}
	}
	if !found {
		return nil
	}
	lineage := values{"upstreams": upstreams}
	if columns := t.columnLineage(n, urn); len(columns) > 0 && !t.Lineage.NoColumns {
		lineage["fineGrainedLineages"] = columns
	}
	return lineage
}

func (t *translation) profile(n *Node) values {
	at := t.catalogGenerated
	if at.IsZero() {
		at = t.Now
	}
	profile := values{"timestampMillis": millis(at), "partitionSpec": fullTable()}
	if n.rows != nil {
		profile["rowCount"] = *n.rows
	}
	if n.bytes != nil {
		profile["sizeInBytes"] = *n.bytes
	}
	if len(n.Columns) > 0 {
		profile["columnCount"] = len(n.Columns)
	}
	return profile
}

// run proposes an execution of a node as an instance of a data process.
func (t *translation) run(n *Node, r *run, dataset string, lineage values) {
	name := r.invocation + "_" + dataset
	urn := "urn:li:dataProcessInstance:" + python.GUID(map[string]string{"orchestrator": "dbt", "id": name})
	properties := values{"name": name, "type": "BATCH_SCHEDULED", "created": stamp(millis(r.began), instanceActor), "customProperties": map[string]string{"dbt_name": n.ID, "dbt_urn": dataset}}
	if address := t.Repository.address(n.Path); address != "" {
		properties["externalUrl"] = address
	}
	t.propose(urn, model.AspectDataProcessInstanceProperties, properties)
	t.propose(urn, model.AspectDataProcessInstanceRelationships, values{"parentTemplate": dataset, "upstreamInstances": []string{}})
	if upstreams, _ := lineage["upstreams"].([]values); len(upstreams) > 0 {
		inputs := make([]any, len(upstreams))
		for i, one := range upstreams {
			inputs[i] = one["dataset"]
		}
		t.propose(urn, model.AspectDataProcessInstanceInput, values{"inputs": inputs})
	}
	t.propose(urn, model.AspectDataProcessInstanceOutput, values{"outputs": []string{dataset}})
	t.propose(urn, model.AspectDataProcessInstanceRunEvent, values{"timestampMillis": millis(r.began), "partitionSpec": fullTable(), "status": "STARTED"})
	outcome := "FAILURE"
	if r.status == "success" {
		outcome = "SUCCESS"
	}
	t.propose(urn, model.AspectDataProcessInstanceRunEvent, values{
		"timestampMillis": millis(r.ended), "partitionSpec": fullTable(), "status": "COMPLETE", "durationMillis": millis(r.ended) - millis(r.began),
		"result": values{"type": outcome, "nativeResultType": r.status},
	})
}

// millis returns the milliseconds since 1970, rounded as the client does: through a floating-point number of seconds.
func millis(t time.Time) int64 { return int64(float64(t.UnixMicro()) / 1e6 * 1000) }

// queryMembers are the members that a query in the property queries may have.
var queryMembers = []string{"name", "sql", "description", "tags", "terms"}

// usualQueries is how many queries of a node the client reads unless it is told otherwise.
const usualQueries = 100

// queries proposes the queries that the author of a node names in the property queries.
func (t *translation) queries(n *Node, table string) {
	given := n.meta.get("queries")
	if given == nil || n.Materialized == ephemeral {
		return
	}
	all, seen, most := list(given), map[string]bool{}, usualQueries
	if t.MaxQueries != nil {
		most = *t.MaxQueries
	}
	if most == 0 {
		most = len(all)
	}
	for i, text := range all[:min(len(all), most)] {
		var q object
		if err := q.UnmarshalJSON(text); err != nil {
			t.leftOut(n, i)
			continue
		}
		name, sql := strings.TrimSpace(q.text("name")), strings.TrimSpace(q.text("sql"))
		urn := "urn:li:query:" + otherCharacters.ReplaceAllString(n.ID+"_"+name, "_")
		isUnknown := slices.ContainsFunc(q.names, func(member string) bool { return !slices.Contains(queryMembers, member) })
		if name == "" || sql == "" || isUnknown || seen[urn] {
			t.leftOut(n, i)
			continue
		}
		seen[urn] = true
		t.query(urn, table, name, sql, q)
	}
	if len(all) > most {
		t.leftOut(n, most)
	}
}

func (t *translation) leftOut(n *Node, number int) {
	t.notes = append(t.notes, n.ID+": "+element("meta.queries", number)+" is left out: a query has a name of its own, sql, and nothing else but description, tags and terms, and a node has at most 100 unless the settings tell otherwise")
}

func (t *translation) query(urn, table, name, sql string, q object) {
	custom := map[string]string{}
	for _, member := range []string{"tags", "terms"} {
		var parts []string
		for _, part := range list(q.values[member]) {
			if text := strings.TrimSpace(pythonText(part)); isTrue(part) && text != "" {
				parts = append(parts, text)
			}
		}
		if parts != nil {
			custom[member] = strings.Join(parts, ", ")
		}
	}
	statement := shortened(sql)
	if statement != sql {
		custom["sql_truncated"] = "true"
	}
	at := t.generated
	if at.IsZero() {
		at = t.Now
	}
	properties := values{
		"statement": values{"value": statement, "language": "SQL"}, "source": "MANUAL", "name": name, "origin": table, "customProperties": custom,
		"created": stamp(millis(at), executor), "lastModified": stamp(millis(at), executor),
	}
	if description := strings.TrimSpace(q.text("description")); description != "" {
		properties["description"] = description
	}
	t.propose(urn, model.AspectQueryProperties, properties)
	t.propose(urn, model.AspectQuerySubjects, values{"subjects": []values{{"entity": table}}})
}
