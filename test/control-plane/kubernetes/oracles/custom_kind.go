package main

import (
	"context"
	"encoding/json"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
)

// Result of a write by the strategy of a custom kind's first version, and its table cells. Objects are decoded first.
func init() {
	register("custom-kind", func(question json.RawMessage) (any, error) {
		var asked struct {
			Version     apiextensionsv1.CustomResourceDefinitionVersion
			Object, Old json.RawMessage
			Status      bool
		}
		if err := json.Unmarshal(question, &asked); err != nil {
			return nil, err
		}
		kind, err := structuralKindOf(asked.Version.Schema.OpenAPIV3Schema)
		if err != nil {
			return nil, err
		}
		object, _, err := kind.read(asked.Object)
		if err != nil {
			return map[string]any{"unreadable": err.Error()}, nil
		}
		created := &unstructured.Unstructured{Object: object}
		strategy, statusStrategy, err := kind.strategies(&asked.Version)
		if err != nil {
			return nil, err
		}
		var errors field.ErrorList
		var warnings []string
		ctx := context.Background()
		if asked.Old == nil {
			strategy.PrepareForCreate(ctx, created)
			errors, warnings = strategy.Validate(ctx, created), strategy.WarningsOnCreate(ctx, created)
		} else {
			old, _, err := kind.read(asked.Old)
			if err != nil {
				return map[string]any{"unreadable": "old: " + err.Error()}, nil
			}
			before := &unstructured.Unstructured{Object: old}
			steps := strategy
			if asked.Status {
				steps = statusStrategy
			}
			steps.PrepareForUpdate(ctx, created, before)
			errors, warnings = steps.ValidateUpdate(ctx, created, before), steps.WarningsOnUpdate(ctx, created, before)
		}
		answer := map[string]any{"object": created.Object, "errors": fieldErrors(errors), "warnings": warnings}
		if convertor, _ := tableconvertor.New(asked.Version.AdditionalPrinterColumns); convertor != nil {
			table, err := convertor.ConvertToTable(ctx, created, &metav1.TableOptions{})
			if err != nil {
				return nil, err
			}
			answer["cells"], answer["columns"] = table.Rows[0].Cells, table.ColumnDefinitions
		}
		return answer, nil
	})
}

type customStrategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

func (k *structuralKind) strategies(version *apiextensionsv1.CustomResourceDefinitionVersion) (customStrategy, customStrategy, error) {
	validator, _, err := validation.NewSchemaValidator(k.props)
	if err != nil {
		return nil, nil, err
	}
	var statusValidator validation.SchemaValidator
	if status, ok := k.props.Properties["status"]; ok {
		if statusValidator, _, err = validation.NewSchemaValidator(&status); err != nil {
			return nil, nil, err
		}
	}
	var status *apiextensions.CustomResourceSubresourceStatus
	var scale *apiextensions.CustomResourceSubresourceScale
	if subresources := version.Subresources; subresources != nil {
		if subresources.Status != nil {
			status = &apiextensions.CustomResourceSubresourceStatus{}
		}
		if subresources.Scale != nil {
			scale = &apiextensions.CustomResourceSubresourceScale{}
			if err := apiextensionsv1.Convert_v1_CustomResourceSubresourceScale_To_apiextensions_CustomResourceSubresourceScale(subresources.Scale, scale, nil); err != nil {
				return nil, nil, err
			}
		}
	}
	strategy := customresource.NewStrategy(crdserverscheme.NewUnstructuredObjectTyper(), false, schema.GroupVersionKind{Group: "g.io", Version: "v1", Kind: "K"},
		validator, statusValidator, k.structural, status, scale, version.SelectableFields)
	return strategy, customresource.NewStatusStrategy(strategy), nil
}
