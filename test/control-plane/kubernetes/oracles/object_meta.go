package main

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var nameRules = map[string]validation.ValidateNameFunc{
	"dnsSubdomain": validation.NameIsDNSSubdomain,
	"dnsLabel":     validation.NameIsDNSLabel,
	"dns1035Label": validation.NameIsDNS1035Label,
	"pathSegment": func(name string, prefix bool) []string {
		if prefix {
			return content.IsPathSegmentPrefix(name)
		}
		return content.IsPathSegmentName(name)
	},
}

// Errors of metadata on creation, or on an update if the question has old metadata.
func init() {
	register("object-meta", func(question json.RawMessage) (any, error) {
		var asked struct {
			Metadata   metav1.ObjectMeta
			Old        *metav1.ObjectMeta
			Namespaced bool
			Rule       string
		}
		if err := json.Unmarshal(question, &asked); err != nil {
			return nil, err
		}
		path := field.NewPath("metadata")
		if asked.Old != nil {
			return fieldErrors(validation.ValidateObjectMetaUpdate(&asked.Metadata, asked.Old, path)), nil
		}
		rule := nameRules[asked.Rule]
		return fieldErrors(validation.ValidateObjectMeta(&asked.Metadata, asked.Namespaced, rule, path)), nil
	})
}
