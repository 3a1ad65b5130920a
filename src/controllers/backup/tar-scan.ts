// Incremental parser of a tar archive. It returns entries with their names, and the bytes of each, and keeps none.
// Invariant: it rejects what PostgreSQL does not write, and names that lead out of the target folder. Pure.
import { BackupError } from './backup-error.ts'

export type TarPart =
  | { readonly kind: 'file'; readonly name: string; readonly sizeBytes: number }
  | { readonly kind: 'folder'; readonly name: string }
  /** Bytes of the last file. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }

const block = 512
const fileTypes = ['0', '\0']
const folderType = '5'
/** Start and length of each header field. Source: pax(1), "ustar Interchange Format". */
const fields = { name: [0, 100], size: [124, 12], checksum: [148, 8], type: [156, 1], prefix: [345, 155] } as const

export class TarScan {
  #header = Buffer.alloc(0)
  /** Remaining bytes of the entry, and of the padding behind it. */
  #content = 0
  #padding = 0
  #hasEnded = false

  /** Returns the parts in these bytes. Throws ManifestRefused. */
  take(chunk: Uint8Array): readonly TarPart[] {
    const parts: TarPart[] = []
    let rest = chunk
    while (rest.byteLength > 0 && !this.#hasEnded) {
      if (this.#content > 0) {
        const bytes = rest.subarray(0, this.#content)
        parts.push({ kind: 'bytes', bytes })
        this.#content -= bytes.byteLength
        rest = rest.subarray(bytes.byteLength)
      } else if (this.#padding > 0) {
        const skipped = Math.min(this.#padding, rest.byteLength)
        this.#padding -= skipped
        rest = rest.subarray(skipped)
      } else {
        const wanted = block - this.#header.byteLength
        this.#header = Buffer.concat([this.#header, rest.subarray(0, wanted)])
        rest = rest.subarray(wanted)
        if (this.#header.byteLength === block) parts.push(...this.#entry())
      }
    }
    return parts
  }

  /** Throws ManifestRefused if the archive was truncated. */
  end(): void {
    if (!this.#hasEnded) throw rejected('it was cut off')
  }

  #entry(): readonly TarPart[] {
    const header = this.#header
    this.#header = Buffer.alloc(0)
    // A block of zeros ends the archive; a second one follows.
    if (header.every((byte) => byte === 0)) {
      this.#hasEnded = true
      return []
    }
    if (checksumOf(header) !== octal(header, 'checksum')) throw rejected('a header was changed')
    const name = nameIn(header)
    const type = text(header, 'type')
    if (type === folderType) return [{ kind: 'folder', name }]
    if (type !== '' && !fileTypes.includes(type)) throw rejected(`${name} is neither a file nor a folder`)
    const sizeBytes = sizeIn(header)
    if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0) throw rejected(`${name} has no size`)
    this.#content = sizeBytes
    this.#padding = (block - (sizeBytes % block)) % block
    return [{ kind: 'file', name, sizeBytes }]
  }
}

function nameIn(header: Buffer): string {
  const name = [text(header, 'prefix'), text(header, 'name')]
    .filter(Boolean)
    .join('/')
    .replace(/^\.\//, '')
    .replace(/\/$/, '')
  const isInside = !name.startsWith('/') && !name.split('/').includes('..')
  if (!isInside) throw rejected(`${JSON.stringify(name)} leads out of the folder`)
  return name
}

/** Large sizes are no text: the first bit is set, and the number follows. */
function sizeIn(header: Buffer): number {
  const [from, length] = fields.size
  if (((header[from] ?? 0) & 0x80) === 0) return octal(header, 'size')
  return header.subarray(from + 1, from + length).reduce((sum, byte) => sum * 256 + byte, 0)
}

function octal(header: Buffer, field: keyof typeof fields): number {
  return Number.parseInt(text(header, field).trim() || '0', 8)
}

function text(header: Buffer, field: keyof typeof fields): string {
  const [from, length] = fields[field]
  const bytes = header.subarray(from, from + length)
  const end = bytes.indexOf(0)
  return bytes.subarray(0, end === -1 ? length : end).toString('utf8')
}

/** Returns the sum of the header's bytes. The checksum field itself counts as blanks. */
function checksumOf(header: Buffer): number {
  const [from, length] = fields.checksum
  return header.reduce((sum, byte, at) => sum + (at >= from && at < from + length ? 0x20 : byte), 0)
}

function rejected(fault: string): BackupError {
  const message = `the copy of the server is no archive that PostgreSQL has written: ${fault}`
  return new BackupError({ code: 'ManifestRefused', message, remedy: 'stop' })
}
