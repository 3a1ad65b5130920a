// Reader of the protocol buffers wire format, field by field. The caller interprets the field numbers.
// Source: the protocol buffers encoding guide; google.golang.org/protobuf/encoding/protowire.

/** Error for an invalid message, with the text of Go's reader. */
export class WireError extends Error {
  override readonly name = 'WireError'
}

/** A varint or a fixed number as an integer, or the bytes of a text or a message. */
export type WireValue = bigint | Uint8Array

export interface WireField {
  readonly number: number
  readonly value: WireValue
}

/** Returns the fields in wire order; a field may occur more than once. Throws WireError. */
export function* wireFields(message: Uint8Array): Generator<WireField> {
  const reader = new WireReader(message)
  while (!reader.isAtEnd) {
    const tag = reader.varint()
    const number = Number(tag >> 3n)
    if (number === 0 || number > 536_870_911) throw new WireError(`illegal tag ${number} (wire type ${tag & 7n})`)
    yield { number, value: reader.value(Number(tag & 7n)) }
  }
}

class WireReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  value(wireType: number): WireValue {
    switch (wireType) {
      case 0:
        return this.varint()
      case 1:
        return this.#fixed(8)
      case 2:
        return this.#take(Number(this.varint()))
      case 5:
        return this.#fixed(4)
      default:
        throw new WireError(`illegal wireType ${wireType}`)
    }
  }

  varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 64n; shift += 7n) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw new WireError('unexpected EOF')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new WireError('integer overflow')
  }

  #fixed(length: number): bigint {
    return this.#take(length).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new WireError('unexpected EOF')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}
