// Where on this machine is a path of a container? A local process has no file system of its own: each mount is a folder of
// the node, and texts that name a mounted path get the folder's own path instead. See docs/local-node.md.
import { posix } from 'node:path'

export interface Mount {
  /** The path that the pod's author wrote. */
  readonly mountPath: string
  /** The folder or file on this machine. */
  readonly realPath: string
}

/** The path on this machine, or undefined if it lies in no mount. The innermost mount wins. */
export function realPathOf(mounts: readonly Mount[], path: string): string | undefined {
  const inside = mounts
    .filter(({ mountPath }) => path === clean(mountPath) || path.startsWith(`${clean(mountPath)}/`))
    .reduce<Mount | undefined>((best, mount) => (isLonger(mount, best) ? mount : best), undefined)
  return inside === undefined ? undefined : inside.realPath + path.slice(clean(inside.mountPath).length)
}

/**
 * The text with each mounted path in it replaced. A path begins at the start of the text or after one of `=:,;"'` or white space,
 * and ends before one of these.
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
