package discord

import (
	"encoding/json"
	"time"
)

// DecodeUser reads the answer of /users/@me.
func DecodeUser(raw json.RawMessage) (User, error) {
	o := parseObject(raw)
	if o == nil || o.bits("id") == 0 {
		return User{}, malformed("a user")
	}
	return decodeUser(o), nil
}

// DecodeGuilds reads the answer of /users/@me/guilds. What is not a guild is skipped.
func DecodeGuilds(raw json.RawMessage) []Guild {
	items, _ := listOf(raw)
	return allOf(items, decodeGuild)
}

// DecodeChannels reads the answer of /guilds/{id}/channels. What is not a channel is
// skipped.
func DecodeChannels(raw json.RawMessage) []Channel {
	items, _ := listOf(raw)
	return allOf(items, decodeChannel)
}

// ArchivedThread is a thread that was archived, and when.
type ArchivedThread struct {
	Channel

	Archived time.Time
}

// ArchivedPage is a page of archived threads, the one archived last first.
type ArchivedPage struct {
	Threads []ArchivedThread
	More    bool // others follow
}

// DecodeArchived reads the answer of /channels/{id}/threads/archived/public.
func DecodeArchived(raw json.RawMessage) ArchivedPage {
	o := parseObject(raw)
	return ArchivedPage{
		Threads: eachOf(o, "threads", func(o object) ArchivedThread {
			return ArchivedThread{decodeChannel(o), o.object("thread_metadata").moment("archive_timestamp")}
		}),
		More: o.boolean("has_more"),
	}
}
