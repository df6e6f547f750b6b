package check

import (
	"path/filepath"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// kinds are the Kubernetes types in the manifests.
var kinds = map[string]func() metav1.Object{
	"v1/Namespace":                       func() metav1.Object { return &corev1.Namespace{} },
	"v1/ServiceAccount":                  func() metav1.Object { return &corev1.ServiceAccount{} },
	"v1/Service":                         func() metav1.Object { return &corev1.Service{} },
	"apps/v1/StatefulSet":                func() metav1.Object { return &appsv1.StatefulSet{} },
	"apps/v1/Deployment":                 func() metav1.Object { return &appsv1.Deployment{} },
	"policy/v1/PodDisruptionBudget":      func() metav1.Object { return &policyv1.PodDisruptionBudget{} },
	"networking.k8s.io/v1/NetworkPolicy": func() metav1.Object { return &networkingv1.NetworkPolicy{} },
}

// render makes the objects of a folder as "kubectl apply -k" does, and decodes each into
// its Kubernetes type. An unknown or misplaced field is an error.
func render(t *testing.T, folder string) map[string]metav1.Object {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(root, folder))
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]metav1.Object{}
	for _, resource := range resources.Resources() {
		text, err := resource.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		kind := resource.GetApiVersion() + "/" + resource.GetKind()
		if kinds[kind] == nil {
			t.Fatalf("%s is not among the kinds of this test", kind)
		}
		object := kinds[kind]()
		if err := yaml.UnmarshalStrict(text, object); err != nil {
			t.Fatalf("%s: %v\n%s", kind, err, text)
		}
		if namespace := object.GetNamespace(); namespace != "headwater" && kind != "v1/Namespace" {
			t.Errorf("%s is in the namespace %q", kind, namespace)
		}
		objects[resource.GetKind()] = object
	}
	return objects
}

// checkPod checks that the server runs with few privileges, has probes, and has limits.
func checkPod(t *testing.T, pod corev1.PodTemplateSpec) {
	t.Helper()
	if s := pod.Spec.SecurityContext; s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.RunAsUser == nil || *s.RunAsUser != 65532 || s.SeccompProfile == nil {
		t.Errorf("security of the pod: %+v", s)
	}
	c := pod.Spec.Containers[0]
	if s := c.SecurityContext; s == nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation ||
		s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem || s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) {
		t.Errorf("security of the container: %+v", s)
	}
	for path, probe := range map[string]*corev1.Probe{"/health": c.LivenessProbe, "/health/ready": c.ReadinessProbe} {
		if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Path != path || probe.HTTPGet.Port.StrVal != c.Ports[0].Name {
			t.Errorf("the probe of %s: %+v", path, probe)
		}
	}
	if c.StartupProbe == nil {
		t.Error("there is no startup probe")
	}
	if c.Resources.Requests.Cpu().IsZero() || c.Resources.Limits.Memory().IsZero() {
		t.Errorf("resources: %+v", c.Resources)
	}
	if auth := environmentOf(c)["HEADWATER_AUTH"]; auth != "on" {
		t.Errorf("HEADWATER_AUTH is %q: the server serves everybody who reaches its port", auth)
	}
	if !slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == "/data" }) {
		t.Errorf("nothing is mounted on /data: %+v", c.VolumeMounts)
	}
}

// environmentOf returns the variables that a container is given by value.
func environmentOf(c corev1.Container) map[string]string {
	environment := map[string]string{}
	for _, v := range c.Env {
		environment[v.Name] = v.Value
	}
	return environment
}

// checkSelectors checks that the service, the budget and the policy select the pods, and
// that the policy admits clients.
func checkSelectors(t *testing.T, objects map[string]metav1.Object, pod corev1.PodTemplateSpec) {
	t.Helper()
	service := objects["Service"].(*corev1.Service)
	if port := service.Spec.Ports[0].TargetPort.StrVal; port != pod.Spec.Containers[0].Ports[0].Name {
		t.Errorf("the service sends to the port %q", port)
	}
	for name, selector := range map[string]*metav1.LabelSelector{
		"Service":             {MatchLabels: service.Spec.Selector},
		"PodDisruptionBudget": objects["PodDisruptionBudget"].(*policyv1.PodDisruptionBudget).Spec.Selector,
		"NetworkPolicy":       &objects["NetworkPolicy"].(*networkingv1.NetworkPolicy).Spec.PodSelector,
	} {
		s, err := metav1.LabelSelectorAsSelector(selector)
		if err != nil || s.Empty() || !s.Matches(labels.Set(pod.Labels)) {
			t.Errorf("%s selects %v, the pods have %v (%v)", name, s, pod.Labels, err)
		}
	}
	checkPolicy(t, objects["NetworkPolicy"].(*networkingv1.NetworkPolicy))
	if account := objects["ServiceAccount"].GetName(); account != pod.Spec.ServiceAccountName {
		t.Errorf("the pods use the account %q, not %q", pod.Spec.ServiceAccountName, account)
	}
}

