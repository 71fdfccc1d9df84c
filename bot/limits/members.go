package limits

import "heddle/bot/guilds"

// Members decides what people may read and how much they may ask.
type Members struct {
	*guilds.Permissions
	*Limits
}
