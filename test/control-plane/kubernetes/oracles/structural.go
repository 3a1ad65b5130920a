package main

import (
	"encoding/json"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
)

// Processing of a custom object by its schema, as in the custom resource handler: decoding, then validation of the
// whole object and of its status alone; with an old object, as an update.
func init() {
	register("structural", func(question json.RawMessage) (any, error) {
		var asked struct {
			Schema      *apiextensionsv1.JSONSchemaProps
			Object, Old json.RawMessage
		}
		if err := json.Unmarshal(question, &asked); err != nil {
			return nil, err
		}
		kind, err := structuralKindOf(asked.Schema)
		if err != nil {
			return nil, err
		}
		object, unknown, err := kind.read(asked.Object)
		if err != nil {
			return map[string]any{"unreadable": err.Error()}, nil
		}
		answer := map[string]any{"object": object, "unknown": unknown}
		validator, _, err := validation.NewSchemaValidator(kind.props)
		if err != nil {
			return nil, err
		}
		var errors field.ErrorList
		if asked.Old == nil {
			errors = validation.ValidateCustomResource(nil, object, validator)
		} else {
			old, _, err := kind.read(asked.Old)
			if err != nil {
				return map[string]any{"unreadable": "old: " + err.Error()}, nil
			}
			correlated := common.NewCorrelatedObject(object, old, &model.Structural{Structural: kind.structural})
			errors = validation.ValidateCustomResourceUpdate(nil, object, old, validator, validation.WithRatcheting(correlated))
			if status, ok := kind.props.Properties["status"]; ok && object["status"] != nil {
				statusValidator, _, err := validation.NewSchemaValidator(&status)
				if err != nil {
					return nil, err
				}
				answer["status"] = fieldErrors(validation.ValidateCustomResourceUpdate(field.NewPath("status"), object["status"],
					old["status"], statusValidator, validation.WithRatcheting(correlated.Key("status"))))
			}
		}
		errors = append(errors, objectmeta.Validate(nil, object, kind.structural, false)...)
		errors = append(errors, listtype.ValidateListSetsAndMaps(nil, kind.structural, object)...)
		answer["errors"] = fieldErrors(errors)
		return answer, nil
	})
}

type structuralKind struct {
	props      *apiextensions.JSONSchemaProps
	structural *structuralschema.Structural
}

func structuralKindOf(schema *apiextensionsv1.JSONSchemaProps) (*structuralKind, error) {
	props := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(schema, props, nil); err != nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(props)
	if err != nil {
		return nil, err
	}
	structural = structural.DeepCopy()
	return &structuralKind{props: props, structural: structural}, defaulting.PruneDefaults(structural)
}

func (k *structuralKind) read(text json.RawMessage) (object map[string]any, unknown []string, err error) {
	if err := utiljson.Unmarshal(text, &object); err != nil {
		return nil, nil, err
	}
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, nil, err
	}
	options := structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	unknown = append(unknown, pruning.PruneWithOptions(object, k.structural, true, options)...)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, k.structural)
	coerceError, paths := objectmeta.CoerceWithOptions(nil, object, k.structural, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if coerceError != nil {
		return nil, nil, coerceError
	}
	unknown = append(unknown, paths...)
	if found {
		if err := objectmeta.SetObjectMeta(object, meta); err != nil {
			return nil, nil, err
		}
	}
	defaulting.Default(object, k.structural)
	return object, unknown, nil
}