// checkPolicy checks that the policy admits only pods and namespaces with the label.
func checkPolicy(t *testing.T, policy *networkingv1.NetworkPolicy) {
	t.Helper()
	var pods, namespaces int
	for _, peer := range policy.Spec.Ingress[0].From {
		if (peer.PodSelector == nil) == (peer.NamespaceSelector == nil) {
			t.Errorf("not either pods or namespaces: %+v", peer)
			continue
		}
		selector := peer.PodSelector
		if selector != nil {
			pods++
		} else {
			selector = peer.NamespaceSelector
			namespaces++
		}
		s, err := metav1.LabelSelectorAsSelector(selector)
		if err != nil || !s.Matches(labels.Set{"headwater-client": "true"}) || s.Matches(labels.Set{"headwater-client": "false"}) ||
			s.Matches(labels.Set(policy.Spec.PodSelector.MatchLabels)) {
			t.Errorf("the policy admits %v (%v)", s, err)
		}
	}
	if pods != 1 || namespaces != 1 || len(policy.Spec.Ingress) != 1 {
		t.Errorf("the policy admits %+v", policy.Spec.Ingress)
	}
}

func TestKubernetesEmbedded(t *testing.T) {
	objects := render(t, "deploy/kubernetes/embedded")
	set := objects["StatefulSet"].(*appsv1.StatefulSet)
	checkPod(t, set.Spec.Template)
	checkSelectors(t, objects, set.Spec.Template)
	if *set.Spec.Replicas != 1 {
		t.Errorf("%d replicas share one store", *set.Spec.Replicas)
	}
	if set.Spec.ServiceName != objects["Service"].GetName() {
		t.Errorf("the service is %q", set.Spec.ServiceName)
	}
	if claims := set.Spec.VolumeClaimTemplates; len(claims) != 1 || claims[0].Name != set.Spec.Template.Spec.Containers[0].VolumeMounts[0].Name {
		t.Errorf("claims: %+v", claims)
	}
	// Without this group of the volume's files, the server might not write them.
	if group := set.Spec.Template.Spec.SecurityContext.FSGroup; group == nil || *group != 65532 {
		t.Errorf("the group of the volume: %v", group)
	}
}

func TestKubernetesServers(t *testing.T) {
	objects := render(t, "deploy/kubernetes/servers")
	deployment := objects["Deployment"].(*appsv1.Deployment)
	checkPod(t, deployment.Spec.Template)
	checkSelectors(t, objects, deployment.Spec.Template)
	if *deployment.Spec.Replicas < 2 {
		t.Errorf("%d replicas", *deployment.Spec.Replicas)
	}
	// All pods need the same secrets, so that each accepts the tokens that another has made.
	pod := deployment.Spec.Template.Spec
	path := environmentOf(pod.Containers[0])["HEADWATER_AUTH_KEYS"]
	if !slices.ContainsFunc(pod.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool {
		return m.ReadOnly && m.MountPath == filepath.Dir(path) && slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name && v.Secret != nil })
	}) {
		t.Errorf("the file of keys %q is on no volume of a secret: %+v", path, pod.Containers[0].VolumeMounts)
	}
	if spread := deployment.Spec.Template.Spec.TopologySpreadConstraints; len(spread) != 1 || len(spread[0].LabelSelector.MatchLabels) == 0 {
		t.Errorf("spread: %+v", spread)
	}
}

// TestServiceMonitor checks the selector. The type is not in Kubernetes' own packages.
func TestServiceMonitor(t *testing.T) {
	var monitor struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Metadata   metav1.ObjectMeta `json:"metadata"`
		Spec       struct {
			Selector  metav1.LabelSelector `json:"selector"`
			Endpoints []struct {
				Port     string `json:"port"`
				Path     string `json:"path"`
				Interval string `json:"interval"`
			} `json:"endpoints"`
		} `json:"spec"`
	}
	if err := yaml.UnmarshalStrict(read(t, "deploy/kubernetes/monitoring/servicemonitor.yaml"), &monitor); err != nil {
		t.Fatal(err)
	}
	service := render(t, "deploy/kubernetes/embedded")["Service"].(*corev1.Service)
	selector, err := metav1.LabelSelectorAsSelector(&monitor.Spec.Selector)
	if err != nil || selector.Empty() || !selector.Matches(labels.Set(service.Labels)) {
		t.Errorf("the monitor selects %v, the service has %v (%v)", selector, service.Labels, err)
	}
	if e := monitor.Spec.Endpoints[0]; e.Port != service.Spec.Ports[0].Name || e.Path != "/metrics" || monitor.Metadata.Namespace != service.Namespace {
		t.Errorf("endpoint %+v in %s", e, monitor.Metadata.Namespace)
	}
}
