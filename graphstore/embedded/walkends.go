package embedded

// markEnds sets Ends of the entities whose edges are all cached, and lead nowhere.
func (w *walker) markEnds(nodes []node) {
	if len(w.ahead) == 0 || w.query.AsOf != 0 {
		return
	}
	byType, leading := map[int64][]int64{}, map[int64]bool{}
	for _, n := range nodes {
		byType[n.entityType] = append(byType[n.entityType], n.id)
	}
	for _, ahead := range w.ahead {
		for near, ids := range byType {
			way := ahead.steps[near]
			if way == nil {
				continue
			}
			for _, l := range []*leads{&way.outgoing, &way.incoming} {
				if len(l.types) == 0 {
					continue
				}
				unknown := w.s.memory.edges(ids, l.set, func(id int64, ends []end) {
					if len(ends) > 0 {
						leading[id] = true
					}
				})
				for _, id := range unknown {
					leading[id] = true
				}
			}
		}
	}
	for i := range nodes {
		nodes[i].visit.Ends = !leading[nodes[i].id]
	}
}
