// Package phrases holds everything that people on Discord read from heddle except the
// model's own words, in one file per language. It also holds what heddle itself tells
// the model, in English. A phrase says what happened and what the reader can do. It
// does not mention how heddle works inside.
//
// A new phrase is an ID in ids.go and a line in each file in languages.
package phrases
