// Content of the database: half orders of narrow rows, half events of JSON, with typical indexes. About half of a row
// is compressible.
import type { PostgresServer } from '../../test/postgres/postgres-server.ts'

const rowsAtOnce = 100_000

/** Fills the database to the size, and returns the reached size. */
export async function fill(server: PostgresServer, database: string, bytes: number): Promise<number> {
  const [row] = await server.byHand('SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = $1', {
    values: [database],
  })
  await server.byHand(`SET ROLE "${row?.['owner']}"; ${tables}`, { database })
  let size = 0
  for (let from = 0; size < bytes; from += rowsAtOnce) {
    await server.byHand(rows(from + 1, from + rowsAtOnce), { database })
    const [found] = await server.byHand('SELECT pg_database_size(current_database())::float8 AS size', { database })
    size = Number(found?.['size'])
  }
  await server.byHand('VACUUM ANALYZE', { database })
  await server.byHand('CHECKPOINT')
  return size
}

const tables = `
  CREATE TABLE public.orders (id bigint PRIMARY KEY, customer int NOT NULL, at timestamptz NOT NULL, amount numeric(12, 2), state text, note text);
  CREATE TABLE public.events (id bigint PRIMARY KEY, body jsonb NOT NULL);
  CREATE INDEX ON public.orders (customer);`

const rows = (from: number, to: number) => `
  INSERT INTO public.orders SELECT n, n % 50000, timestamptz '2026-01-01' + n * interval '1 second', n / 7.0,
    (ARRAY['new', 'paid', 'sent'])[1 + n % 3], md5(n::text) || md5((n + 1)::text) || repeat(' of the customer', 4)
    FROM generate_series(${from}, ${to}) n;
  INSERT INTO public.events SELECT n, jsonb_build_object('order', n, 'kind', 'paid', 'trace', md5((-n)::text), 'labels', jsonb_build_array('a', n % 10),
    'note', md5((3 * n)::text)) FROM generate_series(${from}, ${to}) n;`
