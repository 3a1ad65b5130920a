// QoS class of a pod, from its resource requests and limits.
// Source: k8s.io/kubernetes/pkg/apis/core/helper/qos.
import type { JsonObject } from '../../base/json.ts'
import type { Quantity } from '../../object/quantity.ts'
import { mapAt, structAt, structsAt } from './field-walk.ts'
import { quantityOf } from './resource-requirements.ts'

const counted = ['cpu', 'memory']
/** Exponent of the finest unit. */
const nano = -9
/** A larger exponent counts as this one, which bounds the size of a sum. */
const maxExponent = 1000

export function qosClassOf(spec: JsonObject): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const containers = [...structsAt(spec, 'containers'), ...structsAt(spec, 'initContainers')]
  const requests = sums(containers, 'requests')
  const limits = sums(containers, 'limits')
  if (requests.size === 0 && limits.size === 0) return 'BestEffort'
  const areAllLimited = containers.every((container) => sums([container], 'limits').size === counted.length)
  const areEqual = requests.size === limits.size && [...requests].every(([name, amount]) => limits.get(name) === amount)
  return areAllLimited && areEqual ? 'Guaranteed' : 'Burstable'
}

/** Returns the amounts above zero, summed over the containers. */
function sums(containers: readonly JsonObject[], list: string): ReadonlyMap<string, bigint> {
  const found = new Map<string, bigint>()
  for (const container of containers) {
    const amounts = mapAt(structAt(container, 'resources'), list)
    for (const name of counted) {
      const amount = inNano(quantityOf(amounts[name]))
      if (amount > 0n) found.set(name, (found.get(name) ?? 0n) + amount)
    }
  }
  return found
}

function inNano({ coefficient, exponent }: Quantity): bigint {
  return coefficient * 10n ** BigInt(Math.min(exponent, maxExponent) - nano)
}
