package follower

// What the tests of this package look at from outside.
const FollowerPrefix = followerPrefix
const ForgetAfter = forgetAfter
const MaxReason = maxReason
const ReasonAsked = reasonAsked
const ReasonDamaged = reasonDamaged
const ReasonLost = reasonLost

var ParsePosition = parsePosition

type Position = position
type Ticket = ticket
