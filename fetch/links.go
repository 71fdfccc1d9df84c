package fetch

import (
	"regexp"
	"slices"
	"strings"

	"heddle/graph"
	"heddle/internal/discord"
)

// mostLinks bounds the links to messages that are followed from one message, as each
// may cost a read.
const mostLinks = 5

// messageLink is a link to a message, as Discord's "Copy Message Link" makes it.
var messageLink = regexp.MustCompile(`(?i)\bhttps?://(?:(?:ptb|canary)\.)?discord(?:app)?\.com/channels/(?:@me|[0-9]{1,20})/([0-9]{1,20})/([0-9]{1,20})\b`)

// linksOf returns the messages that a message links to, each once, in the order of the
// text, mostLinks at most. It ignores links in code, links of heddle's own messages,
// and links to messages in known.
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
