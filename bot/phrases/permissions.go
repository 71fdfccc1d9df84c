package phrases

import (
	"strings"

	"heddle/internal/discord"
)

// NoticeNoHistory says that heddle cannot read what was said before, as it lacks permissions.
func (l Language) NoticeNoHistory(missing discord.Permissions) string {
	return l.Text(noticeNoHistory, Values{"Missing": l.Permissions(missing)})
}

// Permissions names permissions among those that heddle needs, as Discord's clients call
// them in a language.
func (l Language) Permissions(p discord.Permissions) string {
	var names []string
	for _, needed := range []struct {
		permission discord.Permissions
		name       ID
	}{
		{discord.PermissionViewChannel, permissionView},
		{discord.PermissionConnect, permissionConnect},
		{discord.PermissionSendMessages, permissionSend},
		{discord.PermissionSendInThreads, permissionSendInThreads},
		{discord.PermissionReadHistory, permissionHistory},
		{discord.PermissionAttachFiles, permissionAttach},
		{discord.PermissionCreateThreads, permissionThreads},
	} {
		if p.Has(needed.permission) {
			names = append(names, l.Text(needed.name, nil))
		}
	}
	return strings.Join(names, l.Text(permissionComma, nil))
}
