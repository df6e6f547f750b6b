package call

import (
	"regexp"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// What becomes of fields and aspects that the model does not have.
const (
	// KeepUnknown keeps what the model does not have.
	KeepUnknown = "keep"
	// RefuseUnknown refuses it.
	RefuseUnknown = "refuse"
	// AutoUnknown keeps it if the caller's client states a release that knows the model.
	AutoUnknown = "auto"
)

// clientVersionHeader is the header with which the Python client states its release.
const clientVersionHeader = "X-DataHub-Py-Cli-Version"

// clientAgent matches the User-Agent of the Python client, which ends its first
// comment with the release: DataHub-Client/1.0 (sdk; graph; 1.7.0.17) ….
var clientAgent = regexp.MustCompile(`^DataHub-Client/[^ ]+ \(([^)]*)\)`)

// keepsUnknown reports whether a write of the request may have what the model does
// not have.
func (c *Call) keepsUnknown() bool {
	switch c.UnknownFields {
	case KeepUnknown:
		return true
	case RefuseUnknown:
		return false
	}
	return c.knowsModel()
}

// knowsModel reports whether the caller's client knows all that the model has.
func (c *Call) knowsModel() bool {
	release := c.clientRelease()
	return release != "" && !model.NewerRelease(c.Registry.Release(), release)
}

// clientRelease is the release that the caller's client states, "" for none.
func (c *Call) clientRelease() string {
	if release := c.GetHeader(clientVersionHeader); release != "" {
		return release
	}
	if match := clientAgent.FindStringSubmatch(c.GetHeader("User-Agent")); match != nil {
		return strings.TrimSpace(match[1][strings.LastIndexByte(match[1], ';')+1:])
	}
	return ""
}
