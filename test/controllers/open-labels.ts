// Labels of a Secret that every kind may use.
import { consentLabel } from '../../src/controllers/references/reference-policy.ts'

export const openLabels: Readonly<Record<string, string>> = Object.fromEntries(
  (['Database', 'DatabaseUser', 'Backup', 'ReplicatedKVStore'] as const).map((reader) => [
    consentLabel(reader),
    'true',
  ]),
)
