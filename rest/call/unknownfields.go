package call

import (
	"regexp"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// The policies for fields and aspects that the model lacks.
const (
	// KeepUnknown stores unknown fields and aspects.
	KeepUnknown = "keep"
	// RefuseUnknown refuses a write with unknown fields or aspects.
	RefuseUnknown = "refuse"
	// AutoUnknown stores unknown fields and aspects if the release that the caller's client
	// states knows the model; otherwise it refuses the write.
	AutoUnknown = "auto"
)

// clientVersionHeader is the header with which the Python client states its release.
const clientVersionHeader = "X-DataHub-Py-Cli-Version"

// clientAgent matches the User-Agent of the Python client. The first comment ends with the
// release: DataHub-Client/1.0 (sdk; graph; 1.7.0.17) ….
var clientAgent = regexp.MustCompile(`^DataHub-Client/[^ ]+ \(([^)]*)\)`)

// keepsUnknown reports whether this request may write fields and aspects that the model
// lacks.
func (c *Call) keepsUnknown() bool {
	switch c.UnknownFields {
	case KeepUnknown:
		return true
	case RefuseUnknown:
		return false
	}
	return c.knowsModel()
}

// knowsModel reports whether the release of the caller's client is at least that of the
// model.
func (c *Call) knowsModel() bool {
	release := c.clientRelease()
	return release != "" && !model.NewerRelease(c.Registry.Release(), release)
}

// clientRelease returns the release that the caller's client states, or "".
func (c *Call) clientRelease() string {
	if release := c.GetHeader(clientVersionHeader); release != "" {
		return release
	}
	if match := clientAgent.FindStringSubmatch(c.GetHeader("User-Agent")); match != nil {
		return strings.TrimSpace(match[1][strings.LastIndexByte(match[1], ';')+1:])
	}
	return ""
}
