// Package evaluation measures how well conversations are chosen, on chat logs in which
// people marked which message answers which. It also fits the weights of graph/affinity
// to such logs.
//
// The marks (Gold) are kept apart from the messages, so that strategies cannot see
// them.
//
// The command "heddle eval" (command.go) measures one of the following:
//
//   - Annotated logs (log.go, read.go), as a View shows them, with every strategy
//     (strategies.go): how well contexts agree with people's marks (eval.go, metric.go,
//     slices.go, calibration.go), how often hidden replies are found (hidden.go,
//     parents.go), and how well links make conversations (clusters.go, pairing.go).
//     summary.go and report.go add up.
//   - Exported channels, by their own replies: channel.go and its neighbours, with the
//     settings of thresholds.go.
//   - parting.go: how well whole logs are parted into talks.
//   - retention.go and its neighbours: what stays of long conversations, and what recall.go
//     and meant.go bring back.
//   - reuse.go: how often an answer could have been given again.
//
// The command "heddle train" (command_train.go, train.go) makes lessons of logs (lesson.go,
// ask.go) and leaves out those that are not plausible (plausible.go).
package evaluation
