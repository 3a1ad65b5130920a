// Kind ServiceAccount. Sources: k8s.io/kubernetes/pkg/registry/core/serviceaccount/strategy.go,
// pkg/apis/core/validation/validation.go.
import type { JsonObject } from '../../base/json.ts'
import { dnsSubdomainName } from '../name-rules.ts'
import { validateCoreMetadata, validateCoreMetadataUpdate } from './core-metadata.ts'
import { type FieldErrors, mapAt, valueAt, withItems } from './field-walk.ts'
import { type KindRules, usualRules } from './kind-rules.ts'

const mountableAnnotation = 'kubernetes.io/enforce-mountable-secrets'
const mountableWarning = `metadata.annotations[${mountableAnnotation}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`

export const serviceAccountRules: KindRules = {
  ...usualRules,
  prepareForCreate: withPlainSecrets,
  prepareForUpdate: withPlainSecrets,
  validateCreate,
  validateUpdate: (account, old) => [
    ...validateCoreMetadataUpdate(mapAt(account, 'metadata'), mapAt(old, 'metadata')),
    ...validateCreate(account),
  ],
  warningsOnCreate: (account) => (isEnforced(account) ? [mountableWarning] : []),
  warningsOnUpdate: (account, old) => (isEnforced(account) && !isEnforced(old) ? [mountableWarning] : []),
  returnsDeletedObject: true,
}

function validateCreate(account: JsonObject): FieldErrors {
  return validateCoreMetadata(mapAt(account, 'metadata'), { isNamespaced: true, validateName: dnsSubdomainName })
}

function isEnforced(account: JsonObject): boolean {
  return Object.hasOwn(mapAt(mapAt(account, 'metadata'), 'annotations'), mountableAnnotation)
}

/** Keeps only the names of the Secrets. */
function withPlainSecrets(account: JsonObject): JsonObject {
  return withItems(account, 'secrets', (secret) => {
    const name = valueAt(secret, 'name')
    const isPlain = Object.keys(secret).every((key) => key === 'name' || valueAt(secret, key) === undefined)
    return isPlain ? secret : name === undefined ? {} : { name }
  })
}
