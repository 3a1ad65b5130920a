// The options --allow-…, which `run` and `install` share. Absent lists allow everything, and of Secrets none but the labelled ones.
import type { ReferencePolicy } from '../controllers/references/reference-policy.ts'

export interface AllowLists {
  readonly allowSecret?: readonly string[] | undefined
  readonly allowImage?: readonly string[] | undefined
  readonly allowEndpoint?: readonly string[] | undefined
  readonly allowStorageClass?: readonly string[] | undefined
}

/** Flag and help text of each; the argument is a list of patterns separated by commas. */
export const allowFlags = [
  [
    '--allow-secret <namespace/name>',
    'Secrets that resources may name without a label, separated by commas; * for any characters',
  ],
  ['--allow-image <images>', 'images that stores and database servers may run, separated by commas (default: all)'],
  ['--allow-endpoint <hosts>', 'hosts of database servers and S3 stores, separated by commas (default: all)'],
  ['--allow-storage-class <names>', 'storage classes of volumes, separated by commas (default: all)'],
] as const

export function policyOf(lists: AllowLists): ReferencePolicy {
  const { allowSecret, allowImage, allowEndpoint, allowStorageClass } = lists
  return { secrets: allowSecret, images: allowImage, endpoints: allowEndpoint, storageClasses: allowStorageClass }
}

/** The same lists as arguments of `konverge run`, in a fixed order. */
export function allowArguments(lists: AllowLists): readonly string[] {
  const given: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['--allow-secret', lists.allowSecret],
    ['--allow-image', lists.allowImage],
    ['--allow-endpoint', lists.allowEndpoint],
    ['--allow-storage-class', lists.allowStorageClass],
  ]
  return given.flatMap(([flag, patterns]) => (patterns === undefined ? [] : [`${flag}=${patterns.join()}`]))
}
