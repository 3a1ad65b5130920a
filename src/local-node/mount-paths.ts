// Translation of container paths to paths of this machine. A local process has no file system of its own: each mount is
// a folder of the node. In texts, the folder's path replaces the mounted path. See docs/local-node.md.
import { posix } from 'node:path'

export interface Mount {
  /** Path in the pod's spec. */
  readonly mountPath: string
  /** Folder or file on this machine. */
  readonly realPath: string
}

/** Returns the path on this machine; undefined if no mount contains it. The innermost mount wins. */
export function realPathOf(mounts: readonly Mount[], path: string): string | undefined {
  const inside = mounts
    .filter(({ mountPath }) => path === clean(mountPath) || path.startsWith(`${clean(mountPath)}/`))
    .reduce<Mount | undefined>((best, mount) => (isLonger(mount, best) ? mount : best), undefined)
  return inside === undefined ? undefined : inside.realPath + path.slice(clean(inside.mountPath).length)
}

/**
 * Returns the text with each mounted path replaced. A path starts at the start of the text or after one of `=:,;"'` or
 * white space, and ends before one of these.
 *
 * @example withRealPaths('--data=/data/db', [{ mountPath: '/data', realPath: '/tmp/v1' }]) // '--data=/tmp/v1/db'
 */
export function withRealPaths(text: string, mounts: readonly Mount[]): string {
  if (mounts.length === 0 || !text.includes('/')) return text
  return text.replaceAll(pathInText, (path) => realPathOf(mounts, path) ?? path)
}

const pathInText = /(?<=^|[=:,;"'\s])\/[^=:,;"'\s]*/g

function isLonger(mount: Mount, best: Mount | undefined): boolean {
  return best === undefined || clean(mount.mountPath).length > clean(best.mountPath).length
}

function clean(path: string): string {
  const normal = posix.normalize(path)
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal
}
