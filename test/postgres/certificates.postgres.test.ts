// PostgreSQL with the certificates of the operator. Channel binding ties the password exchange to a digest of the
// certificate; libpq requests it by default, and not every type of key supports it.
import { Client } from 'pg'
import { expect, it } from 'vitest'
import { onEachPostgres } from './on-each-postgres.ts'

onEachPostgres(
  'a certificate of the curve P-256',
  (server) => {
    it('a certificate is trusted by itself, names its server, and supports channel binding', async () => {
      const { port, password, certificate } = server()
      const client = new Client({
        ...{ host: 'localhost', port, password, user: 'postgres', database: 'postgres' },
        ssl: { ca: certificate },
        enableChannelBinding: true,
      })
      await client.connect()
      try {
        const { rows } = await client.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
        expect(rows).toEqual([{ ssl: true }])
      } finally {
        await client.end()
      }
    })
  },
  { tlsFor: ['localhost'] },
)
