// konverge's own operator as a program. Invariant: only commands that use the controllers load them.
import { join } from 'node:path'
import { allowComplaint, allowFlags, policyOf } from './allow-lists.ts'
import { listedIn } from './option-values.ts'
import { ownImage } from './own-image.ts'
import { packageFolder, packageVersion } from './package-folder.ts'
import type { OperatorCliOptions, OperatorFlag } from './program.ts'

const ofOperator = ['run', 'diff', 'install'] as const
const flags: readonly OperatorFlag[] = [
  ...allowFlags.map((allow) => ({
    flag: allow.flag,
    text: allow.text,
    check: (value: string) => allowComplaint(allow, listedIn(value)),
    commands: ofOperator,
  })),
  {
    flag: '--local-addresses',
    text: 'connect to servers at the addresses that a local node assigns to Services; not for use in a cluster',
    commands: ['run', 'diff'],
  },
]

export const konverge: OperatorCliOptions = {
  name: 'konverge',
  version: packageVersion(),
  description: 'An operator runtime for Kubernetes, and its database operator.',
  controllers: async ({ environment, flags }) =>
    (await import('./flagship.ts')).flagshipOf({
      image: environment['KONVERGE_IMAGE'],
      policy: { ...policyOf(flags), dialsLocalAddresses: flags['local-addresses'] === true },
    }),
  crds: join(packageFolder(), 'crds'),
  image: ownImage(),
  flags,
  egressPorts: [443, 5432, 6443],
}
