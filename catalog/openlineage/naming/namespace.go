package naming

import "strings"

// address is a namespace in its parts.
type address struct {
	// scheme is the text that decides the platform, in lower case.
	scheme string
	// authority is the text between the two slashes and the next slash.
	authority string
	// path begins with a slash, or is empty.
	path string
}

// parse reads the parts of a namespace. It takes every text.
func parse(namespace string) address {
	text := strings.TrimSpace(namespace)
	lower := strings.ToLower(text)
	if isGlue(lower) {
		return address{scheme: glueScheme}
	}
	if strings.HasPrefix(lower, "jdbc:") {
		text = text[len("jdbc:"):]
	}
	if scheme, rest, ok := strings.Cut(text, "://"); ok && scheme != "" {
		if base, _, ok := strings.Cut(scheme, frameworkMark); ok && isKnown(base) {
			scheme = base // mysql+pymysql names the driver too
		}
		authority, path, _ := strings.Cut(rest, "/")
		if path != "" {
			path = "/" + path
		}
		return address{scheme: strings.ToLower(scheme), authority: withoutNone(authority), path: path}
	}
	if scheme, path, ok := strings.Cut(text, ":/"); ok && scheme != "" {
		return address{scheme: strings.ToLower(scheme), path: "/" + strings.TrimLeft(path, "/")}
	}
	if text == "" {
		return address{scheme: unknown}
	}
	return address{scheme: strings.ToLower(text)}
}

// glueScheme stands for the ARN of a Glue catalog.
const glueScheme = "arn:aws:glue"

// unknown is the platform of a namespace without text, and the orchestrator of a job that tells none.
const unknown = "unknown"

// isGlue reports whether a namespace in lower case is that of a Glue catalog: an ARN in one of the
// partitions of AWS, or its end.
func isGlue(lower string) bool {
	if strings.HasPrefix(lower, "aws:glue:") {
		return true
	}
	partition, service, ok := strings.Cut(strings.TrimPrefix(lower, "arn:"), ":")
	return ok && strings.HasPrefix(lower, "arn:aws") && strings.HasPrefix(partition, "aws") && strings.HasPrefix(service, "glue:")
}

// frameworkMark is between the platform of a table format and the namespace of its catalog.
const frameworkMark = "+"

// frameworks are the table formats whose catalogs have namespaces that do not tell the platform, with their
// platforms.
var frameworks = map[string]string{"iceberg": "iceberg", "delta": "delta-lake", "delta-lake": "delta-lake", "hudi": "hudi", "paimon": "paimon"}

// hive is the platform of tables in a catalog whose table format is unknown.
const hive = "hive"

// inFramework is a namespace that says the platform of a table format.
func inFramework(framework, namespace string) string {
	platform, ok := frameworks[strings.ToLower(strings.TrimSpace(framework))]
	if !ok {
		platform = hive
	}
	return platform + frameworkMark + namespace
}

// frameworkOf undoes inFramework. The platform is "" if the namespace says none.
func frameworkOf(namespace string) (platform, rest string) {
	before, after, ok := strings.Cut(namespace, frameworkMark)
	if !ok || !strings.Contains(after, ":/") {
		return "", namespace
	}
	if before == hive {
		return before, after
	}
	for _, platform := range frameworks {
		if before == platform {
			return platform, after
		}
	}
	return "", namespace
}
