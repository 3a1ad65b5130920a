// Program whose controller takes flags and has a built-in kind of Kubernetes: it has no CRDs and no image.
import { ApiObject } from 'cdk8s'
import { operatorCli } from '../../src/cli/index.ts'
import { ConfigMap, defineController, Secret } from '../../src/index.ts'

await operatorCli({
  name: 'zones',
  version: '2.0.0',
  description: 'Zones of a domain.',
  controllers: async ({ flags }) => [
    defineController(ConfigMap, {
      owns: [Secret],
      desired: (chart) => {
        new ApiObject(chart, 'zone', {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'zone', annotations: { domain: String(flags['domain']) } },
        })
      },
    }),
  ],
  flags: [
    {
      flag: '--domain <name>',
      text: 'the domain of all zones',
      check: (value) => (value.includes('.') ? undefined : `'${value}' has no dot; give a domain such as example.com`),
    },
    { flag: '--read-only', text: 'write no zone' },
    { flag: '--slow', text: 'wait', commands: ['run'] },
  ],
})
