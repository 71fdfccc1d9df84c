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
	if request.Users != nil {
		g.sendUsers(n, of, &request)
		return
	}
	query := strings.ToLower(*request.Query)
	all := query == "" && request.Limit == 0
	if all && (n.intents&IntentGuildMembers == 0 || !g.mayRequestAll(n, of, request.Nonce)) {
		return
	}
	var found []*member
	for _, m := range of.members {
		if (all || len(found) < min(request.Limit, mostRequested)) && (strings.HasPrefix(strings.ToLower(m.user.name), query) || strings.HasPrefix(strings.ToLower(m.nick), query)) {
			found = append(found, m)
		}
	}
	g.sendChunks(n, of, found, nil, request.Nonce)
}

// mayRequestAll reports whether a session may request all members of a guild. It sends RATE_LIMITED
// otherwise.
func (g *Gateway) mayRequestAll(n *session, of *guild, nonce string) bool {
	now := g.world.clock()
	if wait := wholeEvery - now.Sub(n.whole[of.id]); wait > 0 {
		meta := object{"guild_id": of.id}
		if nonce != "" {
			meta["nonce"] = nonce
		}
		g.events.send(n, "RATE_LIMITED", object{"opcode": opMembers, "retry_after": wait.Seconds(), "meta": meta})
		return false
	}
	if n.whole == nil {
		n.whole = map[graph.GuildID]time.Time{}
	}
	n.whole[of.id] = now
	return true
}

// sendUsers sends the members among the first 100 users of a request, and the ids of the others.
func (g *Gateway) sendUsers(n *session, of *guild, request *memberRequest) {
	var ids []incoming[graph.UserID]
	var one incoming[graph.UserID]
	if json.Unmarshal(request.Users, &ids) != nil && json.Unmarshal(request.Users, &one) == nil {
		ids = append(ids, one)
	}
	var found []*member
	var missing []graph.UserID
	for _, id := range ids[:min(len(ids), mostRequested)] {
		if m := of.member(id.id); m != nil {
			found = append(found, m)
		} else {
			missing = append(missing, id.id)
		}
	}
	g.sendChunks(n, of, found, missing, request.Nonce)
}

// sendChunks sends members, at least one event.
func (g *Gateway) sendChunks(n *session, of *guild, found []*member, missing []graph.UserID, nonce string) {
	chunks := slices.Collect(slices.Chunk(found, mostInChunk))
	if len(chunks) == 0 {
		chunks = [][]*member{nil}
	}
	for i, chunk := range chunks {
		members := []object{}
		for _, m := range chunk {
			members = append(members, wireMemberOf(m))
		}
		body := object{"guild_id": of.id, "members": members, "chunk_index": i, "chunk_count": len(chunks)}
		if len(missing) > 0 && i == 0 {
			body["not_found"] = missing
		}
		if nonce != "" {
			body["nonce"] = nonce
		}
		g.events.send(n, "GUILD_MEMBERS_CHUNK", body)
	}
}
