package naming

import (
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// Job is a job as events name it.
type Job struct {
	Namespace, Name string
	// Integration is the integration of the facet jobType, Engine the name of the facet processing_engine,
	// and Producer the producer of the event. Each may be empty.
	Integration, Engine, Producer string
	// JobType is the kind of the job by the facet jobType, such as DAG, TASK, APPLICATION.
	JobType string
	// Parent and Root are the job and the root job in the facet parent, nil if they are absent.
	Parent, Root *JobName
}

// JobName names a job.
type JobName struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// JobURNs are the URNs of a job and of its flow. The display is the job's name for people. The job is the
// root of its flow if isFlow is true. A job without a name has an error around ErrNoName.
func (s *Settings) JobURNs(j Job) (flow, job model.URN, display string, isFlow bool, err error) {
	if strings.TrimSpace(j.Name) == "" {
		return flow, job, "", false, fmt.Errorf("the job of the namespace %.200q has no URN: %w", j.Namespace, ErrNoName)
	}
	flowID := j.flowID()
	jobID := j.Name
	if rest, ok := strings.CutPrefix(j.Name, flowID+"."); ok && rest != "" && j.isOf(airflow) {
		jobID = rest
	}
	display = jobID
	if jobID == j.Name {
		if _, rest, ok := strings.Cut(j.Name, "."); ok && strings.TrimSpace(rest) != "" {
			display = rest
		}
	}
	orchestrator := fit(s.orchestrator(j), maxPlatformBytes)
	flow, err = build(model.EntityDataFlow, maxFlowBytes, 1, orchestrator, flowID, fit(s.cluster(j.Namespace), maxClusterBytes))
	if err != nil {
		return model.URN{}, model.URN{}, "", false, fmt.Errorf("the flow of the job %.200q: %w", j.Name, err)
	}
	job, err = build(model.EntityDataJob, maxURNBytes, 1, flow.String(), jobID)
	if err != nil {
		return model.URN{}, model.URN{}, "", false, fmt.Errorf("the job %.200q: %w", j.Name, err)
	}
	return flow, job, display, flowID == j.Name, nil
}

// Orchestrators that have rules of their own.
const (
	airflow = "airflow"
	spark   = "spark"
	trino   = "trino"
)

// flowID is the name of the flow that a job belongs to. A DAG of Airflow is a flow also if another DAG has
// started it, as the connector of Airflow says.
func (j Job) flowID() string {
	isRoot := strings.EqualFold(j.JobType, "DAG") || strings.EqualFold(j.JobType, "APPLICATION")
	parent, hasParent := nameOf(j.Parent)
	if j.isOf(airflow) {
		switch {
		case strings.EqualFold(j.JobType, "DAG"):
			return j.Name
		case hasParent && strings.HasPrefix(j.Name, parent+"."):
			return parent
		}
	}
	if root, ok := nameOf(j.Root); ok {
		return root
	}
	switch {
	case hasParent:
		return parent
	case isRoot:
		return j.Name
	case j.isOf(airflow) || j.isOf(spark):
		if before, _, ok := strings.Cut(j.Name, "."); ok && strings.TrimSpace(before) != "" {
			return before
		}
	}
	return j.Name
}

// nameOf is the name of a job that may be absent.
func nameOf(j *JobName) (string, bool) {
	if j == nil || strings.TrimSpace(j.Name) == "" {
		return "", false
	}
	return j.Name, true
}

// isOf reports whether the events say that a job is of an orchestrator.
func (j Job) isOf(orchestrator string) bool { return j.told() == orchestrator }

// told is the orchestrator of a job by its events, "" if they tell none.
func (j Job) told() string {
	for _, text := range []string{j.Integration, j.Engine} {
		if text = strings.ToLower(strings.TrimSpace(text)); text != "" {
			return text
		}
	}
	return ofProducer(j.Producer)
}

// Addresses of producers that tell the orchestrator.
const openLineageProducer = "https://github.com/openlineage/openlineage/"

// ofProducer is the orchestrator that the address of a producer tells, "" if it tells none.
func ofProducer(producer string) string {
	address := strings.ToLower(strings.TrimSpace(producer))
	if rest, ok := strings.CutPrefix(address, openLineageProducer); ok {
		rest = strings.TrimRight(rest, "/")
		return rest[strings.LastIndex(rest, "/")+1:]
	}
	for beginning, orchestrator := range map[string]string{
		"https://github.com/apache/airflow": airflow, "https://github.com/trinodb/trino": trino,
	} {
		if strings.HasPrefix(address, beginning) {
			return orchestrator
		}
	}
	return ""
}

func (s *Settings) orchestrator(j Job) string {
	for _, text := range []string{strings.TrimSpace(s.Orchestrator), j.told()} {
		if text != "" {
			return text
		}
	}
	return unknown
}

// cluster is the cluster of the flows of a job namespace.
func (s *Settings) cluster(namespace string) string {
	for _, text := range []string{s.namespace(namespace).Cluster, namespace} {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return "default"
}

// RunURN is the URN of a run. The id of a run is usually a UUID; every other text is taken too. An id
// without text has an error around ErrNoName.
func RunURN(runID string) (model.URN, error) {
	id := strings.ToLower(strings.TrimSpace(runID))
	if id == "" {
		return model.URN{}, fmt.Errorf("the run has no URN: %w", ErrNoName)
	}
	return build(model.EntityDataProcessInstance, maxURNBytes, 0, id)
}
