package explain

import (
	"cmp"
	"context"
	"slices"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/export"
)

// want asks for a message of a channel and its nearest neighbours.
type want struct {
	at           graph.Lookup
	older, newer int // the most neighbours on either side
}

// caught holds the messages found for a want so far, by ascending id.
type caught struct {
	want
	lower, upper []*export.Message // up to the message itself, and after it
	more         [2]bool           // by Direction: there are messages further out
}

// files is a reading from exports.
type files []file

// gather implements reading, in one pass over the files.
func (files files) gather(ctx context.Context, wants []want, limit graph.MessageID, self graph.UserID) ([]fetch.Stretch, error) {
	all := make([]caught, len(wants))
	for i := range wants {
		all[i].want = wants[i]
	}
	for i := range files {
		f := &files[i]
		var here []*caught
		for k := range all {
			if all[k].at.Channel == f.head.Channel {
				here = append(here, &all[k])
			}
		}
		if len(here) == 0 {
			continue
		}
		_, err := f.read(ctx, func(x export.Message) error {
			if f.ascending && (x.ID > limit || full(here, x.ID)) {
				return errEnough
			}
			if x.ID <= limit {
				catch(here, x)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var stretches []fetch.Stretch
	for i := range all {
		if s, found := all[i].stretch(self); found {
			stretches = append(stretches, s)
		}
	}
	return stretches, nil
}

// catch adds a message to all of here that want it.
func catch(here []*caught, x export.Message) {
	var kept *export.Message
	for _, c := range here {
		if !c.wants(x.ID) {
			continue
		}
		if kept == nil {
			kept = x.Clone()
		}
		c.take(kept)
	}
}

// full reports whether messages from id on are no longer wanted. If so, it records that
// there are further messages.
func full(here []*caught, id graph.MessageID) bool {
	for _, c := range here {
		if id <= c.at.Message || len(c.upper) < c.newer {
			return false
		}
	}
	for _, c := range here {
		c.more[graph.Newer] = true
	}
	return true
}

// wants reports whether a message is wanted. If not, it records that there is a message
// further out.
func (c *caught) wants(id graph.MessageID) bool {
	if id <= c.at.Message {
		if len(c.lower) <= c.older || id >= c.lower[0].ID {
			return true
		}
		c.more[graph.Older] = true
		return false
	}
	if len(c.upper) < c.newer || c.newer > 0 && id <= c.upper[len(c.upper)-1].ID {
		return true
	}
	c.more[graph.Newer] = true
	return false
}

// take adds a message, and drops the farthest one if there are too many.
func (c *caught) take(x *export.Message) {
	if x.ID <= c.at.Message {
		c.lower = put(c.lower, x)
		if len(c.lower) > c.older+1 {
			c.lower = slices.Delete(c.lower, 0, 1)
			c.more[graph.Older] = true
		}
		return
	}
	c.upper = put(c.upper, x)
	if len(c.upper) > c.newer {
		c.upper = slices.Delete(c.upper, c.newer, len(c.upper))
		c.more[graph.Newer] = true
	}
}

// put inserts a message by ascending id. Of two versions it keeps the later one.
func put(kept []*export.Message, x *export.Message) []*export.Message {
	at, held := slices.BinarySearchFunc(kept, x.ID, func(x *export.Message, id graph.MessageID) int { return cmp.Compare(x.ID, id) })
	if !held {
		return slices.Insert(kept, at, x)
	}
	if x.Discord().Edited.After(kept[at].Discord().Edited) {
		kept[at] = x
	}
	return kept
}

// stretch returns the messages found, and reports whether the wanted one is among them.
func (c *caught) stretch(self graph.UserID) (fetch.Stretch, bool) {
	if n := len(c.lower); n == 0 || c.lower[n-1].ID != c.at.Message {
		return fetch.Stretch{}, false
	}
	s := fetch.Stretch{Start: !c.more[graph.Older], End: !c.more[graph.Newer]}
	for _, x := range slices.Concat(c.lower, c.upper) {
		s.Messages = append(s.Messages, fetch.Render(x.Discord(), self))
	}
	return s, true
}
