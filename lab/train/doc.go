// Package train fits the weights of graph/affinity to chat logs.
//
// The command "lab train" (command.go) leaves out logs that are not plausible
// (plausible.go), makes lessons of the others (lesson.go, ask.go), fits weights to them
// (train.go), and compares these with the weights built in.
package train
