// Package phrases holds everything that people on Discord read from heddle beside the
// model's own words, in a file for each language, and everything that heddle itself tells
// the model, in English. A sentence says what happened and what the reader can do. It
// never mentions machinery.
//
// A new phrase is an ID in ids.go and a line in each file in languages.
package phrases
