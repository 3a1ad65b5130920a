// No text escapes its quotes: PostgreSQL's own grammar parses every statement with hostile names, and finds the names.
import fc from 'fast-check'
import type { Change } from '../../src/controllers/engines/change.ts'
import { changeStatements } from '../../src/controllers/engines/postgres/change-statements.ts'
import { emptyTables, tableText } from '../../src/controllers/engines/postgres/migration/copy-statements.ts'
import { connectionString } from '../../src/controllers/engines/postgres/replication/connection-string.ts'
import { identifier, literal, qualified, signature } from '../../src/controllers/engines/postgres/sql-text.ts'
import { claim, coded, type HostileProperty } from './claims.ts'
import { hostileName, hostileText } from './hostile-values.ts'

/** Returns the tree of a statement; throws if the text is none. */
export type Parse = (text: string) => unknown

const token = { uid: 'u', generation: 1 }
const facts = { majorVersion: 17, isSuperuser: true }
/** Names that need no quotes and occur nowhere else. */
const plainNames = ['plainone', 'plaintwo', 'plainthree'] as const

type MakeChange = (one: string, two: string, three: string) => Change

const changes: Readonly<Record<string, MakeChange>> = {
  createRole: (role, verifier) => ({ kind: 'createRole', role, token, attributes: { validUntil: verifier } }),
  renameRole: (role, to) => ({ kind: 'renameRole', role, to }),
  markRole: (role, uid) => ({ kind: 'markRole', role, token: { ...token, uid } }),
  grantMembership: (role, member) => ({ kind: 'grantMembership', role, member, inherits: true }),
  revokeMembership: (role, member, grantor) => ({ kind: 'revokeMembership', role, member, grantors: [grantor] }),
  setRoleSetting: (role, database, value) => ({
    kind: 'setRoleSetting',
    role,
    database,
    name: 'application_name',
    value,
  }),
  setDatabaseOwner: (database, owner) => ({ kind: 'setDatabaseOwner', database, owner }),
  markDatabase: (database, uid, request) => ({
    kind: 'markDatabase',
    database,
    token: { ...token, uid },
    succession: { request },
  }),
  renameDatabase: (database, to) => ({ kind: 'renameDatabase', database, to }),
  hardenDatabase: (database) => ({ kind: 'hardenDatabase', database }),
  resetTemplate: (database) => ({ kind: 'resetTemplate', database }),
  createExtension: (extension, version, schema) => ({ kind: 'createExtension', extension, version, schema }),
  moveExtension: (extension, schema) => ({ kind: 'moveExtension', extension, schema }),
  createSchema: (schema, owner) => ({ kind: 'createSchema', schema, owner }),
  dropSchema: (schema) => ({ kind: 'dropSchema', schema }),
  reassignOwned: (role, to) => ({ kind: 'reassignOwned', role, to }),
  grant: (role, schema, name) => ({
    kind: 'grant',
    role,
    on: 'Table',
    schema,
    table: '',
    names: [name],
    privileges: ['SELECT'],
  }),
  grantColumn: (role, table, name) => ({
    kind: 'grant',
    role,
    on: 'Column',
    schema: 'plainschema',
    table,
    names: [name],
    privileges: ['SELECT'],
  }),
  revoke: (role, name, grantor) => ({
    kind: 'revoke',
    role,
    on: 'Database',
    schema: '',
    table: '',
    names: [name],
    privileges: ['CONNECT'],
    grantors: [grantor],
  }),
  grantDefault: (role, creator, schema) => ({
    kind: 'grantDefault',
    role,
    creator,
    schema,
    on: 'Table',
    privileges: ['SELECT'],
  }),
  createPublication: (publication, schema, name) => ({
    kind: 'createPublication',
    publication,
    tables: [{ schema, name }],
    token,
  }),
  createSubscription: (subscription, publication, connection) => ({
    kind: 'createSubscription',
    subscription,
    publication,
    slot: 'plainslot',
    connection,
    token,
  }),
  setOwner: (owner, schema, name) => ({ kind: 'setOwner', sort: 'TABLE', schema, name, owner }),
  noteRoles: (role, request, name) => ({ kind: 'noteRoles', role, token, request, roles: [name], holds: 'schema' }),
}

const signatureText = fc.oneof(
  hostileText,
  fc.tuple(fc.constantFrom('area', '"Odd ""name"', 'f'), hostileText).map(([name, types]) => `${name}(${types})`),
  fc.constantFrom('area(integer)', '"x"(public.box, "a b"[])', 'f(double precision)'),
)

