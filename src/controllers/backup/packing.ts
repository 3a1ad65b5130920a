// Compression of a server copy, with the codecs of Node alone: it does not depend on tools of the image. Pure.
import type { Duplex } from 'node:stream'
import { constants, createGunzip, createGzip, createZstdCompress, createZstdDecompress } from 'node:zlib'

export type PackingMethod = 'gzip' | 'zstd' | 'none'

export interface Packing {
  readonly method: PackingMethod
  /** Compression level. Default: the method's own. */
  readonly level?: number | undefined
}

/** Undefined: no compression. */
export function packer({ method, level }: Packing): Duplex | undefined {
  switch (method) {
    case 'gzip':
      return createGzip(level === undefined ? {} : { level })
    case 'zstd':
      return createZstdCompress(level === undefined ? {} : { params: { [constants.ZSTD_c_compressionLevel]: level } })
    case 'none':
      return undefined
  }
}

export function unpacker(method: PackingMethod): Duplex | undefined {
  switch (method) {
    case 'gzip':
      return createGunzip()
    case 'zstd':
      return createZstdDecompress()
    case 'none':
      return undefined
  }
}
