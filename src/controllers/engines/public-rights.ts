// What may everybody do in a database? PUBLIC is no role, so that what it has can be had on another server too. Only what differs from what
// PostgreSQL gives by itself: what was taken, as EXECUTE on a function, and what was given. Plain values; compared here. Pure.
import { nameOf, partText } from './contents-difference.ts'
import type { DefaultTarget, Privilege } from './grant.ts'

export interface PublicRights {
  /** In an order in which they can be set. */
  readonly objects: readonly PublicRight[]
  /** On what the database's owner will make; those of other creators are left out. */
  readonly defaults: readonly PublicDefault[]
}

/** What members of extensions have is not here: it comes with the extension. */
export interface PublicRight {
  readonly on: 'Schema' | 'Table' | 'Column' | 'Sequence' | 'Function' | 'Type'
  /** `''` for a Schema. */
  readonly schema: string
  /** Of a Column that of its table. */
  readonly name: string
  /** Of a Function, by which it is told from others of its name. */
  readonly arguments?: readonly ArgumentType[]
  /** Of a Column. */
  readonly column?: string
  /** All that PUBLIC has on it; none: it was taken. Sorted. */
  readonly privileges: readonly Privilege[]
}

export interface ArgumentType {
  readonly schema: string
  /** Of an array that of its elements. */
  readonly name: string
  readonly isArray: boolean
}

export interface PublicDefault {
  readonly on: DefaultTarget
  /** Only what is made in this schema; `''`: in all of them. */
  readonly schema: string
  readonly privileges: readonly Privilege[]
}

/** Changing them, whatever they are. May be repeated. */
export type PublicRightsChange =
  | { readonly kind: 'setPublicRights'; readonly database: string; readonly rights: readonly PublicRight[] }
  /** On what `role` will make. There is no such change that gives. */
  | { readonly kind: 'takePublicDefault'; readonly role: string; readonly on: (typeof givenBeforehand)[number] }

/** On what PostgreSQL lets everybody do something with all that somebody will make. */
const givenBeforehand = ['Function', 'Type'] as const

/**
 * Of default privileges only what was taken comes along: they are set in the name of the owner on what he makes later, which no
 * comparison sees, and whoever can forge a manifest could give all of that to everybody.
 */
export function publicDefaultChanges(role: string, rights: PublicRights | undefined): readonly PublicRightsChange[] {
  const taken = (rights?.defaults ?? []).filter(({ schema, privileges }) => schema === '' && privileges.length === 0)
  return givenBeforehand
    .filter((sort) => taken.some(({ on }) => on === sort))
    .map((on) => ({ kind: 'takePublicDefault', role, on }))
}

/** Sentences for people, none if everybody may do the same in both. What will be made takes no part. */
export function publicRightsDifference(saved: PublicRights, restored: PublicRights): readonly string[] {
  const [before, after] = [byObject(saved), byObject(restored)]
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((object) => {
    const [wanted, found] = [heldText(before.get(object)), heldText(after.get(object))]
    return wanted === found ? [] : [`PUBLIC has ${found} on ${object} instead of ${wanted}`]
  })
}

/**
 * What makes what was found what was saved, in an order in which it can be set; none where it is so already. What an extension or the like
 * has given that was taken by hand is taken. Rights of a table go with those of its columns, so that all that was saved is set.
 */
export function publicRightsToSet(saved: PublicRights, found: PublicRights): readonly PublicRight[] {
  if (publicRightsDifference(saved, found).length === 0) return []
  const wanted = byObject(saved)
  const strange = found.objects.filter((right) => !wanted.has(objectText(right)))
  return [...strange.map((right) => ({ ...right, privileges: givenByItself(right) })), ...saved.objects]
}

/** What of them a server of this version can have: MAINTAIN came with 17, and in 14 the schema `public` is the server's. */
export function rightsKnownTo(majorVersion: number, { objects, defaults }: PublicRights): PublicRights {
  const known = objects
    .filter(({ on, name }) => majorVersion >= 15 || on !== 'Schema' || name !== 'public')
    .map((right) => ({
      ...right,
      privileges: right.privileges.filter((one) => majorVersion >= 17 || one !== 'MAINTAIN'),
    }))
    .filter((right) => String(right.privileges) !== String(givenByItself(right)))
  return { objects: known, defaults }
}

function givenByItself({ on, name }: PublicRight): readonly Privilege[] {
  if (on === 'Function') return ['EXECUTE']
  return on === 'Type' || (on === 'Schema' && name === 'public') ? ['USAGE'] : []
}

function byObject({ objects }: PublicRights): ReadonlyMap<string, PublicRight> {
  return new Map(objects.map((right) => [objectText(right), right]))
}

function heldText(right: PublicRight | undefined): string {
  if (right === undefined) return 'what PostgreSQL gives'
  return right.privileges.length === 0 ? 'nothing' : right.privileges.join(', ')
}

/** `function api.pay(pg_catalog.int4[])` */
function objectText(right: PublicRight): string {
  if (right.on === 'Schema') return `schema ${partText(right.name)}`
  if (right.on === 'Column') return `column ${nameOf(right)}.${partText(right.column ?? '')}`
  const types = right.arguments?.map((type) => `${nameOf(type)}${type.isArray ? '[]' : ''}`)
  return `${right.on.toLowerCase()} ${nameOf(right)}${types === undefined ? '' : `(${types.join(', ')})`}`
}
