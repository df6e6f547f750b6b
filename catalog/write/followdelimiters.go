package write

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// Default browse paths of datasets follow the delimiter of their platform. They
// are updated in the background: when the follower of the change log finds a
// changed delimiter, whoever wrote it, and when a server starts.

const (
	// pathsActorName is the user who is recorded for updated default paths, so
	// that they can be told apart from paths that somebody else wrote.
	pathsActorName = "__headwater_paths"
	// pathsAtOnce bounds how many paths are written in a transaction.
	pathsAtOnce = 200
	// delimiterVersions bounds how many versions of a platform's info are read.
	delimiterVersions = 1000
)

// pathWork contains the platforms whose datasets must be checked, with their
// former delimiters.
type pathWork struct {
	mu      sync.Mutex
	waiting map[string][]string
	running bool
}

// FollowDelimiters starts a check of the default paths of every platform in the
// background.
func (w *Writer) FollowDelimiters() error {
	return w.work.run("default browse paths", func(ctx context.Context) {
		w.untilDone(ctx, "default browse paths", func(ctx context.Context) error {
			for _, d := range w.Registry().Dialects() {
				err := w.eachWithPrefix(ctx, "urn:"+d.Namespace+":dataPlatform:", func(platforms []string) error {
					for _, platform := range platforms {
						if err := w.updatePaths(ctx, platform, nil); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// QueuePathUpdates finds the platforms whose delimiter a change has altered,
// and queues the update of their paths.
func (w *Writer) QueuePathUpdates(changes []graphstore.Change) {
	for i := range changes {
		ch := &changes[i]
		if ch.Aspect != model.AspectDataPlatformInfo {
			continue
		}
		if former := delimiterIn(ch.Previous); ch.ValuesPruned || former != delimiterIn(ch.Value) {
			w.queuePathUpdate(ch.URN, former)
		}
	}
}

// queuePathUpdate queues a check of the datasets of a platform that had a
// former delimiter.
func (w *Writer) queuePathUpdate(platform, former string) {
	w.paths.mu.Lock()
	defer w.paths.mu.Unlock()
	if w.paths.waiting == nil {
		w.paths.waiting = map[string][]string{}
	}
	w.paths.waiting[platform] = append(w.paths.waiting[platform], former)
	if w.paths.running {
		return
	}
	w.paths.running = w.work.run("default browse paths", func(ctx context.Context) {
		for ctx.Err() == nil {
			platform, former, ok := w.paths.next()
			if !ok {
				return
			}
			w.untilDone(ctx, "default browse paths", func(ctx context.Context) error { return w.updatePaths(ctx, platform, former) })
		}
	}) == nil // an error means that the server is stopping: the next start looks at all datasets again
}

// next takes a platform from the queue.
func (w *pathWork) next() (platform string, former []string, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for platform, former = range w.waiting {
		delete(w.waiting, platform)
		return platform, former, true
	}
	w.running = false
	return "", nil, false
}

// updatePaths rewrites the default paths of a platform's datasets that were made with a former
// delimiter.
func (w *Writer) updatePaths(ctx context.Context, platform string, former []string) error {
	now, former, err := w.delimiters(ctx, platform, former)
	if err != nil || len(former) == 0 {
		return err
	}
	updated := 0
	err = w.eachWithPrefix(ctx, "urn:"+model.StoredURN(platform).Namespace()+":dataset:("+platform+",", func(urns []string) error {
		stored, err := w.store.LatestAspects(ctx, urns, []string{model.AspectBrowsePaths, model.AspectBrowsePathsV2})
		if err != nil {
			return err
		}
		var changes []*change
		for _, urn := range urns {
			for i := range stored[urn] {
				ch, err := w.pathChange(&stored[urn][i], now, former)
				if err != nil {
					return err
				}
				if ch != nil {
					changes = append(changes, ch)
				}
			}
		}
		for part := range slices.Chunk(changes, pathsAtOnce) {
			n, err := w.writePaths(ctx, part)
			if updated += n; err != nil {
				return err
			}
		}
		return nil
	})
	if updated > 0 {
		w.logger.InfoContext(ctx, "default browse paths follow the delimiter of their platform", "platform", platform, "delimiter", now, "written", updated)
	}
	return err
}

// writePaths writes paths in one transaction and returns how many changed.
func (w *Writer) writePaths(ctx context.Context, changes []*change) (written int, err error) {
	actor := "urn:" + changes[0].dialect.Namespace + ":corpuser:" + pathsActorName
	outcomes, err := w.applyEach(ctx, changes, catalog.WriteOptions{Actor: actor})
	for i := range outcomes {
		if outcomes[i].changed {
			written++
		}
	}
	return written, err
}

// delimiters returns the delimiter of a platform and its former delimiters: the delimiters of its
// stored versions, the delimiters that the caller knows, and the delimiter of unknown platforms,
// which each platform had at first.
func (w *Writer) delimiters(ctx context.Context, platform string, known []string) (now string, former []string, err error) {
	versions, err := w.store.AspectVersions(ctx, graphstore.AspectKey{URN: platform, Name: model.AspectDataPlatformInfo}, graphstore.Page{Count: delimiterVersions})
	if err != nil {
		return "", nil, err
	}
	now = unknownDelimiter
	all := map[string]bool{unknownDelimiter: true}
	for _, delimiter := range known {
		all[delimiter] = true
	}
	for i := range versions {
		delimiter := delimiterIn(versions[i].Value)
		all[delimiter] = true
		if versions[i].IsLatest() {
			now = delimiter
		}
	}
	delete(all, now)
	return now, slices.Sorted(maps.Keys(all)), nil
}

// pathChange returns the change of a default path that was made with a former delimiter. It returns
// nil if the path is right, or if somebody else wrote it.
func (w *Writer) pathChange(a *graphstore.Aspect, now string, former []string) (*change, error) {
	u := model.StoredURN(a.URN)
	d, ok := w.Registry().DialectOf(u)
	if !ok || a.Seq != 1 && a.CreatedBy != "urn:"+d.Namespace+":corpuser:"+pathsActorName {
		return nil, nil
	}
	right, err := defaultPath(a.Name, u, now)
	if err != nil || jsontree.EqualText(right, a.Value) {
		return nil, err
	}
	stale := false
	for _, delimiter := range former {
		made, err := defaultPath(a.Name, u, delimiter)
		if err != nil {
			return nil, err
		}
		stale = stale || jsontree.EqualText(made, a.Value)
	}
	if !stale {
		return nil, nil
	}
	entity, _ := w.Registry().Entity(u.EntityType()) // it is stored
	aspect, _ := w.Registry().Aspect(a.Name)         // the model has this aspect
	return &change{
		kind: editing, urn: u, dialect: d, entity: entity, aspect: aspect,
		// The system metadata stays that of the run that made the default, so a
		// rollback of that run also removes the new path.
		system: a.System, edit: &Edit{URN: u, Aspect: a.Name, Change: replaceIf(a.Value, right)},
	}, nil
}

// replaceIf returns the change of an edit that replaces a value, and fails if the value has changed
// meanwhile.
func replaceIf(former, next json.RawMessage) func(catalog.Tree, catalog.AuditStamp) error {
	return func(value catalog.Tree, _ catalog.AuditStamp) error {
		is, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if !jsontree.EqualText(is, former) {
			return catalog.Errorf(catalog.Conflict, "it was written meanwhile")
		}
		tree, err := catalog.TreeOf(next)
		if err != nil {
			return err
		}
		clear(value)
		maps.Copy(value, tree)
		return nil
	}
}
