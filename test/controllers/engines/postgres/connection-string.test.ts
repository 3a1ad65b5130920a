import { expect, it } from 'vitest'
import { connectionString } from '../../../../src/controllers/engines/postgres/replication/connection-string.ts'

it('a connection string quotes its values, and takes nothing from the environment of the server that uses it', () => {
  const source = { host: 'db', port: 5432, tls: 'verify-full', password: "a' host='evil \\" } as const
  const text = (majorVersion: number) => connectionString({ source, database: 'shop', username: 'u', majorVersion })
  expect(text(15)).toBe(
    "host='db' port='5432' dbname='shop' user='u' password='a\\' host=\\'evil \\\\' sslmode='verify-full' passfile='/dev/null' connect_timeout='10' keepalives_idle='10' keepalives_interval='5' keepalives_count='3'",
  )
  expect(text(16)).toContain(" require_auth='scram-sha-256'")
})

it('a connection string gets the source without a certificate authority when the target has none', () => {
  const source = { host: 'db', port: 5432, tls: 'bound', password: 'a' } as const
  const text = connectionString({ source, database: 'shop', username: 'u', majorVersion: 16 })
  expect(text).toContain(" sslmode='require' channel_binding='require' ")
})
