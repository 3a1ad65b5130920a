package main

import (
	"context"
	"encoding/json"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/warning"
)

// The rules of one schema: their faults, and their results for some objects. A pair of objects is the new and the old
// one; without an old one it is a creation. `cost` is the part of the budget that the evaluation used.
type celQuestion struct {
	Schema json.RawMessage      `json:"schema"`
	Pairs  [][]*json.RawMessage `json:"pairs"`
}

type celFault struct {
	Type  string `json:"type"`
	Field string `json:"field"`
	Text  string `json:"text"`
}

type celVerdict struct {
	Errors   []celFault `json:"errors"`
	Warnings []string   `json:"warnings"`
	Cost     int64      `json:"cost"`
	Panic    string     `json:"panic,omitempty"`
}

type celAnswer struct {
	Schema   []celFault   `json:"schema"`
	Verdicts []celVerdict `json:"verdicts"`
}

type celWarnings struct{ texts []string }

func (w *celWarnings) AddWarning(_, text string) { w.texts = append(w.texts, text) }

func init() {
	scheme := runtime.NewScheme()
	if err := apiextensions.AddToScheme(scheme); err != nil {
		panic(err)
	}
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		panic(err)
	}
	register("cel", func(question json.RawMessage) (any, error) {
		var asked celQuestion
		if err := utiljson.Unmarshal(question, &asked); err != nil {
			return nil, err
		}
		var published apiextensionsv1.JSONSchemaProps
		if err := json.Unmarshal(asked.Schema, &published); err != nil {
			return nil, err
		}
		definition, err := celDefinition(scheme, &published)
		if err != nil {
			return nil, err
		}
		answer := celAnswer{
			Schema:   celFaults(validation.ValidateCustomResourceDefinition(context.Background(), definition)),
			Verdicts: []celVerdict{},
		}
		structural, err := structuralschema.NewStructural(definition.Spec.Validation.OpenAPIV3Schema)
		if err != nil {
			return nil, err
		}
		validator := schemacel.NewValidator(structural, true, celconfig.PerCallLimit)
		for _, pair := range asked.Pairs {
			verdict, err := celJudge(validator, structural, pair)
			if err != nil {
				return nil, err
			}
			answer.Verdicts = append(answer.Verdicts, verdict)
		}
		return answer, nil
	})
}

func celDefinition(scheme *runtime.Scheme, published *apiextensionsv1.JSONSchemaProps) (*apiextensions.CustomResourceDefinition, error) {
	stored := &apiextensionsv1.CustomResourceDefinition{}
	stored.Name = "things.example.com"
	stored.Spec.Group = "example.com"
	stored.Spec.Scope = apiextensionsv1.NamespaceScoped
	stored.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{
		Plural: "things", Singular: "thing", Kind: "Thing", ListKind: "ThingList",
	}
	stored.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{
		Name: "v1", Served: true, Storage: true,
		Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: published},
	}}
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&stored.Spec)
	stored.Status.StoredVersions = []string{"v1"}
	definition := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Convert(stored, definition, nil); err != nil {
		return nil, err
	}
	return definition, nil
}

func celJudge(validator *schemacel.Validator, structural *structuralschema.Structural, pair []*json.RawMessage) (verdict celVerdict, err error) {
	var object, old map[string]interface{}
	if err := utiljson.Unmarshal(*pair[0], &object); err != nil {
		return verdict, err
	}
	options := []schemacel.Option{}
	var before interface{}
	if len(pair) > 1 && pair[1] != nil {
		if err := utiljson.Unmarshal(*pair[1], &old); err != nil {
			return verdict, err
		}
		before = old
		options = append(options, schemacel.WithRatcheting(
			common.NewCorrelatedObject(object, old, &model.Structural{Structural: structural})))
	}
	defer func() {
		if reason := recover(); reason != nil {
			verdict.Panic = "panic"
		}
	}()
	warnings := &celWarnings{texts: []string{}}
	ctx := warning.WithWarningRecorder(context.Background(), warnings)
	errs, remaining := validator.Validate(ctx, nil, structural, object, before, celconfig.RuntimeCELCostBudget, options...)
	return celVerdict{Errors: celFaults(errs), Warnings: warnings.texts, Cost: celconfig.RuntimeCELCostBudget - remaining}, nil
}

func celFaults(errs field.ErrorList) []celFault {
	faults := make([]celFault, 0, len(errs))
	for _, err := range errs {
		faults = append(faults, celFault{string(err.Type), err.Field, err.ErrorBody()})
	}
	return faults
}
