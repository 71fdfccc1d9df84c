// Package evaluation measures how well a conversation is chosen, on chat logs in
// which people marked which message answers which, and fits the weights of
// graph/affinity to such logs.
//
// What people marked (Gold) is kept apart from the messages, so that no selection
// can see it.
package evaluation
