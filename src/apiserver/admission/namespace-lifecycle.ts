// Admission by namespace: it must exist, and it accepts no new objects while terminating. Some namespaces cannot be
// deleted.
// Source: k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle.
import { isJsonObject, own } from '../../base/json.ts'
import { metadataText } from '../metadata.ts'
import { forbiddenRequest, notFound, StatusError } from '../status-error.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'

const immortal: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public'])

export const namespaceLifecycle: AdmissionPlugin = {
  mutate: (request) => {
    check(request)
    return request.object
  },
  validate: (request) => {
    if (request.operation === 'DELETE') check(request)
  },
}

function check(request: AdmissionRequest): void {
  const { operation, resource, name, namespace, world } = request
  const isNamespace = resource.group === '' && resource.plural === 'namespaces'
  if (operation === 'DELETE') {
    if (isNamespace && immortal.has(name)) throw refusal(request, 'this namespace may not be deleted')
    return
  }
  if (!resource.isNamespaced || namespace === '') return
  const found = world.get({ shelf: 'namespaces', namespace: '', name: namespace })
  if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace)
  if (operation !== 'CREATE' || phaseOf(found.object) !== 'Terminating') return
  const error = refusal(
    request,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  )
  throw new StatusError({
    ...error.parts,
    details: {
      ...error.parts.details,
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    },
  })
}

/**
 * Returns the 403 of a plugin, with as much of the object's name as is known.
 * Source: k8s.io/apiserver/pkg/admission/errors.go.
 */
export function refusal({ resource, name, object }: AdmissionRequest, why: string): StatusError {
  const known =
    name || (object === undefined ? '' : metadataText(object, 'name') || metadataText(object, 'generateName'))
  return forbiddenRequest({ group: resource.group, resource: resource.plural }, known || 'Unknown', why)
}

function phaseOf(namespace: Parameters<typeof own>[0]): unknown {
  const status = own(namespace, 'status')
  return isJsonObject(status) ? own(status, 'phase') : undefined
}
