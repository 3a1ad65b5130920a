// What is a child called? `<parent>-<leaf>`, from names that people chose and never from construct ids, so moving
// constructs about renames nothing. Different (parent, leaf) pairs never give the same name.
import { assert } from '../base/assert.ts'
import { hashJson } from '../base/json.ts'
import { withoutOuterHyphens } from '../base/trimmed-end.ts'

/** The longest DNS label. */
const maxLabelLength = 63

/** Ends every hashed name. A leaf that looks like it is hashed itself, so plain and hashed names cannot meet. */
const hashLeaf = /^x[0-9a-f]{10}$/
const hashLength = 10
/** Of a hashed name, what the leaf may take before the parent's part is cut to nothing. */
const maxLeafLength = 16

/**
 * The name of a parent's child: always a DNS label by RFC 1035 of at most `maxLength` characters, so every kind takes it.
 *
 * `<parent>-<leaf>` where that can be read back in one way only: the leaf is one word of `[a-z0-9]`, the parent is itself
 * such a label and the whole fits. Otherwise (`a` + `b-c` would meet `a-b` + `c`) the name is
 * `<parent>-<leaf>-x<hash>`, shortened as needed, with 40 bits of a hash of both. So give leaves of one word.
 *
 * Two parents of one name but different kinds do share names; the applier refuses to take the other's child (I5).
 *
 * @example childName('store', 'headless') // 'store-headless'
 */
export function childName(parentName: string, leaf: string, maxLength: number = maxLabelLength): string {
  assert(maxLength >= 32 && maxLength <= maxLabelLength, 'a name has room for 32 to 63 characters')
  const isOneWord = /^[a-z0-9]+$/.test(leaf) && !hashLeaf.test(leaf)
  const plain = `${parentName}-${leaf}`
  if (isOneWord && isDnsLabel1035(parentName) && plain.length <= maxLength) return plain
  const tail = `x${hashJson([parentName, leaf]).slice(0, hashLength)}`
  const shownLeaf = readable(leaf).slice(0, maxLeafLength)
  const room = maxLength - tail.length - shownLeaf.length - 2
  const shownParent = /^[a-z]/.test(readable(parentName)) ? readable(parentName) : `n${readable(parentName)}`
  return [shownParent.slice(0, room), shownLeaf, tail].map(withoutOuterHyphens).filter(isNotEmpty).join('-')
}

export interface NameToGenerate {
  /** The uid of the parent: another object of its name has other children. */
  readonly uid: string
  readonly groupKind: string
  /** `metadata.generateName`; cut where it leaves no room for the rest. */
  readonly prefix: string
  /** The value of the annotation `konverge.dev/name-key`: another one gives another name. */
  readonly key: string
}

/**
 * The name for `metadata.generateName`: the prefix and 40 bits of a hash. The same parent, kind, prefix and key give the same name in every
 * reconcile, unlike the API server, which would make another child each time.
 *
 * @example generatedName({ uid, groupKind: 'Job.batch', prefix: 'report-', key: '7' }) // 'report-9c1e0b54d2'
 */
export function generatedName({ uid, groupKind, prefix, key }: NameToGenerate): string {
  const room = (derivedNameLimit(groupKind) ?? maxLabelLength) - hashLength
  return prefix.slice(0, room) + hashJson([uid, groupKind, prefix, key]).slice(0, hashLength)
}

/**
 * The most characters a name of this kind can have before something that is derived from it breaks: a CronJob's Jobs
 * carry 11 more, a StatefulSet's `controller-revision-hash` label too. Undefined: as long as the syntax allows.
 * Sources: batch validation; kubernetes/kubernetes#64023.
 */
export function derivedNameLimit(groupKind: string): number | undefined {
  return groupKind === 'CronJob.batch' || groupKind === 'StatefulSet.apps' ? 52 : undefined
}

export function isDnsLabel1035(name: string): boolean {
  return name.length <= maxLabelLength && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)
}

function readable(name: string): string {
  return withoutOuterHyphens(name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'))
}

function isNotEmpty(part: string): boolean {
  return part !== ''
}
