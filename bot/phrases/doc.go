// Package phrases holds everything that people on Discord read from heddle except the
// model's own words, in one file per language. It also holds what heddle itself tells
// the model, in English. A phrase says what happened and what the reader can do. It
// does not mention how heddle works inside.
//
// A new phrase is an ID in ids.go and a line in each file in languages.
//
// The IDs form one flat list, in blocks by where people read them. Each is named after
// its key in the files: NoticeLeftOut is "notice_left_out". One search for either
// therefore finds where a phrase is used and how it reads in every language. Prefixes
// stand in for types: Label for buttons, Command and Option for commands, Notice for the
// lines below an answer. IDs by subject would be fields of variables, which anybody could
// change.
package phrases
