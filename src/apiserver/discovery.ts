// Discovery documents, single and aggregated, derived from the catalogue of served resources.
// Source: k8s.io/apiserver/pkg/endpoints/discovery.
import { createHash } from 'node:crypto'
import type { JsonObject } from '../base/json.ts'
import { wireJson } from '../base/wire-json.ts'
import { type CatalogueEntry, type CatalogueSubresource, storageVersionHash } from './built-in/catalogue.ts'
import type { ServedResource } from './strategy.ts'

/** Orders versions: GA before beta before alpha, newer first. Other versions come last, by name. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [rankOf(left), rankOf(right)]
  if (a !== undefined && b !== undefined) return b.stability - a.stability || b.major - a.major || b.minor - a.minor
  if (a === undefined && b === undefined) return left < right ? -1 : left > right ? 1 : 0
  return a === undefined ? 1 : -1
}

export function coreVersions(serverAddress: string): JsonObject {
  const serverAddressByClientCIDRs = [{ clientCIDR: '0.0.0.0/0', serverAddress }]
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs }
}

export function groupList(entries: readonly CatalogueEntry[]): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groupNames(entries).map((name) => groupOf(entries, name)) }
}

/** Returns undefined if the group serves no resource. */
export function groupDocument(entries: readonly CatalogueEntry[], group: string): JsonObject | undefined {
  if (!groupNames(entries).includes(group)) return undefined
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(entries, group) }
}

/** Returns undefined if the group and version serve no resource. */
export function resourceList(
  entries: readonly CatalogueEntry[],
  group: string,
  version: string,
): JsonObject | undefined {
  const served = entries.filter((entry) => entry.group === group && entry.version === version)
  if (served.length === 0) return undefined
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: served.flatMap((entry) => [
      listed(entry),
      ...entry.subresources.map((below) => listedBelow(entry, below)),
    ]),
  }
}

export function aggregatedDiscovery(entries: readonly CatalogueEntry[], isCore: boolean): JsonObject {
  const groups = isCore ? [''] : groupNames(entries)
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map((group) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versionsOf(entries, group).map((version) => ({
        version,
        resources: entries.filter((entry) => entry.group === group && entry.version === version).map(aggregated),
        freshness: 'Current',
      })),
    })),
  }
}

/** Returns the ETag, which clients send back to check for changes. */
export function etagOf(document: JsonObject): string {
  return `"${createHash('sha512').update(wireJson(document)).digest('hex').toUpperCase()}"`
}

/** Returns the catalogue entry of a custom resource. */
export function customEntry(resource: ServedResource): CatalogueEntry {
  const { group, version, kind, plural, singular, shortNames, categories, isNamespaced, storageVersion } = resource
  const verbs = ['get', 'patch', 'update']
  const scale: CatalogueSubresource = {
    name: 'scale',
    kind: 'Scale',
    of: { group: 'autoscaling', version: 'v1' },
    verbs,
  }
  return {
    ...{ group, version, kind, plural, singular, shortNames, categories, isNamespaced },
    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
    subresources: [
      ...(resource.strategy.status === undefined ? [] : [{ name: 'status', kind, of: undefined, verbs }]),
      ...(resource.scale === undefined ? [] : [scale]),
    ],
    storage: { group, version: storageVersion },
  }
}

function listed(entry: CatalogueEntry): JsonObject {
  const { plural, singular, isNamespaced, kind, verbs, shortNames, categories } = entry
  return {
    name: plural,
    singularName: singular,
    namespaced: isNamespaced,
    kind,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(verbs.includes('list') ? { storageVersionHash: storageVersionHash(entry) } : {}),
  }
}

function listedBelow(
  { plural, isNamespaced }: CatalogueEntry,
  { name, kind, of, verbs }: CatalogueSubresource,
): JsonObject {
  return { name: `${plural}/${name}`, singularName: '', namespaced: isNamespaced, ...of, kind, verbs }
}

function aggregated({
  group,
  version,
  kind,
  plural,
  singular,
  shortNames,
  categories,
  isNamespaced,
  verbs,
  subresources,
}: CatalogueEntry): JsonObject {
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope: isNamespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0
      ? {}
      : {
          subresources: subresources.map((below) => ({
            subresource: below.name,
            responseKind: { group: below.of?.group ?? group, version: below.of?.version ?? version, kind: below.kind },
            verbs: below.verbs,
          })),
        }),
  }
}

function groupNames(entries: readonly CatalogueEntry[]): readonly string[] {
  return [...new Set(entries.map(({ group }) => group))].filter((group) => group !== '')
}

function versionsOf(entries: readonly CatalogueEntry[], group: string): readonly string[] {
  const versions = entries.filter((entry) => entry.group === group).map(({ version }) => version)
  return [...new Set(versions)].sort(compareVersions)
}

function groupOf(entries: readonly CatalogueEntry[], group: string): JsonObject {
  const versions = versionsOf(entries, group).map((version) => ({ groupVersion: `${group}/${version}`, version }))
  return { name: group, versions, preferredVersion: versions[0] ?? {} }
}

function rankOf(version: string): { stability: number; major: number; minor: number } | undefined {
  const [, major, stage, minor] = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version) ?? []
  if (major === undefined) return undefined
  const stability = stage === undefined ? 2 : stage === 'beta' ? 1 : 0
  return { stability, major: Number(major), minor: Number(minor ?? 0) }
}
