// CEL library of semantic versions. Sources: k8s.io/apiserver/pkg/cel/library/semverlib.go (version 1),
// github.com/blang/semver/v4.
import { goQuoted } from '../../field-error.ts'
import type { Library } from '../function-table.ts'
import { CelError, Composite, compareTexts, noSuchOverload, type Value } from '../value.ts'

interface Version {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint]
  /** Numbers compare numerically, and before texts. */
  readonly prerelease: readonly (bigint | string)[]
}

export class SemverValue extends Composite {
  readonly typeName = 'kubernetes.Semver'
  readonly version: Version

  constructor(version: Version) {
    super()
    this.version = version
  }

  equals(other: Value): Value {
    return other instanceof SemverValue ? order(this, other) === 0 : noSuchOverload(other)
  }
}

function parse(text: string): Version | string {
  if (text === '') return 'Version string empty'
  const [major, minor, rest] = splitThree(text)
  if (minor === undefined || rest === undefined) return 'No Major.Minor.Patch elements found'
  const [, patch = '', prerelease, build] = /^([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(rest) ?? []
  const numbers: bigint[] = []
  for (const [name, digits] of [
    ['Major', major],
    ['Minor', minor],
    ['Patch', patch],
  ] as const) {
    const fault = numberFault(digits, `${name.toLowerCase()} number`, `${name} number`)
    if (fault !== undefined) return fault
    numbers.push(BigInt(digits))
  }
  const parts: (bigint | string)[] = []
  for (const part of prerelease?.split('.') ?? []) {
    const fault = prereleaseFault(part)
    if (fault !== undefined) return fault
    parts.push(/^[0-9]+$/.test(part) ? BigInt(part) : part)
  }
  for (const part of build?.split('.') ?? []) {
    if (part === '') return 'Build meta data is empty'
    if (!/^[0-9A-Za-z-]*$/.test(part)) return `Invalid character(s) found in build meta data ${goQuoted(part)}`
  }
  const [a = 0n, b = 0n, c = 0n] = numbers
  return { numbers: [a, b, c], prerelease: parts }
}

/** Splits at the first two dots. */
function splitThree(text: string): [string, string | undefined, string | undefined] {
  const [, major = text, minor, rest] = /^([^.]*)\.([^.]*)\.(.*)$/s.exec(text) ?? []
  return [major, minor, rest]
}

function numberFault(digits: string, found: string, name: string): string | undefined {
  if (!/^[0-9]*$/.test(digits)) return `Invalid character(s) found in ${found} ${goQuoted(digits)}`
  if (/^0./.test(digits)) return `${name} must not contain leading zeroes ${goQuoted(digits)}`
  return uintFault(digits)
}

function uintFault(digits: string): string | undefined {
  if (digits === '') return 'strconv.ParseUint: parsing "": invalid syntax'
  return BigInt(digits) < 2n ** 64n ? undefined : `strconv.ParseUint: parsing ${goQuoted(digits)}: value out of range`
}

function prereleaseFault(part: string): string | undefined {
  if (part === '') return 'Prerelease is empty'
  if (!/^[0-9A-Za-z-]+$/.test(part)) return `Invalid character(s) found in prerelease ${goQuoted(part)}`
  if (!/^[0-9]+$/.test(part)) return undefined
  if (/^0./.test(part)) return `Numeric PreRelease version must not contain leading zeroes ${goQuoted(part)}`
  return uintFault(part)
}

/** Completes `v1.2` to `1.2.0` and removes leading zeros. */
function parseNormalized(text: string): Version | string {
  const plain = text.replace(/^v/, '')
  const [first, second, third] = splitThree(plain)
  const parts = third === undefined ? plain.split('.') : [first, second ?? '', third]
  const numbers = parts.map((part) =>
    part.length > 1 ? part.replace(/^0+(?=[0-9])/, '').replace(/^(?![0-9])/, '0') : part,
  )
  const normalized = numbers.map((part, index) =>
    /^[0-9]/.test(parts[index] ?? '') ? part : leadingZero(parts[index] ?? ''),
  )
  if (normalized.length < 3) {
    if (/[+-]/.test(normalized.at(-1) ?? '')) return 'short version cannot contain PreRelease/Build meta data'
    while (normalized.length < 3) normalized.push('0')
  }
  return parse(normalized.join('.'))
}

function leadingZero(part: string): string {
  return part.length > 1 ? `0${part}` : part
}

function versionOf(text: string, isNormalized: boolean): Value {
  const version = isNormalized ? parseNormalized(text) : parse(text)
  return typeof version === 'string' ? new CelError(version) : new SemverValue(version)
}

function order({ version: left }: SemverValue, { version: right }: SemverValue): -1 | 0 | 1 {
  for (const [index, number] of left.numbers.entries()) {
    const other = right.numbers[index] ?? 0n
    if (number !== other) return number < other ? -1 : 1
  }
  const [ours, theirs] = [left.prerelease, right.prerelease]
  if (ours.length === 0 || theirs.length === 0) {
    if (ours.length === theirs.length) return 0
    return ours.length === 0 ? 1 : -1
  }
  for (let index = 0; index < Math.min(ours.length, theirs.length); index++) {
    const found = orderPart(ours[index] ?? '', theirs[index] ?? '')
    if (found !== 0) return found
  }
  if (ours.length === theirs.length) return 0
  return ours.length < theirs.length ? -1 : 1
}

function orderPart(left: bigint | string, right: bigint | string): -1 | 0 | 1 {
  if (typeof left === 'string') return typeof right === 'string' ? compareTexts(left, right) : 1
  if (typeof right === 'string') return -1
  if (left === right) return 0
  return left < right ? -1 : 1
}

function isVersion(text: string, isNormalized: boolean): Value {
  return versionOf(text, isNormalized) instanceof SemverValue
}

function part(id: string, index: 0 | 1 | 2) {
  return {
    overloads: {
      [id]: ['Semver.(): int', ({ version }: SemverValue) => BigInt.asIntN(64, version.numbers[index])] as const,
    },
  }
}

export const semver: Library = {
  semver: {
    overloads: {
      string_to_semver: ['(string): Semver', (text: string) => versionOf(text, false)],
      string_bool_to_semver: ['(string, bool): Semver', versionOf],
    },
  },
  isSemver: {
    overloads: {
      is_semver_string: ['(string): bool', (text: string) => isVersion(text, false)],
      is_semver_string_bool: ['(string, bool): bool', isVersion],
    },
  },
  isGreaterThan: {
    overloads: {
      semver_is_greater_than: [
        'Semver.(Semver): bool',
        (left: SemverValue, right: SemverValue) => order(left, right) === 1,
      ],
    },
  },
  isLessThan: {
    overloads: {
      semver_is_less_than: [
        'Semver.(Semver): bool',
        (left: SemverValue, right: SemverValue) => order(left, right) === -1,
      ],
    },
  },
  compareTo: {
    overloads: {
      semver_compare_to: [
        'Semver.(Semver): int',
        (left: SemverValue, right: SemverValue) => BigInt(order(left, right)),
      ],
    },
  },
  major: part('semver_major', 0),
  minor: part('semver_minor', 1),
  patch: part('semver_patch', 2),
}
