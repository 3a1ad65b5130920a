// Validation of security contexts of pods and containers. Source:
// k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
import type { Json, JsonObject } from '../../base/json.ts'
import { duplicate, type FieldError, forbidden, invalid, required, tooLong } from '../field-error.ts'
import { byteLength } from '../name-rules.ts'
import { notServed } from '../status-error.ts'
import { validateChoice, validateOptionalChoice } from './choice-rules.ts'
import {
  type FieldErrors,
  isTrueAt,
  noErrors,
  optionalTextAt,
  type Struct,
  structAt,
  structsAt,
  textAt,
  textsAt,
  valueAt,
} from './field-walk.ts'
import { validateDescendingPath } from './path-rules.ts'

const maxId = 2 ** 31 - 1
const idRange = `must be between 0 and ${maxId}, inclusive`
const maxProfileBytes = 4095
const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined']
const sysctlSegment = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const sysctlPattern = `^(${sysctlSegment}[\\./])*${sysctlSegment}$`
const sysctlName = new RegExp(sysctlPattern)
const maxSysctlBytes = 253
const ipcSysctls = new Set([
  'kernel.sem',
  'kernel.shmall',
  'kernel.shmmax',
  'kernel.shmmni',
  'kernel.shm_rmid_forced',
  'kernel.msgmax',
  'kernel.msgmnb',
  'kernel.msgmni',
])

/** Validates a container's context. `hasHostUsers` is true if the pod shares the user namespace of its node. */
export function validateSecurityContext(context: Struct, hasHostUsers: boolean, field: string): FieldErrors {
  if (context === undefined) return noErrors
  refuseWindows(context, field)
  const procMount = optionalTextAt(context, 'procMount')
  return [
    ...idErrors(context, ['runAsUser', 'runAsGroup'], field),
    ...validateOptionalChoice(procMount, `${field}.procMount`, ['Default', 'Unmasked']),
    ...(procMount === 'Unmasked' && hasHostUsers
      ? [invalid(`${field}.procMount`, procMount, '`hostUsers` must be false to use `Unmasked`')]
      : []),
    ...seccompErrors(structAt(context, 'seccompProfile'), `${field}.seccompProfile`),
    ...escalationErrors(context, field),
    ...appArmorErrors(structAt(context, 'appArmorProfile'), `${field}.appArmorProfile`),
  ]
}

