// Desired privileges on each object. Invariant: linear in the names of the spec plus the names of the server, because
// each object is looked up by name. Pure.
import type { CustomGrant, DesiredGrant, GrantGroup, GrantTarget, Privilege } from './grant.ts'
import type { SlicedWork } from './slice-runner.ts'

/** Object types that a schema contains. */
export type ObjectTarget = 'Table' | 'Sequence' | 'Function'

export const objectTargets: readonly ObjectTarget[] = ['Table', 'Sequence', 'Function']

type Preset = Readonly<Record<'Database' | 'Schema' | ObjectTarget, readonly Privilege[]>>

/** MAINTAIN exists since PostgreSQL 17 and belongs to the owner preset. */
const presets: Readonly<Record<DesiredGrant['access'], Preset>> = {
  ReadOnly: { Database: ['CONNECT'], Schema: ['USAGE'], Table: ['SELECT'], Sequence: ['SELECT'], Function: [] },
  ReadWrite: {
    Database: ['CONNECT', 'TEMPORARY'],
    Schema: ['USAGE'],
    Table: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
    Sequence: ['SELECT', 'UPDATE', 'USAGE'],
    Function: ['EXECUTE'],
  },
  Owner: {
    Database: ['CONNECT', 'CREATE', 'TEMPORARY'],
    Schema: ['CREATE', 'USAGE'],
    Table: ['DELETE', 'INSERT', 'MAINTAIN', 'REFERENCES', 'SELECT', 'TRIGGER', 'TRUNCATE', 'UPDATE'],
    Sequence: ['SELECT', 'UPDATE', 'USAGE'],
    Function: ['EXECUTE'],
  },
  Custom: { Database: [], Schema: [], Table: [], Sequence: [], Function: [] },
}

/** A name of the spec. */
interface NamedObject {
  /** Privileges of the name's own grants, and those on all objects of its type. */
  readonly privileges: Set<Privilege>
  /** The same privileges, sorted and interned. Set after all grants are read. */
  desired: readonly Privilege[]
  isFound: boolean
  /** A list of this name alone, shared by all objects that match only this name. */
  readonly alone: NamedObject[]
}

interface Found {
  readonly majorVersion: number
  /** Schemas of the spec that exist. */
  readonly schemas: ReadonlySet<string>
}

