package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/apis/core"
)

// Printed form of the internal pod types in error messages, one struct per line: its name, and each field as
// `Printed=key:type`. The key is the field's path in a v1 object (`-` if v1 lacks it); it is omitted if it equals the
// printed name with a small first letter. `?` marks a field that is omitted when empty, `~` one omitted when zero.
// Types: s i b (string, integer, boolean), q t p (quantity, time, int or string), *x []x {}x, or the name of a struct.
// The question is ignored.
func init() {
	register("printed-types", func(json.RawMessage) (any, error) {
		printer := typePrinter{lines: map[string]bool{}}
		printer.typeOf(reflect.TypeFor[core.PodTemplateSpec](), reflect.TypeFor[v1.PodTemplateSpec]())
		return printer.found, nil
	})
}

type typePrinter struct {
	lines map[string]bool
	found []string
}

var printedScalars = map[reflect.Type]string{
	reflect.TypeFor[resource.Quantity]():  "q",
	reflect.TypeFor[metav1.Time]():        "t",
	reflect.TypeFor[metav1.FieldsV1]():    "j",
	reflect.TypeFor[intstr.IntOrString](): "p",
}

// Fields whose position in the internal types differs from v1.
var movedFields = map[string]string{
	"HostNetwork": "hostNetwork", "HostPID": "hostPID", "HostIPC": "hostIPC",
	"ShareProcessNamespace": "shareProcessNamespace", "HostUsers": "hostUsers",
}

func (p *typePrinter) typeOf(internal, versioned reflect.Type) string {
	if scalar, found := printedScalars[internal]; found {
		return scalar
	}
	elem := func() reflect.Type {
		if versioned == nil {
			return nil
		}
		return versioned.Elem()
	}
	switch internal.Kind() {
	case reflect.String:
		return "s"
	case reflect.Bool:
		return "b"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "i"
	case reflect.Pointer:
		return "*" + p.typeOf(internal.Elem(), elem())
	case reflect.Slice:
		return "[]" + p.typeOf(internal.Elem(), elem())
	case reflect.Map:
		return "{}" + p.typeOf(internal.Elem(), elem())
	case reflect.Struct:
		p.structOf(internal, versioned)
		return internal.Name()
	}
	panic(fmt.Sprintf("no form for %s", internal))
}

func (p *typePrinter) structOf(internal, versioned reflect.Type) {
	if p.lines[internal.Name()] {
		return
	}
	p.lines[internal.Name()] = true
	at := len(p.found)
	p.found = append(p.found, "")
	p.found[at] = internal.Name() + strings.Join(p.fieldsOf(internal, versioned, ""), "")
}

// prefix is the key of the struct that has these fields in v1, with a dot.
func (p *typePrinter) fieldsOf(internal, versioned reflect.Type, prefix string) []string {
	var lines []string
	for field := range fields(internal) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		counterpart, key := counterpartOf(field, versioned)
		if field.Anonymous && name == "" {
			if key != "" {
				key += "."
			}
			lines = append(lines, p.fieldsOf(field.Type, counterpart, key)...)
			continue
		}
		if name == "" {
			name = field.Name
		}
		flag := ""
		if strings.Contains(options, "omitzero") {
			flag = "~"
		} else if strings.Contains(options, "omitempty") {
			flag = "?"
		}
		key = prefix + key
		if key == strings.ToLower(name[:1])+name[1:] {
			key = ""
		} else {
			key = "=" + key
		}
		lines = append(lines, fmt.Sprintf(" %s%s%s:%s", flag, name, key, p.typeOf(field.Type, counterpart)))
	}
	return lines
}

func fields(of reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for index := range of.NumField() {
			if !yield(of.Field(index)) {
				return
			}
		}
	}
}

func counterpartOf(field reflect.StructField, versioned reflect.Type) (reflect.Type, string) {
	if versioned != nil {
		if found, ok := versioned.FieldByName(field.Name); ok {
			key, _, _ := strings.Cut(found.Tag.Get("json"), ",")
			return found.Type, key
		}
	}
	if key, moved := movedFields[field.Name]; moved {
		return nil, key
	}
	return nil, "-"
}
