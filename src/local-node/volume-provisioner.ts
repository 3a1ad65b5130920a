// Folders and files of pods' volumes on this machine. Below the data folder:
//
//   pods/<uid>/volumes/<name>       emptyDir, and the files of ConfigMaps, Secrets, tokens and the downward API
//   pods/<uid>/containers/<name>    the folder of a container: its links to mounts, and its logs
//   volumes/<uid of the PV>         a persistent volume; outlives every pod
//
// Files of an object change atomically, as on a kubelet: the link `..data` moves to a new folder. Invariant: apart from
// the node, only the user of a container can enter its volumes, folder and termination log.
import { chmod, lchown, lstat, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { hashJson } from '../base/json.ts'
import type { KubeClient } from '../kube/client.ts'
import { loadIfPresent } from '../kube/object-loader.ts'
import { PersistentVolume, PersistentVolumeClaim, ServiceAccount } from '../object/built-in.ts'
import { valueAt } from '../object/object.ts'
import type { MachineUser } from './images.ts'
import type { Mount } from './mount-paths.ts'
import type { ContainerSpec, PodObject, Volume } from './pod.ts'
import type { PodPlace } from './pod-field.ts'
import { fieldManager } from './pod-recorder.ts'
import { makeFolder, passageMode, privateFileMode, privateMode } from './private-folder-provisioner.ts'
import { isNoAnswer, SourceLoader } from './source-loader.ts'
import { ContainerConfigError, VolumeError } from './source-objects.ts'
import { expandVariables } from './variable-expansion.ts'
import { type TokenAsk, tokenAsks, type VolumeFiles, volumeFilesOf, volumeSources } from './volume-content.ts'

export interface VolumeProvisionerOptions {
  readonly clock: Clock
  readonly client: KubeClient
  /** Data folder of the node. */
  readonly folder: string
  readonly allocatable: Readonly<Record<string, string>>
  /** User of the node; undefined on platforms without numeric users. */
  readonly userId: number | undefined
}

/** Real paths by volume name. */
export type VolumePaths = ReadonlyMap<string, string>

interface HeldToken {
  readonly token: string
  readonly renewAtMs: number
}

const defaultTokenSeconds = 3600
/** Fraction of its lifetime after which a token is renewed. Source: kubelet/token. */
const renewAfter = 0.8
const ownDataFolder = '..data'
const terminationFile = 'termination-log'

export class VolumeProvisioner {
  readonly #options: VolumeProvisionerOptions
  /** Tokens by pod UID, then by request. */
  readonly #tokens = new Map<string, Map<string, HeldToken>>()
  /** Folders of claims by pod UID, then by claim name. */
  readonly #claimed = new Map<string, Map<string, string>>()
  /** Owner of a pod's volumes, by pod UID. */
  readonly #users = new Map<string, MachineUser>()
  readonly #sources: SourceLoader

  constructor(options: VolumeProvisionerOptions) {
    this.#options = options
    this.#sources = new SourceLoader(options.client)
  }

  podFolder(uid: string): string {
    return join(this.#options.folder, 'pods', uid)
  }

  containerFolder(uid: string, container: string): string {
    return join(this.podFolder(uid), 'containers', container)
  }

  /** Returns the data folder of a persistent volume. */
  persistentFolder(volumeUid: string): string {
    return join(this.#options.folder, 'volumes', volumeUid)
  }

  /** Makes missing volumes and updates their files. Rejects with a VolumeError for a volume that cannot be made. */
  async provide(pod: PodObject, place: PodPlace, signal: AbortSignal): Promise<VolumePaths> {
    const volumes = pod.spec.volumes ?? []
    const { allocatable } = this.#options
    await this.#makePassages(pod)
    const names = volumeSources(volumes)
    const sources = await this.#sources.load({ pod, purpose: 'volumes', names }, signal)
    const tokens = await this.#tokensFor(pod, tokenAsks(volumes), signal)
    const token = (ask: TokenAsk) => tokens.get(keyOfToken(ask)) ?? ''
    const paths = new Map<string, string>()
    for (const volume of volumes) {
      try {
        const files = volumeFilesOf(volume, { pod, sources, place, allocatable, token })
        const path = files === undefined ? await this.#folderOf(pod, volume, signal) : this.#ownFolder(pod, volume)
        if (files !== undefined) {
          await makeFolder(path, privateMode)
          await writeFiles(path, files)
        }
        paths.set(volume.name, path)
      } catch (thrown) {
        throw thrown instanceof ContainerConfigError ? new VolumeError(volume.name, thrown) : thrown
      }
    }
    const user = this.#users.get(pod.metadata.uid)
    if (user !== undefined) await this.#handOver(pod, paths, user)
    return paths
  }

  /** Returns the container's mounts, and links each below the container's folder at its mount path. */
  async mount(
    pod: PodObject,
    container: ContainerSpec,
    { paths, variables }: { readonly paths: VolumePaths; readonly variables: ReadonlyMap<string, string> },
  ): Promise<readonly Mount[]> {
    const own = this.containerFolder(pod.metadata.uid, container.name)
    const folder = join(own, 'root')
    await makeFolder(own, passageMode(this.#options.userId))
    await makeFolder(folder, privateMode)
    const mounts: Mount[] = []
    // Outer mounts first, because an inner one is linked inside the outer one.
    const wanted = [...(container.volumeMounts ?? [])].sort((a, b) => a.mountPath.length - b.mountPath.length)
    for (const { name, mountPath, subPath, subPathExpr } of wanted) {
      const path = paths.get(name)
      if (path === undefined)
        throw new ContainerConfigError(`volume "${name}" of mount ${mountPath} is not one of the pod's`)
      const sub = subPathExpr === undefined ? (subPath ?? '') : expandVariables(subPathExpr, variables)
      if (sub.split('/').includes('..')) throw new ContainerConfigError(`subPath ${sub} must not contain ".."`)
      const realPath = join(path, sub)
      if (sub !== '' && !(await exists(realPath))) await mkdir(realPath, { recursive: true })
      await link(realPath, join(folder, mountPath))
      mounts.push({ mountPath, realPath })
    }
    return mounts
  }

  /**
   * Changes the owner of the container's folder and the volumes to the user of its process, as fsGroup does on a
   * kubelet. Later files get that owner too. If containers of a pod have different users, the last one owns the
   * volumes.
   */
  async handOver(
    pod: PodObject,
    ask: { readonly container: string; readonly paths: VolumePaths; readonly user: MachineUser },
  ) {
    const { uid } = pod.metadata
    this.#users.set(uid, ask.user)
    const folder = this.containerFolder(uid, ask.container)
    await giveAll(join(folder, 'root'), ask.user)
    if (await exists(join(folder, terminationFile))) await giveAll(join(folder, terminationFile), ask.user)
    await this.#handOver(pod, ask.paths, ask.user)
  }

  /** Makes the termination message file, empty at each start. Undefined if the container has none. */
  async provideTerminationFile(pod: PodObject, container: ContainerSpec): Promise<Mount | undefined> {
    const { terminationMessagePath: mountPath = '' } = container
    if (mountPath === '') return undefined
    const folder = this.containerFolder(pod.metadata.uid, container.name)
    const realPath = join(folder, terminationFile)
    await writeFile(realPath, '', { mode: privateFileMode })
    await chmod(realPath, privateFileMode)
    await link(realPath, join(folder, 'root', mountPath))
    return { mountPath, realPath }
  }

  async #handOver(pod: PodObject, paths: VolumePaths, user: MachineUser): Promise<void> {
    for (const { name, hostPath, emptyDir, persistentVolumeClaim } of pod.spec.volumes ?? []) {
      const path = paths.get(name)
      if (path === undefined || hostPath !== undefined) continue
      const isData = emptyDir !== undefined || persistentVolumeClaim !== undefined
      // Data can be large, so the owner is set only if the top folder has another one.
      if (!isData || (await lstat(path)).uid !== user.uid) await giveAll(path, user)
    }
  }

  /** Removes all files of a deleted pod. */
  async remove(uid: string): Promise<void> {
    this.#tokens.delete(uid)
    this.#claimed.delete(uid)
    this.#users.delete(uid)
    this.#sources.forget(uid)
    await rm(this.podFolder(uid), { recursive: true, force: true })
  }

  /** Removes the data of a deleted persistent volume. */
  async removePersistent(volumeUid: string): Promise<void> {
    await rm(this.persistentFolder(volumeUid), { recursive: true, force: true })
  }

  #ownFolder({ metadata: { uid } }: PodObject, { name }: Volume): string {
    return join(this.podFolder(uid), 'volumes', name)
  }

  async #folderOf(pod: PodObject, volume: Volume, signal: AbortSignal): Promise<string> {
    const { emptyDir, hostPath, persistentVolumeClaim } = volume
    if (hostPath !== undefined) return hostPath.path
    const path =
      persistentVolumeClaim === undefined
        ? this.#ownFolder(pod, volume)
        : await this.#claimedFolder(pod, persistentVolumeClaim.claimName, signal)
    if (emptyDir === undefined && persistentVolumeClaim === undefined) {
      const kind = Object.keys(volume).find((key) => key !== 'name') ?? 'unknown'
      throw new ContainerConfigError(
        `the local node has no volumes of kind ${kind}; volume "${volume.name}" cannot be made`,
      )
    }
    await makeFolder(path, privateMode)
    return path
  }

  /** Makes the parent folders through which processes of other users reach their own. */
  async #makePassages({ metadata: { uid } }: PodObject): Promise<void> {
    const { folder, userId } = this.#options
    const own = this.podFolder(uid)
    for (const path of [
      join(folder, 'volumes'),
      join(folder, 'pods'),
      own,
      join(own, 'volumes'),
      join(own, 'containers'),
    ])
      await makeFolder(path, passageMode(userId))
  }

  /** Returns the folder of a claim. A claim stays bound to one volume, so it is read once. */
  async #claimedFolder(pod: PodObject, claimName: string, signal: AbortSignal): Promise<string> {
    const claimed = this.#claimed.get(pod.metadata.uid) ?? new Map<string, string>()
    this.#claimed.set(pod.metadata.uid, claimed)
    const path = claimed.get(claimName) ?? (await this.#boundFolder(pod, claimName, signal))
    claimed.set(claimName, path)
    return path
  }

  async #boundFolder({ metadata: { namespace } }: PodObject, claimName: string, signal: AbortSignal): Promise<string> {
    const { client } = this.#options
    const claim = await loadIfPresent(client, PersistentVolumeClaim, { namespace, name: claimName }, signal)
    if (claim === undefined) throw new ContainerConfigError(`persistentvolumeclaim "${claimName}" not found`)
    const volumeName = valueAt(claim, 'spec', 'volumeName')
    if (typeof volumeName !== 'string' || valueAt(claim, 'status', 'phase') !== 'Bound') {
      throw new ContainerConfigError(`persistentvolumeclaim "${claimName}" is not bound to a volume yet`)
    }
    const volume = await client.get(PersistentVolume, { name: volumeName }, signal)
    return this.persistentFolder(volume.metadata.uid)
  }

  async #tokensFor(
    pod: PodObject,
    asks: readonly TokenAsk[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const { uid } = pod.metadata
    const held = this.#tokens.get(uid) ?? new Map<string, HeldToken>()
    this.#tokens.set(uid, held)
    for (const ask of asks) {
      const known = held.get(keyOfToken(ask))
      if (known !== undefined && known.renewAtMs > this.#options.clock.now()) continue
      try {
        held.set(keyOfToken(ask), await this.#newToken(pod, ask, signal))
      } catch (thrown) {
        // The old token is still valid for a while.
        if (known === undefined || !isNoAnswer(thrown)) throw thrown
      }
    }
    return new Map([...held].map(([key, { token }]) => [key, token]))
  }

  async #newToken({ metadata, spec }: PodObject, ask: TokenAsk, signal: AbortSignal): Promise<HeldToken> {
    const { client, clock } = this.#options
    const seconds = ask.expirationSeconds ?? defaultTokenSeconds
    const request = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { namespace: metadata.namespace ?? '', name: spec.serviceAccountName ?? 'default' },
      spec: {
        ...(ask.audience === undefined || ask.audience === '' ? {} : { audiences: [ask.audience] }),
        expirationSeconds: seconds,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: metadata.name, uid: metadata.uid },
      },
    }
    const answer = await client.create(ServiceAccount, request, { fieldManager, subresource: 'token' }, signal)
    const token = valueAt(answer, 'status', 'token')
    return { token: String(token ?? ''), renewAtMs: clock.now() + seconds * 1000 * renewAfter }
  }
}

