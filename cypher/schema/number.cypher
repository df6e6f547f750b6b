// Gives values of time series of an earlier release their numbers.
// $rows: [{urn, aspect, key, numbers}]
UNWIND $rows AS row
MATCH (t:TimeSeries {urn: row.urn, aspect: row.aspect, key: row.key}) USING INDEX SEEK t:TimeSeries(urn, aspect, key)
SET t += row.numbers
