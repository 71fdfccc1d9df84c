// Package evaluation measures how well conversations are chosen, on chat logs in which
// people marked which message answers which.
//
// The command "heddle eval" (command.go) measures one of the following:
//
//   - Annotated logs, as a chatlog.View shows them, with every strategy (strategies.go):
//     how well contexts agree with people's marks (eval.go, metric.go, slices.go,
//     calibration.go), how often hidden replies are found (hidden.go, parents.go), and
//     how well links make conversations (clusters.go, pairing.go). summary.go and
//     report.go add up.
//   - Exported channels, by their own replies: channel.go and its neighbours, with the
//     settings of thresholds.go.
//   - parting.go: how well whole logs are parted into talks.
//   - retention.go: what stays of long conversations, which package retention simulates.
//   - reuse.go: how often an answer could have been given again.
package evaluation
