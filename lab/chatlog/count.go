package chatlog

// Annotated returns the number of messages of the log of which people marked what they
// answer.
func (l *Log) Annotated() int {
	n := 0
	for i := range l.Gold {
		if l.Gold[i].Annotated {
			n++
		}
	}
	return n
}

// Learnable returns the number of messages of the log that links can be learnt from.
func (l *Log) Learnable() int {
	n := 0
	for i := range l.Gold {
		if l.Teaches(i) {
			n++
		}
	}
	return n
}

// Teaches reports whether links can be learnt from the message at an index. They can be
// learnt from annotated messages, and from all messages of a log with replies.
func (l *Log) Teaches(i int) bool {
	return !l.Messages[i].System && (l.Gold[i].Annotated || l.Replies > 0)
}

// Sum returns the sum of what count returns for each of the logs.
func Sum(logs []*Log, count func(*Log) int) int {
	n := 0
	for _, log := range logs {
		n += count(log)
	}
	return n
}
