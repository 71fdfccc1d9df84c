package discordtest

import (
	"fmt"
	"maps"
	"net/http"
)

// apiError is an error that Discord's REST API answers with.
type apiError struct {
	status  int
	code    int
	message string
	// fields holds the nested "errors" object of a 50035.
	fields object
	// more holds other fields of the body.
	more object
}

func (e *apiError) Error() string { return fmt.Sprintf("%d: %s", e.code, e.message) }

func (e *apiError) body() []byte {
	wire := object{"message": e.message, "code": e.code}
	maps.Copy(wire, e.more)
	if len(e.fields) > 0 {
		wire["errors"] = e.fields
	}
	return mustJSON(wire)
}

func errUnknown(code int, what string) *apiError {
	return &apiError{status: http.StatusNotFound, code: code, message: "Unknown " + what}
}

func errUnknownChannel() *apiError { return errUnknown(10003, "Channel") }
func errUnknownGuild() *apiError   { return errUnknown(10004, "Guild") }
func errUnknownMember() *apiError  { return errUnknown(10007, "Member") }
func errUnknownMessage() *apiError { return errUnknown(10008, "Message") }
func errUnknownUser() *apiError    { return errUnknown(10013, "User") }

func errUnknownWebhook() *apiError     { return errUnknown(10015, "Webhook") }
func errUnknownInteraction() *apiError { return errUnknown(10062, "interaction") }

func errForbidden(code int, message string) *apiError {
	return &apiError{status: http.StatusForbidden, code: code, message: message}
}

func errMissingAccess() *apiError      { return errForbidden(50001, "Missing Access") }
func errMissingPermissions() *apiError { return errForbidden(50013, "Missing Permissions") }

func errBadRequest(code int, message string) *apiError {
	return &apiError{status: http.StatusBadRequest, code: code, message: message}
}

func errBadJSON() *apiError {
	return errBadRequest(50109, "The request body contains invalid JSON.")
}

// errForm returns a 50035 about one field.
func errForm(field, code, message string) *apiError {
	detail := map[string]string{"code": code, "message": message}
	fields := object{field: object{"_errors": []any{detail}}}
	return &apiError{status: http.StatusBadRequest, code: 50035, message: "Invalid Form Body", fields: fields}
}
