// A process that answers one request and says so: what bench/apiserver/start.ts waits for. Its argument is the folder of the
// sources, as they are or compiled.
// It does not import node:process, which alone takes Node 30 ms.
import { writeSync } from 'node:fs'

const [folder = 'src', extension = 'ts'] = process.argv.slice(2)
const at = (path: string) => new URL(`../../${folder}/${path}.${extension}`, import.meta.url).href
// The modules that the types name, from the folder that is measured.
const { Cluster } = (await import(at('apiserver/cluster'))) as typeof import('../../src/apiserver/cluster.ts')
const { systemClock } = (await import(at('base/clock'))) as typeof import('../../src/base/clock.ts')
const { systemRandom } = (await import(at('base/random'))) as typeof import('../../src/base/random.ts')

const admin = { name: 'admin', groups: ['system:masters'] }
const cluster = new Cluster({ clock: systemClock, random: systemRandom, tokens: new Map([['bench', admin]]) })
const answer = await cluster.server.answer({
  method: 'GET',
  path: '/api/v1/namespaces',
  query: new URLSearchParams(),
  header: (name) => (name === 'authorization' ? 'Bearer bench' : undefined),
  body: '',
})
writeSync(1, `${answer.status}\n`)
cluster.stop()
