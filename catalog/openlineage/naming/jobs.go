package naming

import (
	"cmp"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// JobName is a job as the specification names it.
type JobName struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// Job is what decides the URNs of a job.
type Job struct {
	Namespace, Name string
	// Integration is that of the facet jobType, Engine the name in the facet processing_engine, Producer the
	// producer of the event, and JobType the type in the facet jobType.
	Integration, Engine, Producer, JobType string
	// Parent and Root are the jobs of the parent run, and of the run at the beginning.
	Parent, Root *JobName
}

// JobURNs returns the URNs of a job and of its flow, and the name that people read. isFlow tells that the job
// is the flow itself, such as a DAG.
func (s *Settings) JobURNs(j Job) (flow, job model.URN, display string, isFlow bool, err error) {
	orchestrator := j.orchestrator()
	flowID, isFlow := j.flow()
	cluster := cmp.Or(s.of(j.Namespace).Cluster, j.Namespace, "default")
	id, display := j.Name, j.Name
	if after, found := strings.CutPrefix(j.Name, flowID+"."); found && after != "" {
		display = after
		if orchestrator == "airflow" { // the connector of Airflow names a task without its DAG
			id = after
		}
	}
	flow, err = fitting(func(most int) (model.URN, error) {
		return model.BuildURN("li", model.EntityDataFlow, escaped(orchestrator), shortened(escaped(flowID), most), shortened(escaped(cluster), most))
	})
	if err != nil {
		return flow, job, display, isFlow, err
	}
	job, err = fitting(func(most int) (model.URN, error) {
		return model.BuildURN("li", model.EntityDataJob, flow.String(), shortened(escaped(id), most))
	})
	return flow, job, display, isFlow, err
}

// fitting builds a URN with shorter and shorter parts until it is not too long.
func fitting(build func(most int) (model.URN, error)) (model.URN, error) {
	for most := nameBytes; ; most /= 2 {
		urn, err := build(most)
		if err == nil {
			err = urn.CheckLength()
		}
		if err == nil || most < 64 {
			return urn, err
		}
	}
}

// orchestrator names what runs the job.
func (j *Job) orchestrator() string {
	name := cmp.Or(j.Integration, j.Engine, producerName(j.Producer), "unknown")
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), " ", "-")
}

// producerName is the name in the address of a producer.
func producerName(producer string) string {
	switch {
	case strings.HasPrefix(producer, "https://github.com/OpenLineage/OpenLineage/"):
		last := producer[strings.LastIndex(strings.TrimRight(producer, "/"), "/")+1:]
		return strings.TrimRight(last, "/")
	case strings.HasPrefix(producer, "https://github.com/apache/airflow"):
		return "airflow"
	case strings.HasPrefix(producer, "https://github.com/trinodb/trino"):
		return "trino"
	}
	return ""
}

// flow returns the id of the job's flow.
func (j *Job) flow() (id string, isFlow bool) {
	switch {
	case j.Root != nil && j.Root.Name != "":
		return j.Root.Name, j.Root.Name == j.Name
	case j.Parent != nil && j.Parent.Name != "":
		return j.Parent.Name, j.Parent.Name == j.Name
	case strings.EqualFold(j.JobType, "DAG") || strings.EqualFold(j.JobType, "APPLICATION"):
		return j.Name, true
	}
	switch j.orchestrator() {
	case "airflow", "spark":
		if before, _, found := strings.Cut(j.Name, "."); found && before != "" {
			return before, false
		}
	}
	return j.Name, true
}

// RunURN returns the URN of a run. Ids that are not UUIDs are taken too.
func RunURN(runID string) (model.URN, error) {
	return fitting(func(most int) (model.URN, error) {
		return model.BuildURN("li", model.EntityDataProcessInstance, shortened(escaped(strings.ToLower(runID)), most))
	})
}
