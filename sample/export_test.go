package sample

// Moments are when the events of the story happened, without the weekly profiles.
func Moments() []string {
	var list []string
	for i := range story {
		if !story[i].weekly {
			list = append(list, story[i].at)
		}
	}
	return list
}

// WhoseMoments are the URNs of those who did something at each moment of the story, in
// epoch milliseconds.
func WhoseMoments() map[int64]string {
	whose := map[int64]string{}
	for i := range story {
		whose[story[i].moment()] = user(story[i].by)
	}
	return whose
}
