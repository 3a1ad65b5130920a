// Scan of a tar archive. Invariant: the result does not depend on the pieces of the input; truncated, changed and
// escaping archives are rejected.
import { describe, expect, it } from 'vitest'
import { type TarPart, TarScan } from '../../../src/controllers/backup/tar-scan.ts'

interface Entry {
  readonly name: string
  readonly type?: string
  readonly content?: string
  readonly prefix?: string
}

function header({ name, type = '0', content = '', prefix = '' }: Entry): Buffer {
  const block = Buffer.alloc(512)
  block.write(name, 0)
  block.write('0000600\0', 100)
  block.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
  block.write('        ', 148)
  block.write(type, 156)
  block.write('ustar\0', 257)
  block.write(prefix, 345)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

function tarOf(...entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '')
    return [header(entry), content, Buffer.alloc((512 - (content.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1_024)])
}

/** Returns the names and the contents of files. */
function read(tar: Buffer, cut: number): readonly string[] {
  const scan = new TarScan()
  const parts: TarPart[] = []
  for (let at = 0; at < tar.length; at += cut) parts.push(...scan.take(tar.subarray(at, at + cut)))
  scan.end()
  const found: string[] = []
  for (const part of parts) {
    if (part.kind === 'bytes') found.push(`${found.pop()}${Buffer.from(part.bytes).toString()}`)
    else found.push(`${part.kind} ${part.name} `)
  }
  return found
}

const whole = tarOf(
  { name: 'base/', type: '5' },
  { name: 'base/1', content: 'x'.repeat(512) },
  { name: './empty' },
  { name: 'deep', prefix: 'far/away', content: 'y'.repeat(513) },
)

describe('a tar', () => {
  it.each([1, 7, 511, 512, 513, 100_000])('is the same in pieces of %i bytes', (cut) => {
    expect(read(whole, cut)).toEqual([
      'folder base ',
      `file base/1 ${'x'.repeat(512)}`,
      'file empty ',
      `file far/away/deep ${'y'.repeat(513)}`,
    ])
  })

  it.each([
    ['cut off within a file', whole.subarray(0, 1_300), /it was cut off/],
    ['without its end', whole.subarray(0, whole.length - 1_024), /it was cut off/],
    ['of nothing', Buffer.alloc(0), /it was cut off/],
    ['with another name', Buffer.concat([Buffer.from('c'), whole.subarray(1)]), /a header was changed/],
    ['with a link', tarOf({ name: 'pg_tblspc/1', type: '2' }), /neither a file nor a folder/],
    ['that climbs', tarOf({ name: 'a/../../b' }), /leads out of the folder/],
    ['with a root', tarOf({ name: '/etc/passwd' }), /leads out of the folder/],
    ['with a root in its prefix', tarOf({ name: 'passwd', prefix: '/etc' }), /leads out of the folder/],
  ])('%s is rejected', (_what, tar, told) => {
    expect(() => read(tar, 4_096)).toThrow(told)
  })

  it('may have files whose size field is binary', () => {
    const large = header({ name: 'large' })
    large.fill(0, 124, 136)
    large[124] = 0x80
    large.writeUInt32BE(3, 131)
    large.write('        ', 148)
    const sum = large.reduce((total, byte) => total + byte, 0)
    large.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    expect(new TarScan().take(large)).toEqual([{ kind: 'file', name: 'large', sizeBytes: 3 * 256 }])
  })
})
