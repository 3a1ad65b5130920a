// Validation of endpoint addresses. Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go
// (ValidateEndpointIP).
import { invalid } from '../field-error.ts'
import type { FieldErrors } from './field-walk.ts'
import { type IpAddress, parseIp } from './ip-rules.ts'

const ranges: readonly (readonly [(ip: IpAddress) => boolean, string])[] = [
  [isLoopback, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  [isLinkLocal, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  [isLinkLocalMulticast, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
]

export function validateEndpointIp(text: string, field: string): FieldErrors {
  const ip = parseIp(text)
  if (ip === undefined) return [invalid(field, text, 'must be a valid IP address')]
  const isUnspecified = ip.bytes.every((byte) => byte === 0)
  return [
    ...(isUnspecified ? [invalid(field, text, `may not be unspecified (${text})`)] : []),
    ...ranges.flatMap(([isWithin, fault]) => (isWithin(ip) ? [invalid(field, text, fault)] : [])),
  ]
}

function isLoopback({ family, bytes }: IpAddress): boolean {
  if (family === 'IPv4') return bytes[0] === 127
  return bytes[15] === 1 && bytes.slice(0, 15).every((byte) => byte === 0)
}

function isLinkLocal({ family, bytes: [first, second = 0] }: IpAddress): boolean {
  return family === 'IPv4' ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80
}

function isLinkLocalMulticast({ family, bytes: [first, second = 0, third] }: IpAddress): boolean {
  return family === 'IPv4' ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 0x02
}
