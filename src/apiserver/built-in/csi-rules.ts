// Validation of CSI driver names. Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
import { required, tooLong } from '../field-error.ts'
import { byteLength, dns1123Subdomain } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import type { FieldErrors } from './field-walk.ts'

const maxDriverBytes = 63

export function validateCsiDriver(driver: string, field: string): FieldErrors {
  if (driver === '') return [required(field)]
  return [
    ...(byteLength(driver) > maxDriverBytes ? [tooLong(field, maxDriverBytes)] : []),
    ...invalids(field, driver, dns1123Subdomain(driver.toLowerCase())),
  ]
}
