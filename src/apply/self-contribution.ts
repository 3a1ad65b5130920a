// Contributions of a resource to itself. It is the only contributor of its field manager, so an undeclared field is
// removed, or stays with other managers that have it. Pure.
import type { Json, JsonObject } from '../base/json.ts'
import { ownedFieldsOf } from '../diff/owned-fields.ts'
import { isVacant } from '../diff/vacant.ts'
import { asJson, type KubeObject, type LiveObject } from '../object/object.ts'
import type { DesiredObject } from '../synth/desired.ts'

/** True if this manager applied fields that the object still has. */
export function isContributedTo({ metadata: { managedFields = [] } }: KubeObject, manager: string): boolean {
  return managedFields.some(
    (entry) => entry.manager === manager && entry.operation === 'Apply' && (entry.subresource ?? '') === '',
  )
}

/**
 * Returns the resource without the labels and annotations that it contributed to itself. A declaration that depends on
 * its own result would appear and disappear in turns. `live` has the managedFields.
 */
export function withoutContributed(parent: LiveObject, live: LiveObject, manager: string): LiveObject {
  const owned = ownedFieldsOf(live, manager)?.field('metadata')
  if (owned === undefined) return parent
  const without = (field: 'labels' | 'annotations') => {
    const set = owned.field(field)
    const values = parent.metadata[field]
    if (set === undefined || values === undefined) return {}
    return { [field]: Object.fromEntries(Object.entries(values).filter(([name]) => set.field(name) === undefined)) }
  }
  return { ...parent, metadata: { ...parent.metadata, ...without('labels'), ...without('annotations') } }
}

/** True if the object declares no field except its identity. */
export function declaresNothing(object: KubeObject): boolean {
  const { apiVersion: _, kind: __, metadata, ...content } = asJson(object)
  const { name: ___, namespace: ____, ...declared } = metadata as JsonObject // Every object has metadata.
  return isVacant(content) && isVacant(declared as Json)
}

/** Returns a declaration whose apply removes all contributions of the resource to itself. */
export function givingBack({ apiVersion, kind, metadata: { name, namespace } }: KubeObject): DesiredObject {
  const object: KubeObject = { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } }
  return {
    object,
    lasting: object,
    wave: 0,
    dependsOn: [],
    constructPath: 'no construct',
    policies: {
      shared: [],
      initialOnly: [],
      recreateOnChange: undefined,
      contribute: true,
      isSelf: true,
      coOwn: false,
      hold: undefined,
      readyWhen: [],
      retain: false,
    },
  }
}
