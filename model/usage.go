package model

// UsageBucket is the usage of one resource in one interval, in the deprecated
// form.
type UsageBucket struct {
	Bucket   int64        `json:"bucket"`
	Duration string       `json:"duration"`
	Resource string       `json:"resource"`
	Metrics  UsageMetrics `json:"metrics"`
}

// UsageMetrics are the numbers of a bucket; nil means unknown.
type UsageMetrics struct {
	UniqueUserCount *int64       `json:"uniqueUserCount,omitempty"`
	Users           []UserUsage  `json:"users,omitempty"`
	TotalSQLQueries *int64       `json:"totalSqlQueries,omitempty"`
	TopSQLQueries   []string     `json:"topSqlQueries,omitempty"`
	Fields          []FieldUsage `json:"fields,omitempty"`
}

// UserUsage counts the queries of one user.
type UserUsage struct {
	User      string `json:"user,omitempty"`
	Count     int64  `json:"count"`
	UserEmail string `json:"userEmail,omitempty"`
}

// FieldUsage counts the queries that named one field.
type FieldUsage struct {
	FieldName string `json:"fieldName"`
	Count     int64  `json:"count"`
}

// StoredUsage is the part of the aspect that usage queries read and write.
type StoredUsage struct {
	TimestampMillis  int64              `json:"timestampMillis"`
	EventGranularity UsageGranularity   `json:"eventGranularity"`
	UniqueUserCount  *int64             `json:"uniqueUserCount,omitempty"`
	TotalSQLQueries  *int64             `json:"totalSqlQueries,omitempty"`
	TopSQLQueries    []string           `json:"topSqlQueries,omitempty"`
	UserCounts       []UserUsage        `json:"userCounts,omitempty"`
	FieldCounts      []StoredFieldCount `json:"fieldCounts,omitempty"`
}

// UsageGranularity is the length of an interval: a number of a unit, such as DAY.
type UsageGranularity struct {
	Unit     string `json:"unit"`
	Multiple int    `json:"multiple"`
}

// StoredFieldCount counts the queries that named one field, as the aspect has it.
type StoredFieldCount struct {
	FieldPath string `json:"fieldPath"`
	Count     int64  `json:"count"`
}
