// Package attachments reads the files of a conversation: pictures, if the model sees
// them, and texts. The graph of a conversation comes in. Select chooses which of its
// files are read, and a Reader downloads them and remembers what they contain. Contents
// go out: they put the texts into the turns of a path and the pictures into a request.
package attachments
