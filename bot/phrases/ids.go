package phrases

// ID names a phrase in the files of all languages.
type ID string

// What people read in place of an answer, or below an answer that broke off.
// FileRefused and the IDs that begin with Over have placeholders: see Refusal and
// Until.
const (
	Unreachable    ID = "unreachable"
	ModelBusy      ID = "model_busy"
	ModelFailed    ID = "model_failed"
	ModelUnclear   ID = "model_unclear"
	ModelStopped   ID = "model_stopped"
	ModelMisset    ID = "model_misset"
	ModelQuota     ID = "model_quota"
	TooLong        ID = "too_long"
	Refused        ID = "refused"
	Empty          ID = "empty"
	Shutdown       ID = "shutdown"
	NoHistory      ID = "no_history"
	DiscordTrouble ID = "discord_trouble"
	ToolsEndless   ID = "tools_endless"
	ToolFailed     ID = "tool_failed"
	FileTooLarge   ID = "file_too_large"
	FileForbidden  ID = "file_forbidden"
	FileRefused    ID = "file_refused"
	Internal       ID = "internal"
	OverAnswer     ID = "over_answer" // the answer would cost more than one answer may
	OverPerson     ID = "over_person"
	OverChannel    ID = "over_channel"
	OverGuild      ID = "over_guild"
	OverAll        ID = "over_all"
)

// What a person reads if the button that they pressed has no effect.
const (
	AnswersGone    ID = "answers_gone"
	AnswerLate     ID = "answer_late"
	ButtonUnknown  ID = "button_unknown"
	AnswerChanging ID = "answer_changing"
	AnswerChanged  ID = "answer_changed" // the message shows another answer than when the button was pressed
	NoMemory       ID = "no_memory"
	QuestionGone   ID = "question_gone"
	NotShown       ID = "not_shown"
)

// What a person reads in the menu of an answer, and after a choice from it.
// ThreadStarted has the placeholder Thread.
const (
	Menu          ID = "menu"
	AnswerDeleted ID = "answer_deleted"
	DeleteDenied  ID = "delete_denied"
	ThreadStarted ID = "thread_started"
	ThreadDenied  ID = "thread_denied"
	AnswerFile    ID = "answer_file"
)

// What people read about stopping an answer.
const (
	NoticeStopped ID = "notice_stopped"
	StopDenied    ID = "stop_denied"
	StopLate      ID = "stop_late"
)

// What people read about opting out and in.
const (
	NotRead         ID = "not_read" // answers the mention of somebody who opted out
	OptedOut        ID = "opted_out"
	OptedIn         ID = "opted_in"
	Forgotten       ID = "forgotten"
	NotPermitted    ID = "not_permitted" // for whoever the operator does not let ask
	WishFailed      ID = "wish_failed"
	QuestionNotRead ID = "question_not_read" // for another answer to the question of somebody who opted out
)

// The labels of buttons.
const (
	LabelWhy      ID = "label_why"
	LabelThread   ID = "label_thread"
	LabelToThread ID = "label_to_thread" // to one that is there
	LabelFile     ID = "label_file"
	LabelStop     ID = "label_stop"
	LabelDelete   ID = "label_delete"
)

// The labels of buttons that are the same in all languages.
const (
	LabelBack  = "◀"
	LabelAgain = "↻"
	LabelMore  = "⋯"
	LabelOn    = "▶"
)

// askContact adds to a sentence about trouble whom the reader can ask.
const askContact ID = "ask_contact"

// The lines below an answer.
const (
	NoticeCut          ID = "notice_cut"
	NoticeTruncated    ID = "notice_truncated"
	NoticeHidden       ID = "notice_hidden"
	NoticeForeign      ID = "notice_foreign" // where heddle is no member
	NoticeAlone        ID = "notice_alone"
	NoticeUnseen       ID = "notice_unseen"
	NoticeLeftOut      ID = "notice_left_out"
	NoticeSummary      ID = "notice_summary"
	NoticeOutside      ID = "notice_outside" // names the tools of servers that were called
	noticeNoHistory    ID = "notice_no_history"
	noticeReused       ID = "notice_reused"
	noticeFiles        ID = "notice_files"
	noticeFilesEarlier ID = "notice_files_earlier"
)

// AgainWords are the words that ask for another answer, separated by commas.
const AgainWords ID = "again_words"

// The words by which people ask to opt out, to opt in or to be forgotten, and the words
// that may precede or follow them. They are separated by commas.
const (
	OptInWords    ID = "opt_in_words"
	OptOutWords   ID = "opt_out_words"
	ForgetMeWords ID = "forget_me_words"
	PleaseWords   ID = "please_words"
)

