// Values of `resourceFieldRef`, e.g. `limits.cpu` with divisor `1m`: whole numbers, rounded up. Without a limit, the
// node's amount counts. Source: k8s.io/component-helpers/resource ExtractContainerResourceValue.
import { own } from '../base/json.ts'
import { parseQuantity } from '../object/quantity.ts'
import type { ContainerSpec, PodObject, ResourceFieldReference } from './pod.ts'
import { ContainerConfigError } from './source-objects.ts'

export interface ResourceFieldAsk {
  readonly pod: PodObject
  /** Default container of the reference. */
  readonly container: ContainerSpec | undefined
  readonly reference: ResourceFieldReference
  /** Resources of the node for pods. */
  readonly allocatable: Readonly<Record<string, string>>
}

/** Returns the value. Throws a ContainerConfigError if the container or resource does not exist. */
export function resourceFieldValue({ pod, container, reference, allocatable }: ResourceFieldAsk): string {
  const { containerName, resource, divisor = '1' } = reference
  const everyone = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]
  const meant = containerName === undefined ? container : everyone.find(({ name }) => name === containerName)
  if (meant === undefined) throw new ContainerConfigError(`container ${containerName} not found`)
  const [kind, name] = partsOf(resource)
  const declared = meant.resources?.[kind]?.[name]
  const amount = declared ?? (kind === 'limits' ? own(allocatable, name) : undefined)
  if (kind === 'requests' && amount === undefined) return '0'
  const value = parseQuantity(String(amount ?? '0'))
  const unit = parseQuantity(divisor === '0' || divisor === '' ? '1' : divisor)
  if (value === undefined || unit === undefined) {
    throw new ContainerConfigError(`resource ${resource} with divisor ${divisor} is not an amount`)
  }
  return dividedUp(value, unit).toString()
}

function partsOf(resource: string): readonly ['limits' | 'requests', string] {
  const [kind, ...rest] = resource.split('.')
  if (kind !== 'limits' && kind !== 'requests')
    throw new ContainerConfigError(`unsupported container resource : ${resource}`)
  return [kind, rest.join('.')]
}

interface Amount {
  readonly coefficient: bigint
  readonly exponent: number
}

function dividedUp(value: Amount, unit: Amount): bigint {
  const shift = Math.min(value.exponent, unit.exponent)
  const dividend = value.coefficient * 10n ** BigInt(value.exponent - shift)
  const divisor = unit.coefficient * 10n ** BigInt(unit.exponent - shift)
  return divisor <= 0n ? 0n : (dividend + divisor - 1n) / divisor
}
