package removal

// MaxBatchDelete and the names below it show internals to the tests of this package.
const MaxBatchDelete = maxBatchDelete
