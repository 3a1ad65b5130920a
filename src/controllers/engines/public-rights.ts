// Privileges of PUBLIC in a database, as plain values, and their comparison. PUBLIC exists on every server, so a
// restore can recreate them. Only differences from PostgreSQL's defaults are listed: revoked ones, e.g. EXECUTE on a
// function, and granted ones. Pure.
import { nameOf, partText } from './contents-difference.ts'
import type { DefaultTarget, Privilege } from './grant.ts'

export interface PublicRights {
  /** Ordered so that they can be set one after the other. */
  readonly objects: readonly PublicRight[]
  /** Default privileges on future objects of the database's owner, without those of other creators. */
  readonly defaults: readonly PublicDefault[]
}

/** Privileges of PUBLIC on one object. Objects of extensions are excluded: the extension creates their privileges. */
export interface PublicRight {
  readonly on: 'Schema' | 'Table' | 'Column' | 'Sequence' | 'Function' | 'Type'
  /** `''` for a Schema. */
  readonly schema: string
  /** Name of the object; for a Column, of its table. */
  readonly name: string
  /** Argument types of a Function, which distinguish its overloads. */
  readonly arguments?: readonly ArgumentType[]
  /** Name of a Column. */
  readonly column?: string
  /** All privileges of PUBLIC on the object, sorted; empty if all are revoked. */
  readonly privileges: readonly Privilege[]
}

export interface ArgumentType {
  readonly schema: string
  /** Name of the type; for an array, of its element type. */
  readonly name: string
  readonly isArray: boolean
}

export interface PublicDefault {
  readonly on: DefaultTarget
  /** Schema of the future objects; `''`: all schemas. */
  readonly schema: string
  readonly privileges: readonly Privilege[]
}

/** Idempotent changes of PUBLIC's privileges. */
export type PublicRightsChange =
  | { readonly kind: 'setPublicRights'; readonly database: string; readonly rights: readonly PublicRight[] }
  /** Revokes PUBLIC's default privileges on future objects of `role`. No change grants default privileges. */
  | { readonly kind: 'takePublicDefault'; readonly role: string; readonly on: (typeof givenBeforehand)[number] }

/** Object types on which PostgreSQL grants PUBLIC a default privilege. */
const givenBeforehand = ['Function', 'Type'] as const

/**
 * Returns the changes that restore revoked default privileges. Granted ones are not restored: they apply to the owner's
 * future objects, which no comparison covers. A forged manifest could open all of them to PUBLIC.
 */
export function publicDefaultChanges(role: string, rights: PublicRights | undefined): readonly PublicRightsChange[] {
  const taken = (rights?.defaults ?? []).filter(({ schema, privileges }) => schema === '' && privileges.length === 0)
  return givenBeforehand
    .filter((sort) => taken.some(({ on }) => on === sort))
    .map((on) => ({ kind: 'takePublicDefault', role, on }))
}

/** Returns a sentence per object on which PUBLIC's privileges differ. Default privileges are not compared. */
export function publicRightsDifference(saved: PublicRights, restored: PublicRights): readonly string[] {
  const [before, after] = [byObject(saved), byObject(restored)]
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((object) => {
    const [wanted, found] = [heldText(before.get(object)), heldText(after.get(object))]
    return wanted === found ? [] : [`PUBLIC has ${found} on ${object} instead of ${wanted}`]
  })
}

/**
 * Returns the privileges to set, in order, so that `found` equals `saved`; empty if they are equal. Other differences,
 * e.g. by an extension, are reset to PostgreSQL's defaults. REVOKE on a table also revokes on its columns, so the
 * result contains all privileges of `saved`.
 */
export function publicRightsToSet(saved: PublicRights, found: PublicRights): readonly PublicRight[] {
  if (publicRightsDifference(saved, found).length === 0) return []
  const wanted = byObject(saved)
  const strange = found.objects.filter((right) => !wanted.has(objectText(right)))
  return [...strange.map((right) => ({ ...right, privileges: givenByItself(right) })), ...saved.objects]
}

/**
 * Returns the privileges that a server of this version supports. MAINTAIN exists since 17; in 14 the schema `public`
 * belongs to the server.
 */
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
