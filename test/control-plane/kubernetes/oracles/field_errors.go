package main

import "k8s.io/apimachinery/pkg/util/validation/field"

// A fieldError is one error as in the causes of a Status.
type fieldError struct {
	Type  string `json:"type"`
	Field string `json:"field"`
	Text  string `json:"text"`
}

func fieldErrors(errors field.ErrorList) []fieldError {
	shown := make([]fieldError, 0, len(errors))
	for _, err := range errors {
		shown = append(shown, fieldError{Type: string(err.Type), Field: err.Field, Text: err.ErrorBody()})
	}
	return shown
}
