package check

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

func loadCompose(t *testing.T, environment ...string) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join(root, "compose/docker-compose.yaml")}, cli.WithEnv(environment))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return project
}

// published returns the ports that are open on the host. It fails the test if two services
// publish the same one.
func published(t *testing.T, project *types.Project) map[string]string {
	t.Helper()
	ports := map[string]string{}
	for _, service := range project.Services {
		for _, port := range service.Ports {
			if other, taken := ports[port.Published]; taken {
				t.Errorf("%s and %s both want port %s", service.Name, other, port.Published)
			}
			ports[port.Published] = service.Name
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s is open on %q by default", service.Name, port.HostIP)
			}
		}
	}
	return ports
}

// TestCompose: Compose's own loader accepts the file, every server has a health check for
// which the others wait, and every image has a fixed version.
func TestCompose(t *testing.T) {
	project := loadCompose(t)
	ports := published(t, project)
	if len(ports) != 4 {
		t.Errorf("ports: %v", ports)
	}
	for _, name := range []string{"neo4j", "typesense"} {
		service := project.Services[name]
		if service.HealthCheck == nil || len(service.HealthCheck.Test) == 0 {
			t.Errorf("%s has no health check", name)
		}
		if condition := project.Services["headwater"].DependsOn[name].Condition; condition != types.ServiceConditionHealthy {
			t.Errorf("headwater waits for %s with %q", name, condition)
		}
		if _, tag, _ := strings.Cut(service.Image, ":"); tag == "" || tag == "latest" {
			t.Errorf("%s has the image %s", name, service.Image)
		}
	}
	// The image has the health check of headwater itself, see TestDockerfile.
	build := project.Services["headwater"].Build
	if context, err := filepath.Abs(root); err != nil || build == nil || build.Context != context {
		t.Errorf("headwater is built from %+v", build)
	}
	for _, service := range project.Services {
		for _, volume := range service.Volumes {
			if _, ok := project.Volumes[volume.Source]; !ok || volume.Target != "/data" {
				t.Errorf("%s: volume %+v", service.Name, volume)
			}
		}
	}
}

// TestComposeAuthentication: the container serves everybody as long as its port is open to this machine
// only, and authentication can be turned on.
func TestComposeAuthentication(t *testing.T) {
	for _, c := range []struct{ set, auth, anyone string }{{"", "off", "true"}, {"on", "on", "false"}} {
		var set []string
		if c.set != "" {
			set = []string{"HEADWATER_AUTH=" + c.set, "HEADWATER_ALLOW_ANYONE=false"}
		}
		environment := loadCompose(t, set...).Services["headwater"].Environment
		if auth, anyone := *environment["HEADWATER_AUTH"], *environment["HEADWATER_ALLOW_ANYONE"]; auth != c.auth || anyone != c.anyone {
			t.Errorf("with %q: HEADWATER_AUTH=%s, HEADWATER_ALLOW_ANYONE=%s", c.set, auth, anyone)
		}
	}
}

// TestComposeVariables: every line of the example environment is a variable of the file
// with the same default, and setting it changes the project.
func TestComposeVariables(t *testing.T) {
	text := string(read(t, "compose/docker-compose.yaml"))
	count := 0
	for line := range strings.Lines(string(read(t, "compose/env.example"))) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		count++
		name, value, _ := strings.Cut(line, "=")
		if !strings.Contains(text, fmt.Sprintf("${%s:-%s}", name, value)) {
			t.Errorf("the default of %s is not %q", name, value)
		}
	}
	if used := strings.Count(text, "${") - strings.Count(text, "$${"); count < 8 || used < count {
		t.Errorf("%d variables in the example, %d used", count, used)
	}
	project := loadCompose(t, "HEADWATER_PORT=18080", "NEO4J_BROWSER_PORT=17474", "NEO4J_BOLT_PORT=17687", "TYPESENSE_PORT=18108", "NEO4J_PASSWORD=another1", "TYPESENSE_KEY=key2")
	ports := published(t, project)
	for port, name := range map[string]string{"18080": "headwater", "17474": "neo4j", "17687": "neo4j", "18108": "typesense"} {
		if ports[port] != name {
			t.Errorf("port %s is that of %q", port, ports[port])
		}
	}
	environment := project.Services["headwater"].Environment
	if graph, search := *environment["HEADWATER_GRAPH"], *environment["HEADWATER_SEARCH"]; graph != "neo4j://neo4j:another1@neo4j:7687" || search != "typesense://key2@typesense:8108" {
		t.Errorf("headwater asks %s and %s", graph, search)
	}
}
