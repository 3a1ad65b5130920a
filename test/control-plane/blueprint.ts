// Plan of one control plane before any program runs: its options, paths, secrets and programs. From them follow the
// files in its
// folder and the connection data for clients.
import { join } from 'node:path'
import type { ServerIdentity } from '../../src/base/server-identity.ts'
import { auditPolicy } from './audit-log.ts'
import type { Program } from './binaries.ts'
import type { ControlPlaneConnection } from './control-plane-client.ts'
import type { Layout } from './layout.ts'
import { apiServerUrl, filesOf, kubeconfigFile, volumePrefix, volumesFolder } from './layout.ts'
import { schedulerConfiguration } from './program-flags.ts'
import type { Tokens, UserName } from './users.ts'
import { kubeconfigText, tokenFile, userNames } from './users.ts'

export interface Choices {
  /** Number of nodes that kwok simulates; undefined: no kwok. */
  readonly nodes: number | undefined
  readonly controllers: boolean
  readonly auditLog: boolean
  readonly apiServerFlags: readonly string[]
}

export interface Blueprint {
  readonly layout: Layout
  readonly choices: Choices
  readonly tokens: Tokens
  /** PEM private key that signs service account tokens. */
  readonly serviceAccountKey: string
  /** Identity with which the API server reads logs from kubelets. */
  readonly kubeletReader: ServerIdentity
  /** Folder of the programs. */
  readonly binaries: string
  /** PATH of the programs. */
  readonly path: string
}

export type ServerProgram = Exclude<Program, 'kubectl'>

/** Returns the clients of the API server in their start order. */
export function clientProgramsOf(choices: Choices): readonly ServerProgram[] {
  return [
    ...(choices.controllers ? (['kube-controller-manager', 'kube-scheduler'] as const) : []),
    ...(choices.nodes === undefined ? [] : (['kwok'] as const)),
  ]
}

export function neededPrograms(choices: Choices): readonly Program[] {
  return ['etcd', 'kube-apiserver', 'kubectl', ...clientProgramsOf(choices)]
}

export function connectionOf({ layout, choices, tokens, binaries }: Blueprint): ControlPlaneConnection {
  const files = filesOf(layout)
  const kubeconfigs = userNames.map((name) => [name, kubeconfigFile(layout, name)])
  return {
    url: apiServerUrl(layout),
    caFile: files.certificateAuthority,
    token: tokens.admin,
    kubeconfigPath: kubeconfigFile(layout, 'admin'),
    kubeconfigs: Object.fromEntries(kubeconfigs) as Record<UserName, string>, // Every name is in userNames.
    folder: layout.folder,
    kubectlPath: join(binaries, 'kubectl'),
    kubectlCache: files.kubectlCache,
    auditLogPath: choices.auditLog ? files.auditLog : undefined,
  }
}

/** kubernetes/main.go explains the variables. Etcd removes leftovers after a crash, because it is stopped last. */
export function environmentOf(program: ServerProgram, { layout, path }: Blueprint): Readonly<Record<string, string>> {
  const leftovers = [layout.folder, join(volumesFolder, `${volumePrefix(layout)}*`)]
  return {
    PATH: path,
    HOME: layout.folder,
    // Saves a tenth of the processor time for a third more memory; with thousands of pods the processor is the limit.
    GOGC: '200',
    CONTROL_PLANE_PARENT_PIPE: 'stdin',
    ...(program === 'etcd' ? { CONTROL_PLANE_LEFTOVERS: leftovers.join(':') } : {}),
    ...(program === 'kube-controller-manager' ? { CONTROL_PLANE_VOLUME_MARK: layout.volumeMark } : {}),
  }
}

export interface FileToWrite {
  readonly path: string
  readonly text: string
}

export function filesToWrite({ layout, tokens, serviceAccountKey, kubeletReader }: Blueprint): readonly FileToWrite[] {
  const files = filesOf(layout)
  const access = { url: apiServerUrl(layout), caFile: files.certificateAuthority }
  return [
    { path: files.tokens, text: tokenFile(tokens) },
    { path: files.serviceAccountKey, text: serviceAccountKey },
    { path: files.kubeletReader, text: kubeletReader.certificate },
    { path: files.kubeletReaderKey, text: kubeletReader.key },
    { path: files.auditPolicy, text: JSON.stringify(auditPolicy) },
    { path: files.schedulerConfiguration, text: JSON.stringify(schedulerConfiguration(layout)) },
    ...userNames.map((user) => ({
      path: kubeconfigFile(layout, user),
      text: kubeconfigText({ ...access, user, token: tokens[user] }),
    })),
  ]
}
