import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isKubeError } from '../../src/kube/kube-errors.ts'
import { WatchFrameDecoder } from '../../src/kube/watch-frames.ts'

const utf8 = new TextEncoder()
const added = (name: string) => ({ type: 'ADDED', object: { kind: 'Pod', apiVersion: 'v1', metadata: { name } } })
const lineOf = (frame: unknown) => `${JSON.stringify(frame)}\n`

function decode(chunks: readonly Uint8Array[], maxLineBytes?: number): unknown[] {
  const decoder = new WatchFrameDecoder({
    attempt: 'watch Pod',
    ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
  })
  return [...chunks.flatMap((chunk) => [...decoder.push(chunk)]), ...decoder.end()]
}

function thrownBy(run: () => unknown): Error {
  try {
    run()
  } catch (thrown) {
    if (thrown instanceof Error) return thrown
  }
  throw new Error('nothing was thrown')
}

describe('WatchFrameDecoder', () => {
  it('gives the same frames wherever the network cuts the bytes, even inside a character', () => {
    const name = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(fc.array(name), fc.array(fc.nat(400)), fc.boolean(), (names, cuts, hasLastNewline) => {
        const frames = names.map(added)
        const text = frames.map(lineOf).join('')
        const bytes = utf8.encode(hasLastNewline ? text : text.trimEnd())
        const bounds = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]
        const chunks = bounds.slice(1).map((end, index) => bytes.subarray(bounds[index], end))
        expect(decode(chunks)).toEqual(frames)
      }),
    )
  })

  it('yields a frame as soon as its newline has come', () => {
    const decoder = new WatchFrameDecoder({ attempt: 'watch Pod' })
    expect([...decoder.push(utf8.encode(lineOf(added('a')) + lineOf(added('b')).slice(0, 9)))]).toEqual([added('a')])
    expect([...decoder.push(utf8.encode(lineOf(added('b')).slice(9)))]).toEqual([added('b')])
    expect([...decoder.end()]).toEqual([])
  })

  it('skips empty lines, with which some proxies keep a stream alive', () => {
    expect(decode([utf8.encode(`\n\n${lineOf(added('a'))}\n`)])).toEqual([added('a')])
  })

  it('yields ERROR frames with any Status', () => {
    const frame = { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } }
    expect(decode([utf8.encode(lineOf(frame))])).toEqual([frame])
  })

  it.each([
    ['text that is not JSON', utf8.encode('{"type":"ADDED",hunter2\n')],
    ['a line that was cut short', utf8.encode('{"type":"ADDED","object":{"hunter2"')],
    ['bytes that are not UTF-8', Buffer.from('{"type":"ERROR","object":{"message":"\xff"}}\n', 'latin1')],
    ['an unknown type', utf8.encode('{"type":"REPLACED","object":{"metadata":{}}}\n')],
    ['an event without an object', utf8.encode('{"type":"ADDED"}\n')],
    ['an object without metadata', utf8.encode('{"type":"DELETED","object":{"hunter2":1}}\n')],
    ['a list', utf8.encode('[]\n')],
  ])('rejects %s, and quotes nothing of it', (_what, bytes) => {
    const thrown = thrownBy(() => decode([bytes]))
    expect(isKubeError(thrown, 'ServerError')).toBe(true)
    expect(thrown.message).toMatch(/^watch Pod: the stream cannot be read/)
    expect(`${thrown.message} ${thrown.cause}`).not.toContain('hunter2')
  })

  it('yields the frames before a broken line', () => {
    const decoder = new WatchFrameDecoder({ attempt: 'watch Pod' })
    const seen: unknown[] = []
    expect(() => {
      for (const frame of decoder.push(utf8.encode(`${lineOf(added('a'))}oops\n`))) seen.push(frame)
    }).toThrow('not JSON')
    expect(seen).toEqual([added('a')])
  })

  it('bounds a line, whether it comes at once or in small pieces', () => {
    const line = utf8.encode(lineOf(added('x'.repeat(100))))
    expect(decode([line], line.length - 1)).toHaveLength(1)
    expect(() => decode([line], line.length - 2)).toThrow('longer than')
    expect(decode([line, line, line], line.length - 1)).toHaveLength(3)
    const drops = [...line].map((byte) => Uint8Array.of(byte))
    expect(() => decode(drops.slice(0, 60), 50)).toThrow('longer than 50 bytes')
  })
})
