package fetch

import (
	"regexp"
	"slices"
	"strings"

	"heddle/graph"
	"heddle/internal/discord"
)

// mostLinks is how many links to messages are followed from one message. Each may cost
// a read.
const mostLinks = 5

// messageLink is a link to a message, as Discord's "Copy Message Link" makes it.
var messageLink = regexp.MustCompile(`(?i)\bhttps?://(?:(?:ptb|canary)\.)?discord(?:app)?\.com/channels/(?:@me|[0-9]{1,20})/([0-9]{1,20})/([0-9]{1,20})\b`)

// linksOf returns the messages that a message of somebody else than heddle links to, each
// once and in the order of the text, mostLinks at most. Links in code count as little as
// mentions there, and what is in known needs no link.
func linksOf(m *discord.Message, origin graph.Origin, known []graph.Reference) []graph.Reference {
	if origin == graph.OriginSelf || !strings.Contains(m.Content, "/channels/") {
		return nil
	}
	var links []graph.Reference
	for _, found := range messageLink.FindAllStringSubmatch(discord.Prose(m.Content), -1) {
		link := graph.Reference{Kind: graph.ReferenceLink}
		if link.Channel.UnmarshalText([]byte(found[1])) != nil || link.Message.UnmarshalText([]byte(found[2])) != nil {
			continue
		}
		same := func(r graph.Reference) bool { return r.Message == link.Message }
		if link.Channel == 0 || link.Message == 0 || link.Message == m.ID || slices.ContainsFunc(known, same) || slices.ContainsFunc(links, same) {
			continue
		}
		if links = append(links, link); len(links) == mostLinks {
			break
		}
	}
	return links
}
