package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	genericrest "k8s.io/apiserver/pkg/registry/generic/rest"
)

// Status of the API server when an upstream server rejects the request; null on success.
func init() {
	register("upstreamRefusal", func(question json.RawMessage) (any, error) {
		var asked struct {
			Status int
			Text   string
			Group  string
			Plural string
			Name   string
		}
		if err := json.Unmarshal(question, &asked); err != nil {
			return nil, err
		}
		of := schema.GroupResource{Group: asked.Group, Resource: asked.Plural}
		body := io.NopCloser(strings.NewReader(asked.Text))
		checker := genericrest.NewGenericHttpResponseChecker(of, asked.Name)
		err := checker.Check(&http.Response{StatusCode: asked.Status, Body: body})
		if err == nil {
			return nil, nil
		}
		return responsewriters.ErrorToAPIStatus(err), nil
	})
}
