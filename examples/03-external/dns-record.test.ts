// Test of a controller of external resources, on a cluster in the test's own process. The test can change and break a
// model of the outside world behind the controller's back. Outside this repository the imports read: from 'konverge'
// and from 'konverge/testing'.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { startCluster } from '../../src/testing/index.ts'
import { DnsRecord, dnsRecordController } from './dns-record.ts'
import type { Zone, ZoneEntry } from './zone.ts'

const definition = parse(readFileSync(new URL('dns-record.crd.yaml', import.meta.url), 'utf8'))
const sample = parse(readFileSync(new URL('dns-record.yaml', import.meta.url), 'utf8'))
const hostname = 'shop.example.com'

class ZoneInMemory implements Zone {
  readonly name = 'memory'
  readonly entries = new Map<string, ZoneEntry>()
  reads = 0
  isDown = false

  async read(name: string): Promise<ZoneEntry | undefined> {
    this.reads += 1
    if (this.isDown) throw new Error('the zone is down')
    return this.entries.get(name)
  }

  async write(name: string, entry: ZoneEntry, { isNew }: { readonly isNew: boolean }): Promise<void> {
    if (isNew && this.entries.has(name)) throw Object.assign(new Error(`${name} is taken`), { code: 'EEXIST' })
    this.entries.set(name, entry)
  }

  async remove(name: string): Promise<void> {
    this.entries.delete(name)
  }
}

it('writes a record, puts back what somebody else changed, and takes it away in the end', async () => {
  await using cluster = await startCluster({ definitions: [definition] })
  const zone = new ZoneInMemory()
  cluster.run(dnsRecordController(zone))
  await cluster.create(DnsRecord, sample)
  await cluster.advance(5_000)
  expect(zone.entries.get(hostname)).toMatchObject({ address: '192.0.2.7' })
  expect(await cluster.condition(DnsRecord, 'shop', 'Ready')).toMatchObject({ status: 'True' })

  zone.entries.set(hostname, { address: '198.51.100.1', owner: zone.entries.get(hostname)?.owner })
  await cluster.advance(70_000)
  expect(zone.entries.get(hostname)).toMatchObject({ address: '192.0.2.7' })

  zone.reads = 0
  expect(await cluster.requestsDuring(50_000)).toEqual([])
  expect(zone.reads).toBe(0)

  await cluster.delete(DnsRecord, 'shop')
  await cluster.advance(5_000)
  expect(zone.entries.size).toBe(0)
  expect(await cluster.find(DnsRecord, 'shop')).toBeUndefined()
})

it('leaves alone what is not its own, and says so', async () => {
  await using cluster = await startCluster({ definitions: [definition] })
  const zone = new ZoneInMemory()
  zone.entries.set(hostname, { address: '198.51.100.1', owner: undefined })
  cluster.run(dnsRecordController(zone))
  await cluster.create(DnsRecord, sample)
  await cluster.advance(5_000)
  expect(await cluster.condition(DnsRecord, 'shop', 'Stalled')).toMatchObject({ reason: 'NotOwned' })
  await cluster.delete(DnsRecord, 'shop')
  await cluster.advance(5_000)
  expect(zone.entries.get(hostname)).toMatchObject({ address: '198.51.100.1' })
})

it('keeps the resource while it cannot tell that the record is gone', async () => {
  await using cluster = await startCluster({ definitions: [definition] })
  const zone = new ZoneInMemory()
  cluster.run(dnsRecordController(zone))
  await cluster.create(DnsRecord, sample)
  await cluster.advance(5_000)
  zone.isDown = true
  await cluster.delete(DnsRecord, 'shop')
  await cluster.advance(600_000)
  expect(await cluster.condition(DnsRecord, 'shop', 'Degraded')).toMatchObject({ reason: 'DependencyUnavailable' })
  zone.isDown = false
  await cluster.advance(300_000)
  expect(await cluster.find(DnsRecord, 'shop')).toBeUndefined()
  expect(zone.entries.size).toBe(0)
})

it('leaves the record where that is the policy', async () => {
  await using cluster = await startCluster({ definitions: [definition] })
  const zone = new ZoneInMemory()
  cluster.run(dnsRecordController(zone))
  await cluster.create(DnsRecord, { ...sample, spec: { ...sample.spec, deletionPolicy: 'Retain' } })
  await cluster.advance(5_000)
  await cluster.delete(DnsRecord, 'shop')
  await cluster.advance(5_000)
  expect(await cluster.find(DnsRecord, 'shop')).toBeUndefined()
  expect(zone.entries.size).toBe(1)
})
