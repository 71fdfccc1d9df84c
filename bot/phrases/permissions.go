package phrases

import (
	"strings"

	"heddle/internal/discord"
)

// NoticeNoHistory returns the notice that heddle cannot read earlier messages because
// it lacks permissions.
func (l Language) NoticeNoHistory(missing discord.Permissions) string {
	return l.Text(noticeNoHistory, Values{"Missing": l.Permissions(missing)})
}

// Permissions lists permissions by the names that Discord's clients give them in the
// language. Permissions that heddle never needs are left out.
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
