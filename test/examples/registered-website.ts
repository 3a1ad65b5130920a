// Controller whose cleanup writes: each website has a line in a ConfigMap of another team, which its deletion removes.
import { Website } from '../../examples/01-minimal/website.ts'
import { ConfigMap, defineController, isKubeError } from '../../src/index.ts'

export const registeredWebsite = defineController(Website, {
  owns: [],
  desired: () => {},
  rights: [{ resource: ConfigMap, verbs: ['patch'] }],
  cleanup: async ({ object: { metadata }, client }) => {
    const registry = { namespace: 'default', name: 'registry' }
    const patch = { type: 'merge', body: { data: { [metadata.name]: null } } } as const
    try {
      await client.patch(ConfigMap, registry, patch)
    } catch (thrown) {
      if (!isKubeError(thrown, 'NotFound')) throw thrown
    }
    return { kind: 'done' }
  },
})
