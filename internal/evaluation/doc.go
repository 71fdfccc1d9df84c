// Package evaluation measures which settings suit a channel, by an export of it: replies
// are hidden one at a time, and it counts how often the message that a person replied to
// is chosen, or questions to a bot are put to it (questions.go, served.go), and it counts
// how often all that they need is.
//
// A Log is an export with renumbered messages (log.go), reply.go hides
// replies, and channel.go tries heddle (source.go) with the settings of thresholds.go
// beside simpler strategies (strategies.go). The rest writes the report.
package evaluation
