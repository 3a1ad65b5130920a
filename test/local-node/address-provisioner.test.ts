// Addresses of several nodes of one machine. Each node has its own, keeps them across restarts if possible, and reports
// one sentence if none is left.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import { AddressProvisioner, claimPort } from '../../src/local-node/address-provisioner.ts'
import { addressFor } from '../../src/local-node/pod-address.ts'

const isLinux = process.platform === 'linux'
/** Ranges that differ from those of other runs of this file. */
let ranges: { readonly pods: string; readonly services: string }
const lock = createServer()

beforeAll(async () => {
  for (let secondByte = 60; isLinux && !lock.listening; secondByte += 2) {
    ranges = { pods: `127.${secondByte}`, services: `127.${secondByte + 1}` }
    lock.listen({ host: `${ranges.pods}.255.255`, port: 12_751 })
    await once(lock, 'listening').catch(() => undefined) // Another run uses this range.
  }
})
afterAll(() => void lock.close())

describe.skipIf(!isLinux)('the parts of the addresses of a machine', () => {
  it('belong to one live node', async () => {
    const one = await claimed()
    const other = await claimed()
    expect(partsOf(one)).toEqual({ pods: `${ranges.pods}.0`, services: `${ranges.services}.0` })
    expect(partsOf(other)).toEqual({ pods: `${ranges.pods}.1`, services: `${ranges.services}.1` })
    await one.release()
    expect(partsOf(await claimed())).toEqual(partsOf(one))
  })

  it('are those of the previous run, unless another node has them now', async () => {
    const [one, folder] = [await claimed(), newFolder()]
    const first = await claimed(folder)
    await one.release()
    await first.release()
    const second = await claimed(folder)
    expect(partsOf(second)).toEqual(partsOf(first))
    expect(second.isLost(`${ranges.services}.1.7`)).toBe(false)
    await second.release()
    const early = await claimed()
    const thief = await claimed()
    await early.release()
    const third = await claimed(folder)
    expect(partsOf(thief)).toEqual(partsOf(first))
    expect(partsOf(third)).toEqual(partsOf(one))
    expect([1, 11, 0].map((part) => third.isLost(`${ranges.services}.${part}.7`))).toEqual([true, false, false])
  })

  it('exclude those where a program of a killed node still listens', async () => {
    const server = createServer().listen({ host: `${ranges.pods}.0.9`, port: 0 })
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    expect(partsOf(await claimed())).toEqual({ pods: `${ranges.pods}.1`, services: `${ranges.services}.0` })
  })

  it.each(['', '[]', '{"pods":1}', '{"pods":"10.0.0","services":"127.50"}'])(
    'are found despite the file content %j',
    async (text) => {
      const folder = newFolder()
      writeFileSync(join(folder, 'addresses.json'), text)
      expect(partsOf(await claimed(folder))).toEqual({ pods: `${ranges.pods}.0`, services: `${ranges.services}.0` })
    },
  )

  it('end with one sentence when none is left', async () => {
    const others = Array.from({ length: 256 }, (_, part) =>
      createServer().listen(claimPort, `${ranges.pods}.${part}.0`),
    )
    onTestFinished(() => void others.map((server) => server.close()))
    await Promise.all(others.map((server) => once(server, 'listening')))
    await expect(claimed()).rejects.toMatchObject({
      code: 'NoAddresses',
      message: `claim addresses for pods: other nodes of this machine have all of ${ranges.pods}.0.0/16; end one of them`,
    })
  })
})

it('are the first ones, unclaimed, if the machine has no such addresses', async () => {
  const lines: string[] = []
  const log = { ...silentInstruments.log, warn: (_: unknown, message: string) => void lines.push(message) }
  const elsewhere = { pods: '192.0', services: '198.51' }
  const nodes = [1, 2].map(() => new AddressProvisioner({ log, folder: newFolder(), ranges: elsewhere }))
  for (const node of nodes) await node.claim()
  expect(nodes.map(partsOf)).toEqual([1, 2].map(() => ({ pods: '192.0.0', services: '198.51.0' })))
  expect(lines).toEqual(Array(4).fill('nothing keeps other nodes from the addresses of this one'))
})

it.each([
  { title: 'the first one', before: undefined, inUse: [], given: '127.50.3.1' },
  { title: 'the one it had', before: '127.50.3.9', inUse: ['127.50.3.1'], given: '127.50.3.9' },
  { title: 'another one than it had in another part', before: '127.50.31.9', inUse: [], given: '127.50.3.1' },
  { title: 'another one than others have', before: '127.50.3.1', inUse: ['127.50.3.1'], given: '127.50.3.2' },
  { title: 'none but the 254', before: undefined, inUse: Array.from({ length: 254 }, (_, at) => `127.50.3.${at + 1}`) },
])('gives $title', ({ before, inUse, given }) => {
  expect(addressFor({ part: '127.50.3', before, inUse: new Set(inUse) })).toBe(given)
})

async function claimed(folder = newFolder()): Promise<AddressProvisioner> {
  const addresses = new AddressProvisioner({ log: silentInstruments.log, folder, ranges })
  onTestFinished(() => addresses.release())
  await addresses.claim()
  return addresses
}

function partsOf(addresses: AddressProvisioner) {
  return { pods: addresses.partOf('pods'), services: addresses.partOf('services') }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'konverge-addresses-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
