package naming

import (
	"cmp"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// DatasetOf computes the name of a dataset that no event has named. The namespace is one of the settings, the
// address of a bucket, or else the platform. DatasetOf returns false if no such name leads back to the URN:
// then an event that used the name would mean another dataset.
func (s *Settings) DatasetOf(u model.URN) (Dataset, bool) {
	parts := u.Parts()
	if u.EntityType() != model.EntityDataset || len(parts) != 3 {
		return Dataset{}, false
	}
	platformURN, err := model.ParseURN(parts[0])
	if err != nil {
		return Dataset{}, false
	}
	platform, name := decode(platformURN.Key()), decode(parts[1])
	for _, candidate := range s.candidates(platform, name) {
		if found, err := s.DatasetURN(candidate); err == nil && found == u {
			return candidate, true
		}
	}
	return Dataset{}, false
}

// candidates are names that a dataset may have, the most exact first.
func (s *Settings) candidates(platform, name string) []Dataset {
	keys := slices.SortedFunc(maps.Keys(s.Namespaces), func(a, b string) int { // a longer instance is more exact
		return cmp.Or(cmp.Compare(len(s.Namespaces[b].Instance), len(s.Namespaces[a].Instance)), cmp.Compare(a, b))
	})
	var found []Dataset
	for _, key := range keys {
		if strings.HasSuffix(key, "*") || s.Platform(key) != platform {
			continue
		}
		if instance := s.Namespaces[key].Instance; instance == "" {
			found = append(found, Dataset{key, name})
		} else if rest, ok := strings.CutPrefix(name, instance+"."); ok {
			found = append(found, Dataset{key, rest})
		}
	}
	scheme := schemeOf[platform]
	if scheme == "s3" || scheme == "gs" {
		if bucket, rest, ok := strings.Cut(name, "/"); ok && bucket != "" && rest != "" {
			found = append(found, Dataset{scheme + "://" + bucket, rest})
		}
	}
	found = append(found, Dataset{platform, name})
	if scheme != "" && scheme != platform {
		found = append(found, Dataset{scheme, name})
	}
	return found
}

// schemeOf has the first scheme of each platform.
var schemeOf = func() map[string]string {
	found := map[string]string{}
	for i := range stores {
		if _, known := found[stores[i].platform]; !known {
			found[stores[i].platform] = stores[i].schemes[0]
		}
	}
	return found
}()

// JobOf computes the name of a job that no event has named. The namespace is the namespace that the settings give
// the cluster of the job's flow, or else the cluster. The name is the flow's name, a dot and the job's name. JobOf
// returns false for a URN that is not the URN of a job in a flow.
func (s *Settings) JobOf(u model.URN) (JobName, bool) {
	parts := u.Parts()
	if u.EntityType() != model.EntityDataJob || len(parts) != 2 {
		return JobName{}, false
	}
	flow, err := model.ParseURN(parts[0])
	if err != nil || flow.EntityType() != model.EntityDataFlow || len(flow.Parts()) != 3 {
		return JobName{}, false
	}
	flowID, namespace, name := decode(flow.Parts()[1]), decode(flow.Parts()[2]), decode(parts[1])
	for _, key := range slices.Sorted(maps.Keys(s.Namespaces)) {
		if !strings.HasSuffix(key, "*") && s.Namespaces[key].Cluster != "" && s.Namespaces[key].Cluster == namespace {
			namespace = key
			break
		}
	}
	if name != flowID && !strings.HasPrefix(name, flowID+".") {
		name = flowID + "." + name
	}
	return JobName{namespace, name}, true
}

// decode undoes encode.
func decode(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && looksEncoded(text[i:]) {
			c, _ := hex.DecodeString(text[i+1 : i+3])
			b.WriteByte(c[0])
			i += 2
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// PlatformPart is the platform of a namespace as the URNs of datasets have it.
func (s *Settings) PlatformPart(namespace string) string {
	return fit(s.Platform(namespace), maxPlatformBytes)
}
