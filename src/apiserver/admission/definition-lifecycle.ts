// Admission of custom objects: rejects a create while the CRD is terminating.
// Source: forbidCreateAdmission in k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go.
import { isConditionTrue } from '../custom/definition-rules.ts'
import { forbiddenRequest } from '../status-error.ts'
import type { AdmissionPlugin } from './admission.ts'

export const definitionLifecycle: AdmissionPlugin = {
  mutate: ({ operation, resource, name, object, world }) => {
    if (operation !== 'CREATE' || !resource.isCustom) return object
    const { group, plural } = resource
    const place = { shelf: 'customresourcedefinitions.apiextensions.k8s.io', namespace: '', name: `${plural}.${group}` }
    const definition = world.get(place)
    if (definition === undefined || !isConditionTrue(definition.object, 'Terminating')) return object
    const why = 'create not allowed while custom resource definition is terminating'
    throw forbiddenRequest({ group, resource: plural }, name, why)
  },
}
