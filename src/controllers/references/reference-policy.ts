// Rules for names in resources. A Secret must allow its use. The operator's own lists restrict Secrets, images,
// endpoints and StorageClasses.
// Invariant: a user who may write a resource gets access only to what these rules allow. Pure.
import { isFieldAppliedByUs, type KubeObject } from '../../index.ts'

/** Patterns with `*` for any characters. An absent list allows everything; for Secrets, only labelled ones. */
export interface ReferencePolicy {
  /**
   * Secrets as `namespace/name` that every resource of their namespace may name without a label. Secrets that the
   * operator wrote are excluded.
   */
  readonly secrets?: readonly string[] | undefined
  /** Images as a spec writes them, or the defaults of specs without one. */
  readonly images?: readonly string[] | undefined
  /** Host names and addresses of database servers and stores. */
  readonly endpoints?: readonly string[] | undefined
  /** StorageClasses. A resource without a class uses the cluster's default, which is always allowed. */
  readonly storageClasses?: readonly string[] | undefined
  /**
   * Connects to servers in the cluster at the address in the annotation `konverge.dev/local-address` of their Service.
   * Use it only if the pods run on the local node: elsewhere, every user who may write Services controls the
   * annotation. Default: false.
   */
  readonly dialsLocalAddresses?: boolean | undefined
}

/** Policy of an operator without lists. */
export const labelledSecrets: ReferencePolicy = {}

/**
 * Kind on whose behalf the operator or a pod reads a Secret, as labels spell it. Stores of backups count as Backup's,
 * whichever kind names them.
 */
export type SecretReader = 'Database' | 'DatabaseUser' | 'Backup' | 'ReplicatedKVStore'

/** Returns the label by which the owner of a Secret allows resources of one kind to name it. Its value is `true`. */
export function consentLabel(reader: SecretReader): string {
  return `data.konverge.dev/usable-by-${reader.toLowerCase()}`
}

/**
 * Returns the rejection of a Secret that is not opened to this kind. Undefined if it is.
 * Only users with rights on Secrets open one. A label that the operator applied comes from the spec of a resource. So
 * does the name of a Secret that the operator wrote.
 */
export function secretRejection(
  secret: Pick<KubeObject, 'metadata'>,
  reader: SecretReader,
  { secrets = [] }: ReferencePolicy,
): Rejection<'SecretNotAllowed'> | undefined {
  const { namespace = '', name, labels } = secret.metadata
  const label = consentLabel(reader)
  const isLabelled = labels?.[label] === 'true'
  const isOwnLabel = isFieldAppliedByUs(secret, 'metadata', 'labels', label)
  if (isLabelled && !isOwnLabel) return undefined
  if (matchesAny(secrets, `${namespace}/${name}`) && !isFieldAppliedByUs(secret, 'data')) return undefined
  const command = `kubectl label secret ${name} -n ${namespace} ${label}=true`
  const message =
    isLabelled && isOwnLabel
      ? `Secret ${name} has the label ${label} from the spec of a resource, which opens nothing; take it out of that spec, ` +
        `and if the Secret is yours to give, run then: ${command}`
      : `Secret ${name} does not allow a ${reader} to use it; if it is yours to give, run: ${command}`
  return { reason: 'SecretNotAllowed', message }
}

export function imageRejection(image: string, { images }: ReferencePolicy): Rejection | undefined {
  if (images === undefined || matchesAny(images, image)) return undefined
  return rejection('ImageNotAllowed', { what: `image ${image}`, option: '--allow-image', patterns: images })
}

/** `host`: a name or an address, without a port. */
export function endpointRejection(host: string, { endpoints }: ReferencePolicy): Rejection | undefined {
  const plain = host.toLowerCase().replace(/\.$/, '')
  if (endpoints === undefined || matchesAny(endpoints, plain)) return undefined
  return rejection('EndpointNotAllowed', { what: `host ${host}`, option: '--allow-endpoint', patterns: endpoints })
}

export function storageClassRejection(
  storageClassName: string | undefined,
  { storageClasses }: ReferencePolicy,
): Rejection | undefined {
  if (storageClassName === undefined || storageClasses === undefined) return undefined
  if (matchesAny(storageClasses, storageClassName)) return undefined
  const what = `StorageClass '${storageClassName}'`
  return rejection('StorageClassNotAllowed', { what, option: '--allow-storage-class', patterns: storageClasses })
}

export type RejectionReason =
  | 'SecretNotAllowed'
  | 'ReservedKey'
  | 'ImageNotAllowed'
  | 'EndpointNotAllowed'
  | 'StorageClassNotAllowed'

/** InvalidSpec with a reason of these rules. */
export interface Rejection<Reason extends RejectionReason = RejectionReason> {
  readonly reason: Reason
  readonly message: string
}

function rejection(
  reason: Rejection['reason'],
  { what, option, patterns }: { readonly what: string; readonly option: string; readonly patterns: readonly string[] },
): Rejection {
  const message = `this operator does not allow ${what}; its ${option} has ${patterns.join(', ') || 'nothing'}`
  return { reason, message }
}

function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matches(pattern, text))
}

/** Linear in the text for each `*`: the first match of every part is as good as any. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return text === pattern
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
  const end = text.length - last.length
  let from = first.length
  for (const part of rest) {
    const at = text.indexOf(part, from)
    if (at === -1 || at + part.length > end) return false
    from = at + part.length
  }
  return true
}
