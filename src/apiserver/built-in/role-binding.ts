// Kinds RoleBinding and ClusterRoleBinding. The roleRef is immutable.
// Sources: k8s.io/kubernetes/pkg/apis/rbac/{v1/defaults.go,validation},
// pkg/registry/rbac/{rolebinding,clusterrolebinding}.
import { deepEqual, type JsonObject } from '../../base/json.ts'
import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import { dnsSubdomainName, pathSegmentName } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import {
  eachItem,
  type FieldErrors,
  noErrors,
  structAt,
  structsAt,
  textAt,
  withEmbedded,
  withField,
  withItems,
} from './field-walk.ts'
import { changedMetadataErrors, type KindRules, newMetadataErrors, usualRules } from './kind-rules.ts'
import { showStruct, showText } from './shown-form.ts'

const group = 'rbac.authorization.k8s.io'

const roleRefForm = showStruct({
  APIGroup: ['apiGroup', showText],
  Kind: ['kind', showText],
  Name: ['name', showText],
})

export const roleBindingRules: KindRules = bindingRules(true)
export const clusterRoleBindingRules: KindRules = bindingRules(false)

function bindingRules(isNamespaced: boolean): KindRules {
  const errorsOf = (object: JsonObject): FieldErrors => [
    ...newMetadataErrors(object, pathSegmentName, isNamespaced),
    ...roleRefErrors(object, isNamespaced),
    ...eachItem(structsAt(object, 'subjects'), 'subjects', (subject, path) =>
      subjectErrors(subject, path, isNamespaced),
    ),
  ]
  return {
    ...usualRules,
    setDefaults: (object) => withItems(withEmbedded(object, 'roleRef', withGroup), 'subjects', subjectDefaults),
    validateCreate: errorsOf,
    validateUpdate: (object, old) => [
      ...errorsOf(object),
      ...changedMetadataErrors(object, old),
      ...roleRefChangeErrors(object, old),
    ],
    createsOnUpdate: true,
  }
}

function withGroup(reference: JsonObject): JsonObject {
  return textAt(reference, 'apiGroup') === '' ? withField(reference, 'apiGroup', group) : reference
}

function subjectDefaults(subject: JsonObject): JsonObject {
  const kind = textAt(subject, 'kind')
  return kind === 'User' || kind === 'Group' ? withGroup(subject) : subject
}

function roleRefErrors(object: JsonObject, isNamespaced: boolean): FieldErrors {
  const role = structAt(object, 'roleRef')
  const kinds = isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']
  const [apiGroup, kind, name] = [textAt(role, 'apiGroup'), textAt(role, 'kind'), textAt(role, 'name')]
  return [
    ...(apiGroup === group ? noErrors : [notSupported('roleRef.apiGroup', apiGroup, [group])]),
    ...(kinds.includes(kind) ? noErrors : [notSupported('roleRef.kind', kind, kinds)]),
    ...(name === '' ? [required('roleRef.name')] : invalids('roleRef.name', name, pathSegmentName(name, false))),
  ]
}

function roleRefChangeErrors(object: JsonObject, old: JsonObject): FieldErrors {
  const role = roleRefForm(structAt(object, 'roleRef'))
  return deepEqual(role, roleRefForm(structAt(old, 'roleRef')))
    ? noErrors
    : [invalid('roleRef', role, 'cannot change roleRef')]
}

function subjectErrors(subject: JsonObject, path: string, isNamespaced: boolean): FieldErrors {
  const name = textAt(subject, 'name')
  return [...(name === '' ? [required(`${path}.name`)] : noErrors), ...subjectKindErrors(subject, path, isNamespaced)]
}

function subjectKindErrors(subject: JsonObject, path: string, isNamespaced: boolean): FieldError[] {
  const [kind, name, apiGroup] = [textAt(subject, 'kind'), textAt(subject, 'name'), textAt(subject, 'apiGroup')]
  switch (kind) {
    case 'ServiceAccount':
      return [
        ...(name === '' ? [] : invalids(`${path}.name`, name, dnsSubdomainName(name, false))),
        ...(apiGroup === '' ? [] : [notSupported(`${path}.apiGroup`, apiGroup, [''])]),
        ...(!isNamespaced && textAt(subject, 'namespace') === '' ? [required(`${path}.namespace`)] : []),
      ]
    case 'User':
    case 'Group':
      return apiGroup === group ? [] : [notSupported(`${path}.apiGroup`, apiGroup, [group])]
    default:
      return [notSupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group'])]
  }
}