/** Validates the context of a pod or a pod template. */
export function validatePodSecurityContext(spec: JsonObject, oldSpec: Struct, field: string): FieldErrors {
  const context = structAt(spec, 'securityContext')
  if (context === undefined) return noErrors
  refuseWindows(context, field)
  const groups = valueAt(context, 'supplementalGroups')
  return [
    ...idErrors(context, ['fsGroup', 'runAsUser', 'runAsGroup'], field),
    ...(Array.isArray(groups)
      ? groups.flatMap((group: Json, index) => idError(group, `${field}.supplementalGroups[${index}]`))
      : []),
    ...(isTrueAt(spec, 'hostPID') && isTrueAt(spec, 'shareProcessNamespace')
      ? [invalid(`${field}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled')]
      : []),
    ...sysctlsErrors(structsAt(context, 'sysctls'), spec, `${field}.sysctls`),
    ...validateOptionalChoice(optionalTextAt(context, 'fsGroupChangePolicy'), `${field}.fsGroupChangePolicy`, [
      'Always',
      'OnRootMismatch',
    ]),
    ...seccompErrors(structAt(context, 'seccompProfile'), `${field}.seccompProfile`),
    ...appArmorErrors(structAt(context, 'appArmorProfile'), `${field}.appArmorProfile`),
    ...validateOptionalChoice(
      optionalTextAt(context, 'supplementalGroupsPolicy'),
      `${field}.supplementalGroupsPolicy`,
      ['Merge', 'Strict'],
    ),
    ...validateOptionalChoice(
      optionalTextAt(context, 'seLinuxChangePolicy'),
      `${field}.seLinuxChangePolicy`,
      hadLabelPolicy(oldSpec) ? ['MountOption', 'Recursive'] : ['Recursive'],
    ),
  ]
}

/** Newer policies are valid only if the stored spec has a policy; their feature gate is off. */
function hadLabelPolicy(oldSpec: Struct): boolean {
  return optionalTextAt(structAt(oldSpec, 'securityContext'), 'seLinuxChangePolicy') !== undefined
}

function refuseWindows(context: JsonObject, field: string): void {
  if (valueAt(context, 'windowsOptions') !== undefined) throw notServed(`The field ${field}.windowsOptions`)
}

function idErrors(context: JsonObject, keys: readonly string[], field: string): FieldErrors {
  return keys.flatMap((key) => idError(valueAt(context, key), `${field}.${key}`))
}

function idError(id: Json | undefined, field: string): readonly FieldError[] {
  if (typeof id !== 'number' && typeof id !== 'bigint') return noErrors
  return id >= 0 && id <= maxId ? noErrors : [invalid(field, id, idRange)]
}

function seccompErrors(profile: Struct, field: string): FieldErrors {
  if (profile === undefined) return noErrors
  const type = textAt(profile, 'type')
  const path = optionalTextAt(profile, 'localhostProfile')
  const typeErrors =
    type === ''
      ? [required(`${field}.type`, 'type is required when seccompProfile is set')]
      : validateChoice(type, `${field}.type`, profileTypes)
  if (type === 'Localhost')
    return path === undefined
      ? [...typeErrors, required(`${field}.localhostProfile`, 'must be set when seccomp type is Localhost')]
      : [...typeErrors, ...validateDescendingPath(path, `${field}.localhostProfile`)]
  if (path === undefined) return typeErrors
  // The server reports the whole profile here, in its internal form.
  const shown = { Type: type, LocalhostProfile: path }
  return [...typeErrors, invalid(`${field}.localhostProfile`, shown, 'can only be set when seccomp type is Localhost')]
}

function appArmorErrors(profile: Struct, field: string): FieldErrors {
  if (profile === undefined) return noErrors
  const type = textAt(profile, 'type')
  const path = optionalTextAt(profile, 'localhostProfile')
  if (type === '') return [required(`${field}.type`, 'type is required when appArmorProfile is set')]
  if (type === 'Localhost') return localProfileErrors(path, `${field}.localhostProfile`)
  const typeErrors = validateChoice(type, `${field}.type`, profileTypes)
  return path === undefined || typeErrors.length > 0
    ? typeErrors
    : [invalid(`${field}.localhostProfile`, path, 'can only be set when AppArmor type is Localhost')]
}

function localProfileErrors(path: string | undefined, field: string): FieldErrors {
  if (path === undefined) return [required(field, 'must be set when AppArmor type is Localhost')]
  return [
    ...(path.trim() !== path
      ? [invalid(field, path, 'must not be padded with whitespace')]
      : path === ''
        ? [required(field, 'must be set when AppArmor type is Localhost')]
        : []),
    ...(byteLength(path) > maxProfileBytes ? [tooLong(field, maxProfileBytes)] : []),
  ]
}

function escalationErrors(context: JsonObject, field: string): FieldErrors {
  if (valueAt(context, 'allowPrivilegeEscalation') !== false) return noErrors
  const admin = textsAt(structAt(context, 'capabilities'), 'add').filter((name) => name === 'CAP_SYS_ADMIN')
  const fault = 'cannot set `allowPrivilegeEscalation` to false and'
  return [
    ...(isTrueAt(context, 'privileged') ? [invalid(field, shown(context), `${fault} \`privileged\` to true`)] : []),
    ...admin.map(() => invalid(field, shown(context), `${fault} \`capabilities.Add\` CAP_SYS_ADMIN`)),
  ]
}

