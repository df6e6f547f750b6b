package removal

// What the tests of this package look at from outside.
const DeletionsAtOnce = deletionsAtOnce
const MaxBatchDelete = maxBatchDelete
const ReferencePage = referencePage
