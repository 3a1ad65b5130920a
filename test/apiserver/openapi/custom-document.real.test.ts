import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { BuiltInDataLoader } from '../../../src/apiserver/built-in/built-in-data-loader.ts'
import { customDocument } from '../../../src/apiserver/openapi/custom-document.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import { attachToControlPlane } from '../../control-plane/attach.ts'
import { waitUntil } from '../../control-plane/wait-until.ts'

/** Returns the CRD of a file, moved to a group of this test. */
async function definitionOf(file: string): Promise<Definition> {
  const text = await readFile(new URL(`../../../${file}`, import.meta.url), 'utf8')
  const { metadata, spec, ...rest } = parse(text) as Definition // Sound: a CRD.
  const group = 'odd-one.open-api.example'
  return { ...rest, metadata: { ...metadata, name: `${spec.names.plural}.${group}` }, spec: { ...spec, group } }
}

interface Definition extends JsonObject {
  readonly metadata: JsonObject & { readonly name: string }
  readonly spec: JsonObject & {
    readonly group: string
    readonly names: JsonObject & { readonly plural: string }
    readonly versions: readonly (JsonObject & { readonly name: string })[]
  }
}

it.each(['crds/replicated-kv-store.yaml', 'examples/02-owned-children/wiki.crd.yaml'])(
  'publishes the same document for %s as the real server',
  async (file) => {
    const controlPlane = attachToControlPlane()
    const definition = await definitionOf(file)
    const at = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    await controlPlane.create(at, definition)
    try {
      const [version] = definition.spec.versions
      const path = `/openapi/v3/apis/${definition.spec.group}/${version?.name}`
      let theirs: unknown
      await waitUntil({ what: path }, async () => {
        const { status, text } = await controlPlane.request({ method: 'GET', path })
        theirs = status === 200 ? JSON.parse(text) : undefined
        return status === 200
      })
      expect(customDocument(definition, version ?? {}, new BuiltInDataLoader().customTemplates())).toEqual(theirs)
    } finally {
      await controlPlane.request({ method: 'DELETE', path: `${at}/${definition.metadata.name}` })
    }
  },
)
