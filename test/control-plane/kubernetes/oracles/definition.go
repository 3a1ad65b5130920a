package main

import (
	"context"
	"encoding/json"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/runtime"
)

// A definition with its defaults, and its errors on creation, or as an update of an old one.
func init() {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	register("definition", func(question json.RawMessage) (any, error) {
		var asked struct {
			Definition apiextensionsv1.CustomResourceDefinition
			Old        *apiextensionsv1.CustomResourceDefinition
		}
		if err := json.Unmarshal(question, &asked); err != nil {
			return nil, err
		}
		held := func(definition *apiextensionsv1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
			scheme.Default(definition)
			internal := &apiextensions.CustomResourceDefinition{}
			return internal, scheme.Convert(definition.DeepCopy(), internal, nil)
		}
		internal, err := held(&asked.Definition)
		if err != nil {
			return nil, err
		}
		errors := validation.ValidateCustomResourceDefinition
		ctx := context.Background()
		if asked.Old == nil {
			return map[string]any{"definition": asked.Definition, "errors": fieldErrors(errors(ctx, internal))}, nil
		}
		old, err := held(asked.Old)
		if err != nil {
			return nil, err
		}
		return map[string]any{"errors": fieldErrors(validation.ValidateCustomResourceDefinitionUpdate(ctx, internal, old))}, nil
	})
}
