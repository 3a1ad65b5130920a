// What is in a tar, as its bytes come? Entries with their names, and the bytes of each, of which nothing is kept. What is not written as
// PostgreSQL writes it is refused, and so is a name that leads out of the folder that it is unpacked into. Pure.
import { BackupError } from './backup-error.ts'

export type TarPart =
  | { readonly kind: 'file'; readonly name: string; readonly sizeBytes: number }
  | { readonly kind: 'folder'; readonly name: string }
  /** Of the last file. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }

const block = 512
const fileTypes = ['0', '\0']
const folderType = '5'
/** Where a field of the header begins, and how long it is. Source: pax(1), "ustar Interchange Format". */
const fields = { name: [0, 100], size: [124, 12], checksum: [148, 8], type: [156, 1], prefix: [345, 155] } as const

export class TarScan {
  #header = Buffer.alloc(0)
  /** Bytes of the entry that are still to come, and of the padding behind them. */
  #content = 0
  #padding = 0
  #hasEnded = false

  /** What these bytes bring. Throws ManifestRefused. */
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

  /** Was that all? Throws ManifestRefused for one that was cut off. */
  end(): void {
    if (!this.#hasEnded) throw rejected('it was cut off')
  }

  #entry(): readonly TarPart[] {
    const header = this.#header
    this.#header = Buffer.alloc(0)
    // A block of zeros is the end; a second one follows.
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

/** Large ones are no text: their first bit is set, and the number follows. */
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

/** The field itself counts as blanks. */
function checksumOf(header: Buffer): number {
  const [from, length] = fields.checksum
  return header.reduce((sum, byte, at) => sum + (at >= from && at < from + length ? 0x20 : byte), 0)
}

function rejected(fault: string): BackupError {
  const message = `the copy of the server is no archive that PostgreSQL has written: ${fault}`
  return new BackupError({ code: 'ManifestRefused', message, remedy: 'stop' })
}
