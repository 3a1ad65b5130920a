// Flags --allow-… of the flagship's controllers. Without a list, everything is allowed, except Secrets: only labelled
// ones. Pure.
import type { ReferencePolicy } from '../controllers/references/reference-policy.ts'
import { listedIn } from './option-values.ts'
import type { FlagValues } from './program.ts'

/** Flag, help text and format of each list. The argument of a flag is a list of patterns, separated by commas. */
export const allowFlags = [
  {
    flag: '--allow-secret <namespace/name>',
    text: 'Secrets that resources may name without a label, separated by commas; * for any characters',
    form: "give namespace/name, such as shop/postgres or 'shop/*'",
    // A * also matches a slash.
    isForm: (pattern: string) => /^[^\s/]+\/[^\s/]+$|^[^\s/]*\*[^\s/]*$/.test(pattern),
  },
  {
    flag: '--allow-image <images>',
    text: 'images that stores and database servers may run, separated by commas (default: all)',
    form: "give an image reference without a scheme, such as 'registry.example.com/*'",
    isForm: (pattern: string) => /^\S+$/.test(pattern) && !pattern.includes('://'),
  },
  {
    flag: '--allow-endpoint <hosts>',
    text: 'hosts of database servers and S3 stores, separated by commas (default: all)',
    form: "give a host without scheme, port and path, such as '*.example.com'",
    isForm: (pattern: string) => /^[^\s/]+$/.test(pattern) && !/^[^:]*:[0-9]+$/.test(pattern),
  },
  {
    flag: '--allow-storage-class <names>',
    text: 'storage classes of volumes, separated by commas (default: all)',
    form: 'give the name of a StorageClass, such as fast',
    isForm: (pattern: string) => /^[a-z0-9.*-]+$/.test(pattern),
  },
] as const

/**
 * Returns an error message for the first pattern that can match nothing, with the expected format; undefined if all are
 * valid.
 */
export function allowComplaint({ form, isForm }: (typeof allowFlags)[number], patterns: readonly string[]) {
  if (patterns.length === 0) return form
  const wrong = patterns.find((pattern) => !isForm(pattern))
  return wrong === undefined ? undefined : `'${wrong}' can match nothing; ${form}`
}

/** Returns the policy of the flags; each value is a list of patterns, separated by commas. */
export function policyOf(flags: FlagValues): ReferencePolicy {
  const listOf = (name: string) => {
    const value = flags[name]
    return typeof value === 'string' ? listedIn(value) : undefined
  }
  return {
    secrets: listOf('allow-secret'),
    images: listOf('allow-image'),
    endpoints: listOf('allow-endpoint'),
    storageClasses: listOf('allow-storage-class'),
  }
}