/** Returns the context in the internal form, which error messages show. */
function shown(context: JsonObject): JsonObject {
  const renamed = (struct: Struct, keys: Readonly<Record<string, string>>, absent: Json = null): Json =>
    struct === undefined
      ? null
      : Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, valueAt(struct, key) ?? absent]))
  const selinux = { User: 'user', Role: 'role', Type: 'type', Level: 'level' }
  return {
    Capabilities: renamed(structAt(context, 'capabilities'), { Add: 'add', Drop: 'drop' }),
    Privileged: valueAt(context, 'privileged') ?? null,
    SELinuxOptions: renamed(structAt(context, 'seLinuxOptions'), selinux, ''),
    WindowsOptions: null,
    RunAsUser: valueAt(context, 'runAsUser') ?? null,
    RunAsGroup: valueAt(context, 'runAsGroup') ?? null,
    RunAsNonRoot: valueAt(context, 'runAsNonRoot') ?? null,
    ReadOnlyRootFilesystem: valueAt(context, 'readOnlyRootFilesystem') ?? null,
    AllowPrivilegeEscalation: valueAt(context, 'allowPrivilegeEscalation') ?? null,
    ProcMount: valueAt(context, 'procMount') ?? null,
    SeccompProfile: renamed(structAt(context, 'seccompProfile'), {
      Type: 'type',
      LocalhostProfile: 'localhostProfile',
    }),
    AppArmorProfile: renamed(structAt(context, 'appArmorProfile'), {
      Type: 'type',
      LocalhostProfile: 'localhostProfile',
    }),
  }
}

function sysctlsErrors(sysctls: readonly JsonObject[], spec: JsonObject, field: string): FieldErrors {
  const taken = new Set<string>()
  return sysctls.flatMap((sysctl, index) => {
    const name = textAt(sysctl, 'name')
    const path = `${field}[${index}].name`
    const errors = [...sysctlNameErrors(name, taken, path), ...hostSysctlErrors(name, spec, path)]
    taken.add(name)
    return errors
  })
}

function sysctlNameErrors(name: string, taken: ReadonlySet<string>, field: string): FieldErrors {
  if (name === '') return [required(field)]
  if (byteLength(name) > maxSysctlBytes || !sysctlName.test(name))
    return [invalid(field, name, `must have at most ${maxSysctlBytes} characters and match regex ${sysctlPattern}`)]
  return taken.has(name) ? [duplicate(field, name)] : noErrors
}

/** Rejects a sysctl of a namespace that the pod shares with its node. */
function hostSysctlErrors(sysctl: string, spec: JsonObject, field: string): FieldErrors {
  const name = withDots(sysctl)
  if (isTrueAt(spec, 'hostNetwork') && name.startsWith('net.'))
    return [invalid(field, sysctl, "may not be specified when 'hostNetwork' is true")]
  const isIpc = ipcSysctls.has(name) || name.startsWith('fs.mqueue.')
  return isTrueAt(spec, 'hostIPC') && isIpc
    ? [invalid(field, sysctl, "may not be specified when 'hostIPC' is true")]
    : noErrors
}

/** Converts `net/ipv4/ip_forward` to `net.ipv4.ip_forward`. */
function withDots(sysctl: string): string {
  const separator = /[./]/.exec(sysctl)?.[0]
  if (separator !== '/') return sysctl
  return sysctl.replace(/[./]/g, (found) => (found === '.' ? '/' : '.'))
}

/**
 * Validates fields that are incompatible with user namespaces. The server reports these fields with a capital letter.
 */
export function validateHostUsers(spec: JsonObject, containers: readonly Located[], field: string): FieldErrors {
  if (valueAt(spec, 'hostUsers') !== false) return noErrors
  const fault = 'when `hostUsers` is false'
  return [
    ...(isTrueAt(spec, 'hostNetwork') ? [forbidden(`${field}.hostNetwork`, fault)] : []),
    ...(isTrueAt(spec, 'hostPID') ? [forbidden(`${field}.HostPID`, fault)] : []),
    ...(isTrueAt(spec, 'hostIPC') ? [forbidden(`${field}.HostIPC`, fault)] : []),
    ...containers.flatMap(({ container, path }) =>
      structsAt(container, 'volumeDevices').length > 0 ? [forbidden(`${path}.volumeDevices`, fault)] : [],
    ),
  ]
}

/** A container with its path. */
export interface Located {
  readonly container: JsonObject
  readonly path: string
}
