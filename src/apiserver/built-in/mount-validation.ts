// Validation of volume mounts and devices: each volume exists, and each path has one volume.
// Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateVolumeMounts, ValidateVolumeDevices).
import type { JsonObject } from '../../base/json.ts'
import { type FieldError, forbidden, invalid, notFound, notSupported, required } from '../field-error.ts'
import { type FieldErrors, isTrueAt, noErrors, optionalTextAt, structAt, structsAt, textAt } from './field-walk.ts'
import { validateDescendingPath, validatePathWithoutBacksteps } from './path-rules.ts'
import type { KnownVolumes } from './volume-validation.ts'

const propagations = ['Bidirectional', 'HostToContainer', 'None']
const recursions = ['Disabled', 'Enabled', 'IfPossible']

export function validateMounts(container: JsonObject, volumes: KnownVolumes, field: string): FieldErrors {
  return [
    ...mountsErrors(container, volumes, `${field}.volumeMounts`),
    ...devicesErrors(container, volumes, `${field}.volumeDevices`),
  ]
}

function mountsErrors(container: JsonObject, volumes: KnownVolumes, field: string): FieldErrors {
  const devices = structsAt(container, 'volumeDevices')
  const deviceNames = new Set(devices.map((device) => textAt(device, 'name')))
  const devicePaths = pathsByName(devices, 'devicePath')
  const taken = new Set<string>()
  return structsAt(container, 'volumeMounts').flatMap((mount, index) => {
    const path = `${field}[${index}]`
    const [name, mountPath] = [textAt(mount, 'name'), textAt(mount, 'mountPath')]
    const isTaken = taken.has(mountPath)
    taken.add(mountPath)
    return [
      ...(name === '' ? [required(`${path}.name`)] : []),
      ...(volumes.has(name) ? [] : [notFound(`${path}.name`, name)]),
      ...(mountPath === '' ? [required(`${path}.mountPath`)] : []),
      ...(isTaken ? [invalid(`${path}.mountPath`, mountPath, 'must be unique')] : []),
      ...(deviceNames.has(name) ? [invalid(`${path}.name`, name, 'must not already exist in volumeDevices')] : []),
      ...(devicePaths.has(mountPath)
        ? [invalid(`${path}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices')]
        : []),
      // From here on, the server reports the list, not the item.
      ...subPathErrors(mount, path, field),
      ...propagationErrors(mount, container, `${field}.mountPropagation`),
      ...recursionErrors(mount, `${field}.recursiveReadOnly`),
    ]
  })
}

function subPathErrors(mount: JsonObject, path: string, field: string): FieldErrors {
  const [subPath, expression] = [textAt(mount, 'subPath'), textAt(mount, 'subPathExpr')]
  return [
    ...(subPath === '' ? [] : validateDescendingPath(subPath, `${field}.subPath`)),
    ...(expression === '' || subPath === ''
      ? []
      : [invalid(`${path}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive')]),
    ...(expression === '' ? [] : validateDescendingPath(expression, `${field}.subPathExpr`)),
  ]
}

function propagationErrors(mount: JsonObject, container: JsonObject, field: string): FieldErrors {
  const propagation = optionalTextAt(mount, 'mountPropagation')
  if (propagation === undefined) return noErrors
  if (!propagations.includes(propagation)) return [notSupported(field, propagation, propagations)]
  const isPrivileged = isTrueAt(structAt(container, 'securityContext'), 'privileged')
  return propagation === 'Bidirectional' && !isPrivileged
    ? [forbidden(field, 'Bidirectional mount propagation is available only to privileged containers')]
    : noErrors
}

function recursionErrors(mount: JsonObject, field: string): FieldErrors {
  const recursion = optionalTextAt(mount, 'recursiveReadOnly')
  if (recursion === undefined || recursion === 'Disabled') return noErrors
  if (!recursions.includes(recursion)) return [notSupported(field, recursion, recursions)]
  const propagation = optionalTextAt(mount, 'mountPropagation') ?? 'None'
  return [
    ...(isTrueAt(mount, 'readOnly') ? [] : [forbidden(field, 'may only be specified when readOnly is true')]),
    ...(propagation === 'None'
      ? []
      : [forbidden(field, 'may only be specified when mountPropagation is None or not specified')]),
  ]
}

function devicesErrors(container: JsonObject, volumes: KnownVolumes, field: string): FieldErrors {
  const mounts = structsAt(container, 'volumeMounts')
  const mountNames = new Set(mounts.map((mount) => textAt(mount, 'name')))
  const mountPaths = pathsByName(mounts, 'mountPath')
  const names = new Set<string>()
  const paths = new Set<string>()
  return structsAt(container, 'volumeDevices').flatMap((device, index) => {
    const path = `${field}[${index}]`
    const [name, devicePath] = [textAt(device, 'name'), textAt(device, 'devicePath')]
    const errors = [
      ...deviceNameErrors(name, names, volumes, `${path}.name`),
      ...(devicePath === '' ? [required(`${path}.devicePath`)] : []),
      ...(paths.has(devicePath) ? [invalid(`${path}.devicePath`, devicePath, 'must be unique')] : []),
      ...(hasBacksteps(devicePath)
        ? [invalid(`${path}.devicePath`, devicePath, "can not contain backsteps ('..')")]
        : []),
      ...(mountNames.has(name) ? [invalid(`${path}.name`, name, 'must not already exist in volumeMounts')] : []),
      ...(mountPaths.has(devicePath)
        ? [invalid(`${path}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts')]
        : []),
    ]
    if (name !== '') names.add(name)
    if (!hasBacksteps(devicePath)) paths.add(devicePath)
    return errors
  })
}

function deviceNameErrors(
  name: string,
  taken: ReadonlySet<string>,
  volumes: KnownVolumes,
  field: string,
): readonly FieldError[] {
  const volume = volumes.get(name)
  const isClaim = structAt(volume, 'persistentVolumeClaim') !== undefined || structAt(volume, 'ephemeral') !== undefined
  return [
    ...(name === '' ? [required(field)] : []),
    ...(taken.has(name) ? [invalid(field, name, 'must be unique')] : []),
    ...(volume !== undefined && !isClaim
      ? [invalid(field, name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode')]
      : []),
    ...(volume === undefined ? [notFound(field, name)] : []),
  ]
}

/** Returns the last path of each name, as the server keeps paths by name. */
function pathsByName(items: readonly JsonObject[], key: string): ReadonlySet<string> {
  return new Set(new Map(items.map((item) => [textAt(item, 'name'), textAt(item, key)])).values())
}

function hasBacksteps(path: string): boolean {
  return path !== '' && validatePathWithoutBacksteps(path, '').length > 0
}
