// Pod from a template: its labels, annotations and spec, with a controller reference to the owner of the template.
// Source: k8s.io/kubernetes/pkg/controller/controller_utils.go, GetPodFromTemplate.
import type { JsonObject } from '../../../base/json.ts'
import { mapAt, structAt, structIn, textsAt } from '../../built-in/field-walk.ts'
import { metadataText } from '../../metadata.ts'
import { dnsSubdomainName } from '../../name-rules.ts'
import { controllerReference } from './membership.ts'

export function templateOf(owner: JsonObject): JsonObject {
  return mapAt(structAt(owner, 'spec'), 'template')
}

export function templatePod(owner: JsonObject, template = templateOf(owner)): JsonObject {
  const metadata = structAt(template, 'metadata')
  const finalizers = textsAt(metadata, 'finalizers')
  return {
    metadata: {
      generateName: namePrefix(metadataText(owner, 'name')),
      namespace: metadataText(owner, 'namespace'),
      labels: mapAt(metadata, 'labels'),
      annotations: mapAt(metadata, 'annotations'),
      ...(finalizers.length === 0 ? {} : { finalizers }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: structIn(template, 'spec') ?? {},
  }
}

/** Returns the name with a dash, unless that exceeds the length limit of a name. */
function namePrefix(name: string): string {
  const prefix = `${name}-`
  return dnsSubdomainName(prefix, true).length === 0 ? prefix : name
}
