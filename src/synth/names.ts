// Names of children: `<parent>-<leaf>`, from names that people chose and never from construct ids, so a moved construct
// renames nothing. Invariant: different (parent, leaf) pairs never give the same name.
import { assert } from '../base/assert.ts'
import { hashJson } from '../base/json.ts'
import { withoutOuterHyphens } from '../base/trimmed-end.ts'

/** The longest DNS label. */
const maxLabelLength = 63

/** End of every hashed name. A leaf of this form is hashed too, so plain and hashed names cannot collide. */
const hashLeaf = /^x[0-9a-f]{10}$/
const hashLength = 10
/** Longest part of the leaf in a hashed name before the parent's part would be empty. */
const maxLeafLength = 16

/**
 * Returns the name of a parent's child: always a DNS label by RFC 1035 of at most `maxLength` characters, which every
 * kind accepts.
 *
 * The name is `<parent>-<leaf>` if it can be split in one way only. For that the leaf must be one word of `[a-z0-9]`,
 * the parent itself such a label, and the whole must fit. Otherwise (`a` + `b-c` would collide with `a-b` + `c`) the
 * name is `<parent>-<leaf>-x<hash>`, shortened as needed, with 40 bits of a hash of both. Leaves of one word avoid the
 * hash.
 *
 * Two parents of one name but different kinds share names; the applier rejects the child of the other (I5).
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
  /** UID of the parent: another object of its name has other children. */
  readonly uid: string
  readonly groupKind: string
  /** `metadata.generateName`; cut if it leaves no room for the rest. */
  readonly prefix: string
  /** Value of the annotation `konverge.dev/name-key`: another value gives another name. */
  readonly key: string
}

/**
 * Returns the name for `metadata.generateName`: the prefix and 40 bits of a hash. The same parent, kind, prefix and key
 * give the same name in every reconcile, while the API server would create another child each time.
 *
 * @example generatedName({ uid, groupKind: 'Job.batch', prefix: 'report-', key: '7' }) // 'report-9c1e0b54d2'
 */
export function generatedName({ uid, groupKind, prefix, key }: NameToGenerate): string {
  const room = (derivedNameLimit(groupKind) ?? maxLabelLength) - hashLength
  return prefix.slice(0, room) + hashJson([uid, groupKind, prefix, key]).slice(0, hashLength)
}

/**
 * Returns the longest name of this kind from which derived names stay valid. The Jobs of a CronJob add 11 characters,
 * and so does the label `controller-revision-hash` of a StatefulSet. Undefined: no limit beyond the syntax. Sources:
 * batch validation; kubernetes/kubernetes#64023.
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