// What people see while a tool runs.
const (
	doingArtifact ID = "doing_artifact"
	doingSearch   ID = "doing_search"
	doingSubagent ID = "doing_subagent"
	doingWaiting  ID = "doing_waiting"
	doingOther    ID = "doing_other" // has the placeholder Tool
	// DoingRestart stands below an answer that goes on once heddle runs again.
	DoingRestart ID = "doing_restart"
)

// The phrases of commands. Those that describe a command begin with "command_".
const (
	CommandUnknown   ID = "command_unknown"
	CommandFailed    ID = "command_failed"
	AdminsOnly       ID = "admins_only"
	Foreign          ID = "foreign" // for a command that needs heddle to be a member
	OperatorsOnly    ID = "operators_only"
	Help             ID = "help"
	Privacy          ID = "privacy"
	PrivacyContact   ID = "privacy_contact"
	PrivacyServers   ID = "privacy_servers"
	PrivacyFallbacks ID = "privacy_fallbacks"
	PrivacyModel     ID = "privacy_model"
	PrivacyReader    ID = "privacy_reader" // left out if nobody reads
)

// The settings that admins can override, and what admins read about that.
const (
	LabelApply        ID = "label_apply"
	OverridesOff      ID = "overrides_off"
	OverrideMost      ID = "override_most"
	OverrideNewest    ID = "override_newest"
	OverridePause     ID = "override_pause"
	ContextNow        ID = "context_now"
	ContextWould      ID = "context_would"
	ContextApplied    ID = "context_applied"
	ContextThresholds ID = "context_thresholds"
	ContextAuto       ID = "context_auto"
	ContextHow        ID = "context_how"
	ContextFixed      ID = "context_fixed"
	ContextNoQuestion ID = "context_no_question"
	ContextCounts     ID = "context_counts"
	ContextSame       ID = "context_same"
	ContextMore       ID = "context_more"
	ModelNow          ID = "model_now"
	ModelChosen       ID = "model_chosen"
	ModelUnknown      ID = "model_unknown"
	PersonaNow        ID = "persona_now"
	PersonaNone       ID = "persona_none"
	PersonaLong       ID = "persona_long"
	PersonaDirect     ID = "persona_direct"
)

// What people read about questions asked by a command, about usage and limits, and
// about heddle's state.
const (
	Paused           ID = "paused"
	OptionPauseWhere ID = "option_pause_where"
	OptionFurther    ID = "option_further" // channel
	PausedHere       ID = "paused_here"
	PausedAll        ID = "paused_all"
	Resumed          ID = "resumed"
	StillPaused      ID = "still_paused"
	AskNothing       ID = "ask_nothing"
	LabelAskOn       ID = "label_ask_on"
	FormAskOn        ID = "form_ask_on"
	ConversationGone ID = "conversation_gone" // for whoever asks on
	UsageMine        ID = "usage_mine"
	UsageServer      ID = "usage_server"
	UsageAll         ID = "usage_all"
	UsageToday       ID = "usage_today"
	UsageMonth       ID = "usage_month"
	UsageTokens      ID = "usage_tokens"
	UsageUnreported  ID = "usage_unreported"
	UsageCost        ID = "usage_cost"
	LimitsNone       ID = "limits_none"
	LimitsHead       ID = "limits_head"
	LimitHour        ID = "limit_hour"
	LimitDay         ID = "limit_day"
	LimitYou         ID = "limit_you"
	LimitChannel     ID = "limit_channel"
	LimitServer      ID = "limit_server"
	LimitAll         ID = "limit_all"
	UnitAnswers      ID = "unit_answers"
	UnitTokens       ID = "unit_tokens"
	Status           ID = "status"
	StatusStored     ID = "status_stored"
	StatusNotStored  ID = "status_not_stored"
	StatusAnswers    ID = "status_answers"
	StatusPaused     ID = "status_paused"
)

// What people read when heddle joins their server.
const (
	Welcome        ID = "welcome"
	WelcomeMissing ID = "welcome_missing"
)

// What people read if heddle lacks permissions. What permissions are called in Discord's
// clients, and what heddle needs them for, begins with "permission_" and "need_".
const (
	LacksToAnswer   ID = "lacks_to_answer"
	permissionComma ID = "permission_comma"
)

