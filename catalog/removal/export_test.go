package removal

// MaxBatchDelete gives the tests of this package what they look at inside.
const MaxBatchDelete = maxBatchDelete
