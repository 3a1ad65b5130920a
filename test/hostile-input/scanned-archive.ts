// Scan of a tar archive with one entry: arbitrary fields, valid checksum.
import { resolve, sep } from 'node:path'
import { TarScan } from '../../src/controllers/backup/tar-scan.ts'
import { claim, coded } from './claims.ts'

export function scanned(name: string, size: string, type: string, content: Uint8Array): void {
  const header = Buffer.alloc(512)
  header.write(name, 0, 100)
  header.write(size, 124, 12)
  header.write(type, 156, 1)
  header.fill(' ', 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8)
  coded(() => {
    const scan = new TarScan()
    for (const part of [...scan.take(header), ...scan.take(content)]) {
      if (part.kind === 'bytes') continue
      const path = resolve('/copy', part.name)
      claim(path === '/copy' || path.startsWith(`/copy${sep}`), () => `${part.name} leads to ${path}`)
      claim(!part.name.includes('\0'), () => 'a name has the character NUL')
      if (part.kind === 'file')
        claim(Number.isSafeInteger(part.sizeBytes) && part.sizeBytes >= 0, () => `a file has ${part.sizeBytes} bytes`)
    }
    scan.end()
  })
}
