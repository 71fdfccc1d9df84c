package discord

import (
	"cmp"
	"regexp"
	"strings"
)

// DefaultBaseURL is Discord's own REST base.
const DefaultBaseURL = "https://discord.com/api"

// apiVersion is the version of the API if the base URL names none. The gateway has the same.
const apiVersion = "v10"

var (
	versionSegment = regexp.MustCompile(`/v[0-9]+$`)
	snowflake      = regexp.MustCompile(`^[0-9]{6,20}$`)
)

// baseOf completes a base URL, which may have any path, with or without /api and /vN.
func baseOf(address string) string {
	base := strings.TrimRight(cmp.Or(address, DefaultBaseURL), "/")
	if versionSegment.MatchString(base) {
		return base
	}
	return strings.TrimSuffix(base, "/api") + "/api/" + apiVersion
}

// route returns the shape of a path, which contains neither ids nor secrets, and its
// major id. Together they determine the rate limit.
func route(path string) (shape, major string) {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for i, segment := range segments {
		before := ""
		if i > 0 {
			before = segments[i-1]
		}
		switch {
		case i == 1 && (segments[0] == "channels" || segments[0] == "guilds" || segments[0] == "webhooks"):
			major = segment
			segments[i] = "{id}"
		case i == 2 && segments[0] == "webhooks":
			major += "/" + segment
			segments[i] = "{token}"
		case i == 2 && segments[0] == "interactions":
			segments[i] = "{token}"
		case before == "reactions":
			segments[i] = "{emoji}"
		case snowflake.MatchString(segment):
			segments[i] = "{id}"
		}
	}
	return "/" + strings.Join(segments, "/"), major
}

// globallyLimited reports whether a route counts towards the global limit.
func globallyLimited(shape string) bool {
	return !strings.HasPrefix(shape, "/interactions/") && !strings.HasPrefix(shape, "/webhooks/")
}
