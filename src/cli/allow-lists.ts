// The options --allow-…, which `run` and `install` share. Absent lists allow everything, and of Secrets none but the labelled ones.
import type { ReferencePolicy } from '../controllers/references/reference-policy.ts'

export interface AllowLists {
  readonly allowSecret?: readonly string[] | undefined
  readonly allowImage?: readonly string[] | undefined
  readonly allowEndpoint?: readonly string[] | undefined
  readonly allowStorageClass?: readonly string[] | undefined
}

/** Flag, help text and form of each; the argument is a list of patterns separated by commas. */
export const allowFlags = [
  {
    flag: '--allow-secret <namespace/name>',
    text: 'Secrets that resources may name without a label, separated by commas; * for any characters',
    form: "give namespace/name, such as shop/postgres or 'shop/*'",
    // A * stands for a slash too.
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

/** The sentence that says which pattern can match nothing, and what the form is; undefined: all can. */
export function allowComplaint({ form, isForm }: (typeof allowFlags)[number], patterns: readonly string[]) {
  const wrong = patterns.find((pattern) => !isForm(pattern))
  return wrong === undefined ? undefined : `'${wrong}' can match nothing; ${form}`
}

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
