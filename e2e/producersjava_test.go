package e2e

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// javaClientVersion is the version of the official client for Java.
const javaClientVersion = "1.55.0"

// runJava sends the events of e2e/producers/java/Emit.java, packed and therefore in chunks.
func runJava(t *testing.T, s *server, _ string) {
	t.Helper()
	jars, err := exec.Command("producers/jar.sh", "io.openlineage:openlineage-java:"+javaClientVersion, "--all").Output()
	if err != nil {
		t.Fatalf("the client for Java cannot be fetched: %v", err)
	}
	java, err := exec.LookPath("java")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	writeFiles(t, folder, map[string]string{"openlineage.yml": "transport:\n  type: http\n  url: " + s.base + "\n  compression: gzip\n"})
	source := filepath.Join(testservers.Root(), "e2e", "producers", "java", "Emit.java")
	runProgram(t, folder, java, []string{"-cp", filepath.Join(strings.TrimSpace(string(jars)), "*"), source}, false)
}

func javaProducer() producer {
	const (
		flow    = "urn:li:dataFlow:(unknown,shop,nightly)"
		parent  = "urn:li:dataJob:(" + flow + ",shop)"
		job     = "urn:li:dataJob:(" + flow + ",shop.sum)"
		orders  = "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.orders,PROD)"
		revenue = "urn:li:dataset:(urn:li:dataPlatform:s3,lake/revenue,PROD)"
	)
	return producer{
		test: "java", name: "the client for Java", more: "openlineage-java " + javaClientVersion,
		ran: "a program that sends a run and its parent, packed with gzip",
		run: runJava,
		checks: []producerCheck{
			{"both jobs and their runs, with begin, end, result and parent", func(s *server) error {
				return errors.Join(s.ranAs(parent, 1, "SUCCESS", ""), s.ranAs(job, 1, "SUCCESS", parent))
			}},
			{"the datasets with their columns", func(s *server) error {
				return errors.Join(s.hasAspect("dataset", orders, "schemametadata", "amount"), s.hasAspect("dataset", revenue, "schemametadata", "total"))
			}},
			{"lineage of datasets and columns", func(s *server) error {
				return errors.Join(s.follows(revenue, job, orders), s.follows(columnOf(revenue, "total"), columnOf(orders, "amount")))
			}},
		},
	}
}