function keyOfToken({ audience = '', expirationSeconds = defaultTokenSeconds }: TokenAsk): string {
  return `${audience} ${expirationSeconds}`
}

/** Writes all files atomically; writes nothing if they are unchanged. */
async function writeFiles(folder: string, files: VolumeFiles): Promise<void> {
  const content = [...files].map(([path, { bytes, mode }]) => [path, bytes.toString('base64'), mode])
  const version = `..${hashJson(content)}`
  const current = join(folder, ownDataFolder)
  const before = await readlink(current).catch(() => undefined)
  if (before === version) return
  for (const [path, { bytes, mode }] of files) {
    const target = join(folder, version, path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, bytes, { mode })
  }
  await mkdir(join(folder, version), { recursive: true })
  await rm(`${current}_new`, { force: true })
  await symlink(version, `${current}_new`)
  await rename(`${current}_new`, current)
  for (const first of new Set([...files.keys()].map((path) => path.split('/', 1)[0] ?? path))) {
    await link(join(ownDataFolder, first), join(folder, first))
  }
  if (before !== undefined) await rm(join(folder, before), { recursive: true, force: true })
}

/** Makes a link at `path` to `target`; keeps an existing file that is no link. */
async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const there = await lstat(path).catch(() => undefined)
  if (there !== undefined && !there.isSymbolicLink()) return
  if (there !== undefined && (await readlink(path)) === target) return
  await rm(path, { force: true })
  await symlink(target, path)
}

/** Changes the owner of a folder and its contents; of links themselves, not of their targets. */
async function giveAll(path: string, user: MachineUser): Promise<void> {
  if ((await lstat(path)).isDirectory()) for (const name of await readdir(path)) await giveAll(join(path, name), user)
  await lchown(path, user.uid, user.gid)
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined
}
