// Package retention measures what stays of long conversations with heddle, and what of
// the rest is recalled.
//
// The conversations are cut from logs, as if heddle had taken part, or scripted
// (talk.go). Each is replayed request by request (run.go), with simulated confidences of
// the answers (confidence.go), and compared with windows of the newest exchanges
// (linear.go). recall.go measures what is recalled. report.go writes the results.
package retention
