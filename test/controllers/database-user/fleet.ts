// Many databases of one server with two users each, for the scale test and the benchmark. Pure.
import type { DatabaseSpecInput } from '../../../imports/wire/database.ts'
import type { DatabaseUserSpecInput } from '../../../imports/wire/database-user.ts'

export interface Fleet {
  readonly databases: readonly { readonly name: string; readonly spec: DatabaseSpecInput }[]
  readonly users: readonly { readonly name: string; readonly spec: DatabaseUserSpecInput }[]
}

/** Each database has one reader and one writer. Its server is that of the Secret `server`. */
export function fleetOf(count: number): Fleet {
  const names = Array.from({ length: count }, (_, index) => `fleet-${String(index).padStart(3, '0')}`)
  const server = { connectionSecretRef: { name: 'server' }, sslMode: 'disable' } as const
  const user = (database: string, access: 'ReadOnly' | 'ReadWrite') => ({
    name: `${database}-${access === 'ReadOnly' ? 'reader' : 'writer'}`,
    spec: { databases: [{ name: database, access }], password: { generate: {} } },
  })
  return {
    databases: names.map((name) => ({ name, spec: { provider: { server } } })),
    users: names.flatMap((name) => [user(name, 'ReadOnly'), user(name, 'ReadWrite')]),
  }
}
