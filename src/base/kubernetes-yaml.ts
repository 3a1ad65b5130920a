// Implicit types of plain YAML scalars. Invariant: a text has the same value as in kubectl and in the API server. These
// read YAML 1.1 with a few exceptions: `on` is true and 0o17 is 15, but 12:30:45 and 2001-12-14 are strings. Source:
// sigs.k8s.io/yaml/goyaml.v2/resolve.go, compared by test/apiserver/yaml-text.oracle.test.ts.
import type { ParseOptions, ScalarTag } from 'yaml'

const tagPrefix = 'tag:yaml.org,2002:'
const trueWords = /^(?:y|Y|yes|Yes|YES|on|On|ON|true|True|TRUE)$/
const booleanWords = /^(?:y|Y|yes|Yes|YES|on|On|ON|true|True|TRUE|n|N|no|No|NO|off|Off|OFF|false|False|FALSE)$/
/** Without underscores. */
const integer = /^[-+]?(?:0[bB][01]+|0[oO]?[0-7]+|0[xX][0-9a-fA-F]+|0|[1-9][0-9]*)$/
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
const noNumber = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/
/** Matches a misplaced underscore in a number that begins with a dot: there underscores stand between digits only. */
const strayUnderscore = /^\.(?:_|.*_(?![0-9])|.*[^0-9]_)/
const [leastInteger, greatestInteger] = [-(2n ** 63n), 2n ** 63n - 1n]

/** Returns a number, exact as a bigint if a double cannot hold it; the text itself if it is no number. */
export function numberOf(text: string): number | bigint | string {
  if (strayUnderscore.test(text)) return text
  const plain = text.replaceAll('_', '')
  if (integer.test(plain)) {
    const exact = integerOf(plain)
    if (exact >= leastInteger && exact <= greatestInteger)
      return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact
  }
  if (!float.test(plain)) return text
  const number = Number(plain)
  return Number.isFinite(number) ? number : text
}

function integerOf(text: string): bigint {
  const digits = text.replace(/^[-+]/, '').replace(/^0[oO]?(?=[0-7])/, '0o')
  return text.startsWith('-') ? -BigInt(digits) : BigInt(digits)
}

function resolveNumber(text: string, _onError: unknown, { intAsBigInt }: ParseOptions): number | bigint | string {
  const value = numberOf(text)
  return typeof value === 'bigint' && !intAsBigInt ? Number(value) : value
}

const nullTag: ScalarTag = {
  tag: `${tagPrefix}null`,
  default: true,
  test: /^(?:~|null|Null|NULL|)$/,
  resolve: () => null,
}

const booleanTag: ScalarTag = {
  tag: `${tagPrefix}bool`,
  default: true,
  test: booleanWords,
  resolve: (text) => trueWords.test(text),
}

const noNumberTag: ScalarTag = {
  tag: `${tagPrefix}float`,
  default: true,
  test: noNumber,
  resolve: (text, onError) => onError(`json: unsupported value: ${text}`),
}

/** Any number, with underscores between its digits. `numberOf` decides. */
const numeral =
  /^(?:[-+]_*)?(?:0_*(?:[bB][01_]+|[oO][0-7_]+|[xX][0-9a-fA-F_]+)|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\._*[0-9][0-9_]*)(?:[eE]_*[-+]?[0-9_]+)?)$/

const integerTag: ScalarTag = { tag: `${tagPrefix}int`, default: true, test: numeral, resolve: resolveNumber }

const floatTag: ScalarTag = { tag: `${tagPrefix}float`, test: numeral, resolve: resolveNumber }

const binaryTag: ScalarTag = {
  tag: `${tagPrefix}binary`,
  resolve: (text) => Buffer.from(text, 'base64').toString('utf8'),
}

/** Types of a plain scalar, in the order in which the parser tries them; without a match it is a string. */
export const kubernetesTags: ScalarTag[] = [nullTag, booleanTag, noNumberTag, integerTag, floatTag, binaryTag]

/** Options of the library's parser. With `intAsBigInt`, integers beyond 2^53 are bigints; all others are numbers. */
export const kubernetesYaml = { version: '1.1', schema: 'failsafe', customTags: kubernetesTags, merge: true } as const
