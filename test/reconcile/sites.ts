// Sites in the initial states of tests.
import { ApiObject } from 'cdk8s'
import { expect } from 'vitest'
import { retain } from '../../src/synth/field-policies.ts'
import type { ModelRequest } from '../model-api.ts'
import { siteController, World } from './life.ts'

export const pages = 'default/a-pages'
export const settled = { Ready: 'True/Settled', Progressing: 'False/Settled', Degraded: 'False/AsExpected' }
export const isWriteOf = (plural: string) => (request: ModelRequest) =>
  ['create', 'apply', 'patch', 'delete'].includes(request.verb) && request.plural === plural

/** A settled site, with the process that settled it. */
export async function settledSite(world = new World(), controller = siteController()) {
  world.addSite()
  const life = await world.live(controller)
  expect(world.conditions()).toEqual(settled)
  return { world, life }
}

/** A controller that declares only the pages. */
export function withPages({ isRetained = false, namespace }: { isRetained?: boolean; namespace?: string }) {
  return siteController({
    desired: (chart, { object }) => {
      const metadata = { name: `${object.metadata.name}-pages`, ...(namespace === undefined ? {} : { namespace }) }
      const made = new ApiObject(chart, 'pages', { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'b' } })
      if (isRetained) retain(made)
    },
  })
}