// What admins read about what keeps heddle from answering in a channel. CheckLacks has the
// placeholders Missing and Needs, CheckGrant Where and Link, CheckModel Model, and
// CheckServers Names.
const (
	CheckFine     ID = "check_fine"
	CheckFound    ID = "check_found"
	CheckLacks    ID = "check_lacks"
	CheckGrant    ID = "check_grant"
	CheckUnserved ID = "check_unserved"
	CheckModel    ID = "check_model"
	CheckServers  ID = "check_servers"
)

// What is said of a model that can be chosen. ModelPriced has the placeholders Model, In and
// Out, ModelDefault has What.
const (
	ModelPriced  ID = "model_priced"
	ModelDefault ID = "model_default"
)

// Durations and times ago, for Language.Count.
const (
	Days       ID = "days"
	Hours      ID = "hours"
	Minutes    ID = "minutes"
	Seconds    ID = "seconds"
	agoNow     ID = "ago_now"
	agoMinutes ID = "ago_minutes"
	agoHours   ID = "ago_hours"
	agoDays    ID = "ago_days"
)

// The phrases of an explanation, which tells why each message belongs to the context of
// an answer.
const (
	WhyUnknown      ID = "why_unknown"
	CommandWhy      ID = "command_why"
	WhyAnswer       ID = "why_answer"
	WhyPreview      ID = "why_preview"
	WhyConversation ID = "why_conversation"
	WhyBackground   ID = "why_background"
	WhyRecalled     ID = "why_recalled"
	WhyAlone        ID = "why_alone"
	WhyForeign      ID = "why_foreign" // where heddle is no member
	WhyBelongs      ID = "why_belongs"
	WhySurely       ID = "why_surely"
	WhyLikely       ID = "why_likely"
	WhyPerhaps      ID = "why_perhaps"
	WhyQuestion     ID = "why_question"
	WhyOther        ID = "why_other"
	WhyNeeded       ID = "why_needed"
	WhyRead         ID = "why_read"
	WhyNewest       ID = "why_newest"
	WhyNeighbour    ID = "why_neighbour"
	WhyLineage      ID = "why_lineage"
	WhyShares       ID = "why_shares"
	WhyRepliedTo    ID = "why_replied_to"
	WhyReplies      ID = "why_replies"
	WhyStarter      ID = "why_starter"
	WhyForwarded    ID = "why_forwarded"
	WhyLinked       ID = "why_linked"
	WhyLinks        ID = "why_links"
	WhyAnswered     ID = "why_answered"
	WhyAnswers      ID = "why_answers"
	WhyContinued    ID = "why_continued"
	WhyContinues    ID = "why_continues"
	WhyWeak         ID = "why_weak"
	WhyUnseen       ID = "why_unseen"
	WhyFulfilled    ID = "why_fulfilled"
	WhyUncertain    ID = "why_uncertain"
	WhyOverBudget   ID = "why_over_budget"
	WhyStopped      ID = "why_stopped"
	WhyStopGap      ID = "why_stop_gap"
	WhyStopOther    ID = "why_stop_other"
	WhyStopBegin    ID = "why_stop_begin"
	WhyStopRoom     ID = "why_stop_room"
	WhyStopDenied   ID = "why_stop_denied"
	WhyModel        ID = "why_model"
	WhyReused       ID = "why_reused"
	WhySure         ID = "why_sure"
	WhyFairlySure   ID = "why_fairly_sure"
	WhyUnsure       ID = "why_unsure"
)

// What people read when they catch up on talks or search for them.
const (
	CatchUpHead      ID = "catchup_head"
	CatchUpMessages  ID = "catchup_messages"
	CatchUpOthers    ID = "catchup_others"
	CatchUpOpen      ID = "catchup_open"
	CatchUpForYou    ID = "catchup_for_you"
	CatchUpBetween   ID = "catchup_between"
	CatchUpCut       ID = "catchup_cut"
	CatchUpNothing   ID = "catchup_nothing"
	CatchUpNoTime    ID = "catchup_no_time"
	CatchUpToCome    ID = "catchup_to_come"
	CatchUpNoChannel ID = "catchup_no_channel"
	CatchUpLacks     ID = "catchup_lacks"
	CatchUpStale     ID = "catchup_stale"
	CatchUpMoved     ID = "catchup_moved"
	CatchUpNoThread  ID = "catchup_no_thread" // for whoever may start none
	CatchUpMayNot    ID = "catchup_may_not"   // where heddle may start none
	FindHead         ID = "find_head"
	FindNothing      ID = "find_nothing"

	LabelAsk      ID = "label_ask"
	LabelAskOwn   ID = "label_ask_own"
	FormAsk       ID = "form_ask"
	FormQuestion  ID = "form_question"
	LabelAllTalks ID = "label_all_talks"
)
