// Package phrases holds everything that people on Discord read from heddle except the
// model's own words, in one file per language. It also holds what heddle itself tells
// the model, in English. A phrase says what happened and what the reader can do. It
// does not mention how heddle works inside.
//
// A new phrase is a line in each file in languages. It is said by its key, so that one
// search finds where it is used and how it reads in every language. A test finds a key
// that is in no file, and a phrase that nothing says.
package phrases