export function sqlProperties(parse: Parse): readonly HostileProperty[] {
  return [
    {
      name: 'a name in double quotes is read as that name',
      property: fc.property(hostileName, (name) => {
        const quoted = coded(() => identifier(name))
        if ('value' in quoted) claimSame(textsIn(parse(`SELECT 1 AS ${quoted.value}`)), [name])
      }),
    },
    {
      name: 'a text in single quotes is read as that text',
      property: fc.property(hostileText, (text) => {
        const quoted = coded(() => literal(text))
        if ('value' in quoted) claimSame(textsIn(parse(`SELECT ${quoted.value}`)), [text])
      }),
    },
    {
      name: 'the signature of a function is one name and types',
      property: fc.property(hostileName, signatureText, (schema, text) => {
        const quoted = coded(() => signature(schema, text))
        if (!('value' in quoted)) return
        const tree = parsed(parse, `DROP ROUTINE ${quoted.value}`)
        if (tree !== undefined)
          claim(kindsIn(tree).join() === 'DropStmt', () => `${quoted.value} is ${kindsIn(tree).join()}`)
      }),
    },
    {
      name: 'tables are emptied by their own names',
      property: fc.property(hostileName, hostileName, (schema, name) => {
        const statement = coded(() => emptyTables([{ schema, name }]))
        if ('value' in statement) claimSame(textsIn(parse(statement.value)), [schema, name])
        coded(() => qualified(schema, name))
        tableText({ schema, name })
      }),
    },
    ...Object.entries(changes).map(([name, make]) => ({
      name: `the statements of ${name} have the shape of plain names`,
      property: fc.property(hostileName, hostileName, hostileName, (...names) => {
        // An empty text stands for an absent value.
        fc.pre(names.every((text) => text !== ''))
        const built = coded(() => changeStatements(make(...names), facts))
        if (!('value' in built)) return
        const plain = changeStatements(make(...plainNames), facts)
        const [shape, plainShape] = [built.value, plain].map((statements) =>
          statements.map((text) => shapeOf(parse(text))),
        )
        claim(
          JSON.stringify(shape) === JSON.stringify(plainShape),
          () => `${built.value.join('; ')} is not as ${plain.join('; ')}`,
        )
      }),
    })),
    {
      name: 'the words of a connection are read as they were given',
      property: fc.property(hostileText, hostileText, hostileText, (host, password, database) => {
        const source = { host, port: 5432, password, tls: 'verify-full' } as const
        const text = connectionString({ source, database, username: 'u', majorVersion: 17 })
        const read = connectionWords(text)
        claimSame(
          [read.get('host'), read.get('password'), read.get('dbname'), read.get('user')],
          [host, password, database, 'u'],
        )
        claim(read.get('passfile') === '/dev/null', () => text)
      }),
    },
  ]
}

/** Returns undefined for a statement that the grammar rejects: PostgreSQL executes no part of it. */
function parsed(parse: Parse, text: string): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** Returns all texts of the tree in order. The parser keeps names and literals as the server compares them. */
function textsIn(tree: unknown): readonly string[] {
  return nodesIn(tree).flatMap(([key, value]) =>
    typeof value === 'string' && ['sval', 'name', 'schemaname', 'relname'].includes(key) ? [value] : [],
  )
}

function kindsIn(tree: unknown): readonly string[] {
  return nodesIn(tree).flatMap(([key, value]) =>
    key === 'stmt' && typeof value === 'object' ? Object.keys(value ?? {}) : [],
  )
}

function nodesIn(tree: unknown): readonly (readonly [string, unknown])[] {
  if (typeof tree !== 'object' || tree === null) return []
  return Object.entries(tree).flatMap(([key, value]) => [[key, value] as const, ...nodesIn(value)])
}

/** Returns the tree without its texts and positions. */
function shapeOf(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(shapeOf)
  if (typeof tree === 'string') return ''
  if (typeof tree !== 'object' || tree === null) return tree
  const parts = Object.entries(tree).filter(([key]) => !['location', 'stmt_len', 'stmt_location', 'sval'].includes(key))
  return Object.fromEntries(parts.map(([key, value]) => [key, shapeOf(value)]))
}

function claimSame(found: readonly unknown[], wanted: readonly unknown[]): void {
  claim(
    JSON.stringify(found) === JSON.stringify(wanted),
    () => `${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`,
  )
}

/**
 * Reads by libpq's rules: `name='value'`, with backslashes before quotes and backslashes. Source: fe-connect.c,
 * conninfo_parse.
 */
function connectionWords(text: string): ReadonlyMap<string, string> {
  const words = new Map<string, string>()
  const word = /\s*(\w+)='((?:[^'\\]|\\.)*)'/gsy
  let end = 0
  for (let match = word.exec(text); match !== null; match = word.exec(text)) {
    words.set(match[1] ?? '', (match[2] ?? '').replaceAll(/\\(.)/gs, '$1'))
    end = word.lastIndex
  }
  claim(end === text.length, () => `libpq reads no further than ${end} in ${text}`)
  return words
}
