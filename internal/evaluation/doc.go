// Package evaluation measures how well conversations are chosen, on chat logs in which
// people marked which message answers which. It also fits the weights of graph/affinity
// to such logs.
//
// The marks (Gold) are kept apart from the messages, so that strategies cannot see
// them.
package evaluation
