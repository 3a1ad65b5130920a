// The labels of a Secret whose owner lets every kind use it.
import { consentLabel } from '../../src/controllers/references/reference-policy.ts'

export const openLabels: Readonly<Record<string, string>> = Object.fromEntries(
  (['Database', 'DatabaseUser', 'Backup', 'ReplicatedKVStore'] as const).map((reader) => [
    consentLabel(reader),
    'true',
  ]),
)
