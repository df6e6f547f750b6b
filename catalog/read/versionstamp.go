package read

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// AtStamp returns the versions of an entity that a version stamp of the timeline names, such as
// "datasetProperties:1;schemaMetadata:0". If aspects lists names, only their versions count. An
// empty stamp means the latest versions.
func (rd *Reader) AtStamp(u model.URN, stamp string, aspects []string) (EntityVersions, error) {
	wanted := EntityVersions{URN: u}
	entity, err := rd.EntityType(u.EntityType())
	if err != nil {
		return wanted, err
	}
	if stamp == "" {
		for _, name := range aspects {
			wanted.Aspects = append(wanted.Aspects, AspectAt{Name: name})
		}
		return wanted.with(entity.KeyAspect, len(aspects) > 0), nil
	}
	for pair := range strings.SplitSeq(stamp, ";") {
		name, number, _ := strings.Cut(pair, ":")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil || version < 0 || name == "" {
			return wanted, catalog.Errorf(catalog.Invalid, "the version stamp %q is not of the form <aspect>:<version>;…", stamp)
		}
		if len(aspects) == 0 || slices.Contains(aspects, name) {
			wanted.Aspects = append(wanted.Aspects, AspectAt{name, version})
		}
	}
	return wanted.with(entity.KeyAspect, true), nil
}

// with adds the latest version of an aspect, if add is set and no version of the aspect is
// listed yet.
func (w EntityVersions) with(aspect string, add bool) EntityVersions {
	if add && !slices.ContainsFunc(w.Aspects, func(at AspectAt) bool { return at.Name == aspect }) {
		w.Aspects = append(w.Aspects, AspectAt{Name: aspect})
	}
	return w
}

// EntitiesAt returns versions of several entities by the texts of their URNs. EntitiesAt treats
// entities that do not exist as [Reader.Entities] does.
func (rd *Reader) EntitiesAt(ctx context.Context, wanted []EntityVersions) (map[string]catalog.EntityResponse, error) {
	stored, err := rd.StoredVersions(ctx, wanted)
	if err != nil {
		return nil, err
	}
	found := make(map[string]catalog.EntityResponse, len(wanted))
	for i := range stored {
		r, err := rd.responseOf(model.StoredURN(stored[i].URN), stored[i].Aspects)
		if err != nil {
			return nil, err
		}
		found[stored[i].URN] = r
	}
	for i := range wanted {
		u := wanted[i].URN
		d, _ := rd.Registry().DialectOf(u)
		if _, known := found[u.String()]; !known && d.UnknownEntity == model.SynthesizeKey {
			if found[u.String()], err = rd.responseOf(u, nil); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}
