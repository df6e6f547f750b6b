package sample

// Moments are the times of the events of the story, without the weekly profiles.
func Moments() []string {
	var list []string
	for i := range story {
		if !story[i].weekly {
			list = append(list, story[i].at)
		}
	}
	return list
}

// WhoseMoments has, by each moment of the story in epoch milliseconds, the URN of the person of
// the event.
func WhoseMoments() map[int64]string {
	whose := map[int64]string{}
	for i := range story {
		whose[story[i].moment()] = user(story[i].by)
	}
	return whose
}
