// Does PostgreSQL take the certificates that we write? With channel binding the password's exchange is bound to a digest of the
// certificate, which libpq asks for by default and which not every kind of key has.
import { Client } from 'pg'
import { expect, it } from 'vitest'
import { onEachPostgres } from './on-each-postgres.ts'

onEachPostgres(
  'a certificate of the curve P-256',
  (server) => {
    it('is trusted by itself, names its server, and binds the exchange of the password', async () => {
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
