// Package eval measures how well conversations are chosen, on chat logs in which people
// marked which message answers which.
//
// The command "lab eval" (command.go) measures one of the following:
//
//   - Every strategy (strategies.go) on the messages of logs, as a chatlog.View shows
//     them: how well contexts agree with people's marks (eval.go, metric.go, slices.go,
//     calibration.go), how often hidden replies are found (eval.go), and how well links
//     make conversations (clusters.go, pairing.go). summary.go and report.go add up.
//   - parting.go: how well whole logs are parted into talks.
//   - retention.go: what stays of long conversations, which package retention simulates.
//   - reuse.go: how often an answer could have been given again.
package eval
