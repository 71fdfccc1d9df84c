package discord

// MessageType is Discord's type of a message.
type MessageType int64

// The types of messages that people or applications write. Messages of all other types
// are notices by Discord.
const (
	TypeDefault     MessageType = 0
	TypeReply       MessageType = 19
	TypeSlash       MessageType = 20 // answer to a slash command
	TypeStarter     MessageType = 21 // first message of a thread; points at the starter
	TypeContextMenu MessageType = 23 // answer to a context menu command
)

// The types of notices that callers distinguish.
const (
	TypeRecipientAdd    MessageType = 1
	TypeRecipientRemove MessageType = 2
	TypeCall            MessageType = 3
	TypeChannelName     MessageType = 4
	TypeChannelIcon     MessageType = 5
	TypePin             MessageType = 6
	TypeJoin            MessageType = 7
	TypeBoost           MessageType = 8
	TypeThreadCreated   MessageType = 18
	TypePollResult      MessageType = 46
)

// Conversational reports whether people or applications write messages of this type.
func (t MessageType) Conversational() bool {
	return t == TypeDefault || t == TypeReply || t == TypeSlash || t == TypeStarter || t == TypeContextMenu
}

// The flags of a message that callers read.
const (
	FlagSuppressEmbeds uint64 = 1 << 2
	FlagEphemeral      uint64 = 1 << 6
	FlagLoading        uint64 = 1 << 7
	FlagVoiceMessage   uint64 = 1 << 13
)

// The component types that hold text, media or other components.
const (
	ComponentButton      = 2
	ComponentTextDisplay = 10
	ComponentThumbnail   = 11
	ComponentFile        = 13
)
