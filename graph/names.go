package graph

import "strconv"

// nameOf returns the name at an index, or the index if it has no name.
func nameOf[K ~uint8](k K, names ...string) string {
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown " + strconv.Itoa(int(k))
}

// String returns the kind in one word.
func (k ReferenceKind) String() string {
	return nameOf(k, "reply", "starter", "forward", "address", "inferred", "link")
}

// String returns the state in one word or two.
func (s ReferenceState) String() string {
	return nameOf(s, "not loaded", "resolved", "deleted", "unreadable", "withheld")
}

// String returns the origin in one word.
func (o Origin) String() string { return nameOf(o, "person", "bot", "self", "webhook") }

// String returns the direction in one word.
func (d Direction) String() string { return nameOf(d, "older", "newer") }

// String returns the kind in one word.
func (k ReasonKind) String() string {
	return nameOf(k, "seed", "reference", "temporal", "lineage", "answer", "recalled", "needed", "read")
}

// String returns the kind in one word.
func (k EdgeKind) String() string { return nameOf(k, "reference", "temporal", "version") }

// String returns the reason in one word.
func (r SealReason) String() string {
	return nameOf(r, "gap", "affinity", "channel", "budget", "unreadable", "trigger")
}
