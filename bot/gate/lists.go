package gate

import "slices"

// List is an allow list and a block list. An empty allow list allows everything that is
// not blocked.
type List[ID comparable] struct {
	Allow, Block []ID
}

// blocks reports whether one of ids is blocked.
func (l *List[ID]) blocks(ids ...ID) bool { return anyIn(l.Block, ids) }

// names reports whether one of ids is on the allow list.
func (l *List[ID]) names(ids ...ID) bool { return anyIn(l.Allow, ids) }

// permits reports whether ids are allowed and none of them is blocked.
func (l *List[ID]) permits(ids ...ID) bool {
	return !l.blocks(ids...) && (len(l.Allow) == 0 || l.names(ids...))
}

func anyIn[ID comparable](list, ids []ID) bool {
	var none ID
	return slices.ContainsFunc(ids, func(id ID) bool { return id != none && slices.Contains(list, id) })
}
