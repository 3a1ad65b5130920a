import { describe, expect, it } from 'vitest'
import { builtInCatalogue, type CatalogueEntry, storageVersionHash } from '../../../src/apiserver/built-in/catalogue.ts'
import { attachToControlPlane } from '../../control-plane/attach.ts'

interface Listed {
  readonly name: string
  readonly singularName: string
  readonly namespaced: boolean
  readonly kind: string
  readonly verbs: readonly string[]
  readonly group?: string
  readonly version?: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly storageVersionHash?: string
}

const groupVersions = [...new Set(builtInCatalogue.map(({ group, version }) => `${group}/${version}`))]

describe('the catalogue of built-in resources', () => {
  const controlPlane = attachToControlPlane()
  const get = async (path: string) => JSON.parse((await controlPlane.request({ method: 'GET', path })).text)

  it.each(groupVersions)('lists %s as the real server does', async (groupVersion) => {
    const ours = builtInCatalogue.filter(({ group, version }) => `${group}/${version}` === groupVersion)
    const path = groupVersion.startsWith('/') ? `/api${groupVersion}` : `/apis/${groupVersion}`
    const { resources } = (await get(path)) as { readonly resources: readonly Listed[] } // An APIResourceList.
    const names = new Set(ours.map(({ plural }) => plural))
    const theirs = resources.filter(({ name }) => names.has(name.split('/')[0] ?? ''))
    expect(ours.flatMap(listed)).toEqual(theirs)
  })

  it('orders groups and versions like the real server, the preferred version first', async () => {
    const { groups } = (await get('/apis')) as {
      readonly groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[]
    } // An APIGroupList.
    const theirs = groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion))
    const served = new Set(groupVersions)
    expect(groupVersions.filter((name) => name !== '/v1')).toEqual(theirs.filter((name) => served.has(name)))
  })
})

function listed(entry: CatalogueEntry): Listed[] {
  const { plural, singular, kind, isNamespaced, verbs, shortNames, categories } = entry
  return [
    {
      name: plural,
      singularName: singular,
      namespaced: isNamespaced,
      kind,
      verbs,
      ...(shortNames.length === 0 ? {} : { shortNames }),
      ...(categories.length === 0 ? {} : { categories }),
      ...(verbs.includes('list') ? { storageVersionHash: storageVersionHash(entry) } : {}),
    },
    ...entry.subresources.map(({ name, kind, verbs, of }) => ({
      name: `${plural}/${name}`,
      singularName: '',
      namespaced: isNamespaced,
      ...of,
      kind,
      verbs,
    })),
  ]
}