export class DesiredPrivileges {
  readonly #wish: DesiredGrant
  readonly #majorVersion: number
  readonly #schemas: ReadonlySet<string>
  readonly #found: ReadonlySet<string>
  readonly #onAll: Preset
  readonly #named: Readonly<Record<ObjectTarget, Map<string, NamedObject>>> = {
    Table: new Map(),
    Sequence: new Map(),
    Function: new Map(),
  }
  /** Equal lists are one instance, so that callers compare them by identity. */
  readonly #interned = new Map<string, readonly Privilege[]>()

  private constructor(wish: DesiredGrant, { majorVersion, schemas }: Found) {
    this.#wish = wish
    this.#found = schemas
    this.#majorVersion = majorVersion
    this.#schemas = new Set(wish.schemas)
    const onAll = (on: keyof Preset) => {
      const isOfAll = ({ objectType, names }: CustomGrant) =>
        objectType === on && (names === undefined || !isObjectTarget(on))
      const listed = wish.grants.filter(isOfAll).flatMap(({ privileges }) => privileges)
      return this.#known([...presets[wish.access][on], ...listed])
    }
    this.#onAll = {
      ...{ Database: onAll('Database'), Schema: onAll('Schema') },
      ...{ Table: onAll('Table'), Sequence: onAll('Sequence'), Function: onAll('Function') },
    }
  }

  static *of(wish: DesiredGrant, found: Found): SlicedWork<DesiredPrivileges> {
    const desired = new DesiredPrivileges(wish, found)
    for (const { objectType: on, names, privileges } of wish.grants) {
      if (on === 'Database' || on === 'Schema' || names === undefined) continue
      for (const name of names) desired.#add(on, name, privileges)
      yield
    }
    for (const on of objectTargets) {
      let count = 0
      for (const named of desired.#named[on].values()) {
        named.desired = desired.#known(named.privileges)
        count += 1
        if (count % 256 === 0) yield
      }
    }
    return desired
  }

  /** Returns the privileges on all objects of a type in the desired schemas. */
  onAll(on: keyof Preset): readonly Privilege[] {
    return this.#onAll[on]
  }

  /**
   * Returns a function from an object's name to its desired privileges, and marks the object as found. Equal lists are
   * one instance.
   */
  within({ on, schema, isOfExtension }: GrantGroup): (name: string) => readonly Privilege[] {
    // Some functions of extensions are for superusers: dblink_connect_u lets its caller become a superuser.
    if (on === 'Column' || isOfExtension) return () => none
    const all = this.#onAll[on]
    if (on === 'Database') return (name) => (name === this.#wish.database ? all : none)
    if (on === 'Schema') return (name) => (this.#schemas.has(name) ? all : none)
    if (!this.#schemas.has(schema)) return () => none
    if (this.#named[on].size === 0) return () => all
    const isThere = this.#found.has(schema)
    return (name) => {
      const named = this.#find(on, name)
      if (isThere) for (const one of named) one.isFound = true
      return this.#ofNamed(named) ?? all
    }
  }

  /** Records that an object of this name exists. */
  markFound(on: GrantTarget, name: string): void {
    if (!isObjectTarget(on)) return
    for (const named of this.#find(on, name)) named.isFound = true
  }

  /** Returns whether the spec names objects of this type. */
  hasNames(on: GrantTarget): boolean {
    return isObjectTarget(on) && this.#named[on].size > 0
  }

  /** Returns the names of the spec without a `markFound` call, in the order of the spec, e.g. `table orders`. */
  notFound(): readonly string[] {
    const names = this.#wish.grants.flatMap(({ objectType: on, names: some = [] }) =>
      isObjectTarget(on)
        ? some
            .filter((name) => this.#named[on].get(name)?.isFound !== true)
            .map((name) => `${on.toLowerCase()} ${name}`)
        : [],
    )
    return [...new Set(names)]
  }

  #add(on: ObjectTarget, name: string, privileges: readonly Privilege[]): void {
    const known = this.#named[on].get(name)
    const named: NamedObject = known ?? {
      privileges: new Set(this.#onAll[on]),
      desired: none,
      isFound: false,
      alone: [],
    }
    for (const privilege of privileges) named.privileges.add(privilege)
    if (known !== undefined) return
    named.alone.push(named)
    this.#named[on].set(name, named)
  }

  /**
   * Returns the names of the spec that match this object: one, or up to three for a function. Objects without a match
   * share one empty list.
   */
  #find(on: ObjectTarget, name: string): readonly NamedObject[] {
    const named = this.#named[on]
    const whole = named.get(name)
    if (on !== 'Function') return whole?.alone ?? unnamed
    const end = name.startsWith('"') ? endOfQuoted(name) : name.indexOf('(')
    const written = named.get(name.slice(0, end))
    const plain = name.startsWith('"') ? named.get(unquoted(name.slice(1, end - 1))) : undefined
    const one = whole ?? written ?? plain
    if (one === undefined) return unnamed
    const isOnly = one === (plain ?? written ?? whole) && (written ?? one) === one
    return isOnly ? one.alone : [whole, written, plain].filter((other) => other !== undefined)
  }

  #ofNamed(named: readonly NamedObject[]): readonly Privilege[] | undefined {
    if (named.length < 2) return named[0]?.desired
    return this.#known(named.flatMap(({ desired }) => desired))
  }

  /** Deduplicates, sorts, and drops privileges that this server version does not have. */
  #known(privileges: Iterable<Privilege>): readonly Privilege[] {
    const sorted = [...new Set(privileges)].filter((one) => one !== 'MAINTAIN' || this.#majorVersion >= 17).sort()
    const key = sorted.join(',')
    const known = this.#interned.get(key)
    if (known === undefined) this.#interned.set(key, sorted)
    return known ?? sorted
  }
}

const none: readonly Privilege[] = []
const unnamed: readonly NamedObject[] = []

function isObjectTarget(on: GrantTarget): on is ObjectTarget {
  return on === 'Table' || on === 'Sequence' || on === 'Function'
}

function unquoted(name: string): string {
  return name.includes('"') ? name.replaceAll('""', '"') : name
}

/** Returns the position after the closing quote of the name at the start. */
function endOfQuoted(text: string): number {
  let at = text.indexOf('"', 1)
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at === -1 ? text.length : at + 1
}
