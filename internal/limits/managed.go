package limits

// Limits of the things that people manage in the catalog: secrets, announcements, settings.
const (
	// MaxSecretBytes is how long the value of a secret may be.
	MaxSecretBytes = 64 << 10
	// MaxSecretsRead is how many secrets one request decrypts.
	MaxSecretsRead = 100
	// SecretsRotated is how many secrets one request encrypts again.
	SecretsRotated = 100
	// MaxRecipeProblems is how many faults of a recipe are told at once.
	MaxRecipeProblems = 50
	// MaxPostTitle and MaxPostText are how long the title and the description of an announcement may
	// be, MaxPostLink how long a link or the location of a picture.
	MaxPostTitle = 500
	MaxPostText  = 20_000
	MaxPostLink  = 2048
	// MaxBulkEntities is how many entities one bulk change changes.
	MaxBulkEntities = 100
	// MaxTagSuggestions is how many tags are suggested at once for a dataset and its columns,
	// MaxTagRefusals how many suggestions of a dataset can be refused.
	MaxTagSuggestions = 100
	MaxTagRefusals    = 1000
	// MaxDismissed is how many announcements a user can have dismissed.
	MaxDismissed = 1000
	// MaxLanguageTag is how long the tag of a language may be.
	MaxLanguageTag = 35
)

// managed lists the limits of secrets, announcements and settings.
func managed() []Limit {
	return []Limit{
		{Name: "secret", Value: MaxSecretBytes, Unit: "bytes", Meaning: "The value of a secret. A longer one is refused with 400."},
		{Name: "secrets read", Value: MaxSecretsRead, Unit: "secrets", Meaning: "The secrets whose values one request asks for. More are refused with 400."},
		{Name: "secrets rotated", Value: SecretsRotated, Unit: "secrets", Meaning: "The secrets that one request of /secrets/rotate encrypts again. The next request goes on from there."},
		{Name: "recipe problems", Value: MaxRecipeProblems, Unit: "problems", Meaning: "The faults of a recipe that are told at once. The next are told when these are mended."},
		{Name: "announcement title", Value: MaxPostTitle, Unit: "bytes", Meaning: "The title of an announcement. A longer one is refused with 400."},
		{Name: "announcement text", Value: MaxPostText, Unit: "bytes", Meaning: "The description of an announcement. A longer one is refused with 400."},
		{Name: "announcement link", Value: MaxPostLink, Unit: "bytes", Meaning: "The link, and the location of the picture, of an announcement. Longer ones are refused with 400."},
		{Name: "bulk change", Value: MaxBulkEntities, Unit: "entities", Meaning: "The entities that one bulk change changes. More are refused with 400."},
		{Name: "suggested tags", Value: MaxTagSuggestions, Unit: "tags", Meaning: "The tags that are suggested for a dataset and its columns at once. The next appear when these are accepted or refused."},
		{Name: "refused tags", Value: MaxTagRefusals, Unit: "tags", Meaning: "The suggested tags of a dataset and its columns that are refused. One more is refused with 400."},
		{Name: "dismissed announcements", Value: MaxDismissed, Unit: "items", Meaning: "The announcements that a user has dismissed. One more removes the one that was dismissed first."},
		{Name: "language", Value: MaxLanguageTag, Unit: "bytes", Meaning: "The tag of the language of a user's pages. A longer one is refused with 400."},
	}
}
