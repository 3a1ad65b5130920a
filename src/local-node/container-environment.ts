// Environment variables of a container: first `envFrom`, then `env` in order, which overrides it. `$(NAME)` refers to
// earlier variables. Source: kubelet_pods.go makeEnvironmentVariables, including the error messages.
import type { ContainerSpec, EnvironmentEntry, EnvironmentSource, PodObject } from './pod.ts'
import { type PodPlace, podFieldValue } from './pod-field.ts'
import { resourceFieldValue } from './resource-field.ts'
import { ContainerConfigError, type SourceNames, type SourceObjects } from './source-objects.ts'
import { expandVariables } from './variable-expansion.ts'

export interface EnvironmentAsk {
  readonly pod: PodObject
  readonly container: ContainerSpec
  readonly sources: SourceObjects
  readonly place: PodPlace
  readonly allocatable: Readonly<Record<string, string>>
  /** Variables that the node gives every container, e.g. the API server's address; declared variables override them. */
  readonly given: ReadonlyMap<string, string>
}

/** Returns the variables. Throws a ContainerConfigError if a required source is missing. */
export function environmentOf(ask: EnvironmentAsk): ReadonlyMap<string, string> {
  const variables = new Map<string, string>()
  for (const source of ask.container.envFrom ?? []) {
    for (const [key, value] of valuesOf(source, ask)) variables.set(`${source.prefix ?? ''}${key}`, value)
  }
  for (const entry of ask.container.env ?? []) {
    const known = new Map([...ask.given, ...variables])
    const value = resolvedValue(entry, known, ask)
    if (value !== undefined) variables.set(entry.name, value)
  }
  return new Map([...ask.given, ...variables])
}

/** Returns the names of the objects that `environmentOf` reads. */
export function environmentSources({ env = [], envFrom = [] }: ContainerSpec): SourceNames {
  const configMaps = [
    ...envFrom.map(({ configMapRef }) => configMapRef?.name),
    ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
  ]
  const secrets = [
    ...envFrom.map(({ secretRef }) => secretRef?.name),
    ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
  ]
  const present = (names: readonly (string | undefined)[]) => new Set(names.filter((name) => name !== undefined))
  return { configMaps: present(configMaps), secrets: present(secrets) }
}

function valuesOf({ configMapRef, secretRef }: EnvironmentSource, ask: EnvironmentAsk): Iterable<[string, string]> {
  const reference = configMapRef ?? secretRef
  if (reference === undefined) return []
  const kind = configMapRef === undefined ? 'secret' : 'configmap'
  const data = kind === 'secret' ? ask.sources.secret(reference.name) : ask.sources.configMap(reference.name)
  if (data !== undefined) return [...data].map(([key, bytes]) => [key, bytes.toString('utf8')])
  if (reference.optional === true) return []
  throw new ContainerConfigError(`${kind} "${reference.name}" not found`)
}

/** Returns the value of a variable. Undefined for a missing optional source: the variable is then not set. */
function resolvedValue(
  { value = '', valueFrom }: EnvironmentEntry,
  known: ReadonlyMap<string, string>,
  ask: EnvironmentAsk,
): string | undefined {
  if (value !== '' || valueFrom === undefined) return expandVariables(value, known)
  const { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef } = valueFrom
  if (fieldRef !== undefined) return podFieldValue(ask.pod, fieldRef.fieldPath, ask.place)
  if (resourceFieldRef !== undefined) return resourceFieldValue({ ...ask, reference: resourceFieldRef })
  const reference = configMapKeyRef ?? secretKeyRef
  if (reference === undefined) {
    throw new ContainerConfigError(
      'the local node does not read variables from files (fileKeyRef); use a ConfigMap or a Secret',
    )
  }
  const { name, key, optional } = reference
  const kind = configMapKeyRef === undefined ? 'Secret' : 'ConfigMap'
  const data = kind === 'Secret' ? ask.sources.secret(name) : ask.sources.configMap(name)
  const bytes = data?.get(key)
  if (bytes !== undefined) return bytes.toString('utf8')
  if (optional === true) return undefined
  if (data === undefined) throw new ContainerConfigError(`${kind.toLowerCase()} "${name}" not found`)
  throw new ContainerConfigError(`couldn't find key ${key} in ${kind} ${ask.pod.metadata.namespace}/${name}`)
}
