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
