package limits

import "heddle/bot/guilds"

// Members knows what people may read, and what they may use.
type Members struct {
	*guilds.Permissions
	*Limits
}
