package relational

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/headwater-io/headwater/internal/python"
	"github.com/headwater-io/headwater/model"
)

func (c *Config) platformURN() string { return "urn:li:dataPlatform:" + c.Platform }

func (c *Config) instanceURN() string {
	return "urn:li:dataPlatformInstance:(" + c.platformURN() + "," + c.Instance + ")"
}

// datasetURN returns the URN of a dataset by its name without the platform instance.
func (c *Config) datasetURN(name string) string {
	if c.Instance != "" {
		name = c.Instance + "." + name
	}
	return "urn:li:dataset:(" + c.platformURN() + "," + partEncoder.Replace(name) + "," + c.Env + ")"
}

// partEncoder writes the characters that a part of a URN cannot have, as the client does.
var partEncoder = strings.NewReplacer("(", "%28", ")", "%29", ",", "%2C", "␟", "%E2%90%9F")

func fieldURN(dataset, column string) string {
	return "urn:li:schemaField:(" + dataset + "," + partEncoder.Replace(column) + ")"
}

// key is the key of a container: the digest of it is the container's URN.
func (c *Config) key(database, schema string) map[string]string {
	key := map[string]string{"platform": c.Platform, "instance": c.Instance, "database": database, "schema": schema}
	if c.Instance == "" {
		key["instance"] = c.Env // the client's keys had the environment in this member before they had a member for it
	}
	return key
}

func containerURN(key map[string]string) string {
	return "urn:li:" + model.EntityContainer + ":" + python.GUID(key)
}

// viewQueryURN returns the URN of the query that defines a view.
func viewQueryURN(view string) string {
	sum := sha256.Sum256([]byte(view))
	return "urn:li:" + model.EntityQuery + ":view_" + hex.EncodeToString(sum[:])
}
