package discordtest

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"heddle/graph"
)

// Discord's limits on Request Guild Members.
const (
	mostRequested = 100              // members by their ids, or by the beginning of a name
	mostInChunk   = 1000             // members in one event
	wholeEvery    = 30 * time.Second // for all members of one guild
	longestNonce  = 32               // bytes; a longer nonce does not come back
)

// memberRequest is the data of op 8.
type memberRequest struct {
	Guild incoming[graph.GuildID] `json:"guild_id"`
	Query *string                 `json:"query"`
	Limit int                     `json:"limit"`
	Users json.RawMessage         `json:"user_ids"` // one id or a list
	Nonce string                  `json:"nonce"`

	events  *Events
	session *session
	of      *guild
}

// requestMembers answers op 8 with GUILD_MEMBERS_CHUNK. Users who are asked for by their ids need
// no intent; all members of a guild need IntentGuildMembers, and may be asked for every 30 s.
// Requests that Discord ignores are not answered.
func (g *Gateway) requestMembers(k *socket, d json.RawMessage) {
	var request memberRequest
	n := k.session
	switch {
	case n == nil:
		k.closeWith(closeUnidentified)
		return
	case json.Unmarshal(d, &request) != nil, (request.Query == nil) == (request.Users == nil):
		k.closeWith(closeDecode)
		return
	}
	of := g.world.guilds[request.Guild.id]
	if of == nil || of.member(n.bot.id) == nil || shardOf(of.id, n.shard[1]) != n.shard[0] {
		return
	}
	if len(request.Nonce) > longestNonce {
		request.Nonce = ""
	}
	request.events, request.session, request.of = g.events, n, of
	if request.Users != nil {
		request.byID()
		return
	}
	request.byName(g.world.clock())
}

// byName sends the members whose names begin with the query, or all of them.
func (r *memberRequest) byName(now time.Time) {
	query := strings.ToLower(*r.Query)
	all := query == "" && r.Limit == 0
	if all && (r.session.intents&IntentGuildMembers == 0 || !r.mayHaveAll(now)) {
		return
	}
	begins := func(name string) bool { return strings.HasPrefix(strings.ToLower(name), query) }
	var found []*member
	for _, m := range r.of.members {
		if (all || len(found) < min(r.Limit, mostRequested)) && (begins(m.user.name) || begins(m.nick)) {
			found = append(found, m)
		}
	}
	r.send(found, nil)
}

// mayHaveAll reports whether a session may request all members of a guild now. It sends
// RATE_LIMITED otherwise.
func (r *memberRequest) mayHaveAll(now time.Time) bool {
	if wait := wholeEvery - now.Sub(r.session.whole[r.of.id]); wait > 0 {
		meta := object{"guild_id": r.of.id}
		if r.Nonce != "" {
			meta["nonce"] = r.Nonce
		}
		r.events.send(r.session, "RATE_LIMITED", object{"opcode": opMembers, "retry_after": wait.Seconds(), "meta": meta})
		return false
	}
	if r.session.whole == nil {
		r.session.whole = map[graph.GuildID]time.Time{}
	}
	r.session.whole[r.of.id] = now
	return true
}

// byID sends the members among the first 100 users of a request, and the ids of the others.
func (r *memberRequest) byID() {
	var ids []incoming[graph.UserID]
	var one incoming[graph.UserID]
	if json.Unmarshal(r.Users, &ids) != nil && json.Unmarshal(r.Users, &one) == nil {
		ids = append(ids, one)
	}
	var found []*member
	var missing []graph.UserID
	for _, id := range ids[:min(len(ids), mostRequested)] {
		if m := r.of.member(id.id); m != nil {
			found = append(found, m)
		} else {
			missing = append(missing, id.id)
		}
	}
	r.send(found, missing)
}

// send sends members, at least one event.
func (r *memberRequest) send(found []*member, missing []graph.UserID) {
	chunks := slices.Collect(slices.Chunk(found, mostInChunk))
	if len(chunks) == 0 {
		chunks = [][]*member{nil}
	}
	for i, chunk := range chunks {
		members := []object{}
		for _, m := range chunk {
			members = append(members, wireMemberOf(m))
		}
		body := object{"guild_id": r.of.id, "members": members, "chunk_index": i, "chunk_count": len(chunks)}
		if len(missing) > 0 && i == 0 {
			body["not_found"] = missing
		}
		if r.Nonce != "" {
			body["nonce"] = r.Nonce
		}
		r.events.send(r.session, "GUILD_MEMBERS_CHUNK", body)
	}
}
