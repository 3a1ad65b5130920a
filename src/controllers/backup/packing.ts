// How is a copy of a server packed? By what Node has itself, so that a worker and the tools of its image need agree on nothing. Pure.
import type { Duplex } from 'node:stream'
import { constants, createGunzip, createGzip, createZstdCompress, createZstdDecompress } from 'node:zlib'

export type PackingMethod = 'gzip' | 'zstd' | 'none'

export interface Packing {
  readonly method: PackingMethod
  /** Default: the method's own. */
  readonly level?: number | undefined
}

/** Undefined: it stays as it is. */
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
