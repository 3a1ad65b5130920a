// Responses of the real API server as users read them: explanations, fields and allowed values stay, values of the
// request do not.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJsonList, isJsonObject } from '../../src/base/json.ts'
import { messagesWithoutValues } from '../../src/kube/quoted-values.ts'
import { valueTexts } from '../../src/kube/value-texts.ts'
import { namespace, type RejectedRequest, rejectedRequests } from './rejected-requests.ts'

interface RecordedAnswer {
  readonly message: string
  readonly details?: { readonly causes?: readonly { readonly message: string }[] }
}

const recorded = JSON.parse(
  readFileSync(new URL('./rejected-requests.recorded.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, RecordedAnswer>> // Written by rejected-requests.real.test.ts.

/** Text after "Kind "name" is invalid: ". Long sentences of the server without quotes are cut. */
const expected: Readonly<Record<string, string>> = {
  'rule with a message': 'spec: Invalid value: at most five replicas',
  'rule with a message about a value': 'spec.password: Invalid value: "[redacted]": choose a longer "password"',
  'rule with a message that quotes the value': 'spec: Invalid value: the host [redacted] is bad',
  'rule without a message': 'spec: Invalid value: failed rule: !has(self.replicas) || self.replicas != 4',
  'required field of a schema': '[spec.must.key: Required value, …]',
  'required field with its values':
    'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
  'required name':
    '[metadata.name: Required value: name or generateName is required, spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"]',
  'unsupported value':
    '[spec.template.spec.restartPolicy: Unsupported value: "[redacted]": supported values: "Always", "OnFailure", "Never", spec.template.spec.restartPolicy: Unsupported value: "[redacted]": supported values: "OnFailure", "Never"]',
  'value outside of an enumeration':
    '[spec.mode: Unsupported value: "[redacted]": supported values: "Primary", "Replica", …]',
  'forbidden field': 'spec.ephemeralContainers: Forbidden: cannot be set on create',
  'forbidden node port': "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
  'forbidden change':
    'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative) [redacted]',
  'duplicate word': 'spec.ports[1].name: Duplicate value: "[redacted]"',
  'duplicate structure': 'spec.ports[1]: Duplicate value: "[redacted]"',
  'duplicate in a set': 'spec.set[1]: Duplicate value: "[redacted]"',
  'immutable field': 'spec.selector: Invalid value: "[redacted]": field is immutable',
  'immutable field by a rule': 'spec.fixed: Invalid value: "[redacted]": fixed is immutable',
  'too long': '[spec.short: Too long: may not be more than 5 bytes, …]',
  'too long a name': 'metadata.name: Invalid value: "[redacted]": must be no more than 253 characters',
  'too large annotations': 'metadata.annotations: Too long: may not be more than 262144 bytes',
  'too many items': '[spec.few: Too many: 2: must have at most 1 item, …]',
  'number above the maximum':
    '[spec.replicas: Invalid value: 101: spec.replicas in body should be less than or equal to 100, spec: Invalid value: at most five replicas]',
  pattern: `spec.lower: Invalid value: "[redacted]": spec.lower in body should match '^[a-z]+$'`,
  format: '[spec.at: Invalid value: "[redacted]": spec.at in body must be of type date-time: "[redacted]", …]',
  type: '[spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string", …]',
  'type of a built-in field':
    'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
  'quantity above its limit':
    'spec.containers[0].resources.requests: Invalid value: "[redacted]": must be less than or equal to memory limit of 1Gi',
  'text that is no quantity': `Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
  'structured value':
    'spec.template.metadata.labels: Invalid value: "[redacted]": `selector` does not match template `labels`',
  label: 'metadata.labels: Invalid value: "[redacted]": <label rule>',
  'not found': 'spec.containers[0].volumeMounts[0].name: Not found: "[redacted]"',
  'two causes':
    '[metadata.labels: Invalid value: "[redacted]": <label rule>, spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"]',
  'three causes':
    '[spec.mode: Unsupported value: "[redacted]": supported values: "Primary", "Replica", spec.short: Too long: may not be more than 5 bytes, …]',
  'three causes of a built-in kind':
    '[spec.containers[0].ports[0].containerPort: Required value, spec.containers[0].imagePullPolicy: Unsupported value: "[redacted]": supported values: "Always", "IfNotPresent", "Never", spec.containers[0].image: Invalid value: "[redacted]": must not have leading or trailing whitespace]',
  base64: 'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 2',
  'policy that quotes the value': `configmaps "a" is forbidden: ValidatingAdmissionPolicy 'rejected-requests' with binding 'rejected-requests' denied request: the value [redacted] is not allowed`,
  'patch of a missing path': 'the server rejected our request due to an error in our request',
}

describe('a rejection by the real API server', () => {
  it.each(rejectedRequests)('gives its reason without values: $name', (request) => {
    const answer = recorded[request.name]
    const said = [answer?.message ?? '', ...(answer?.details?.causes ?? []).map(({ message }) => message)]
    const [message = '', ...causes] = messagesWithoutValues(said, knownOf(request))
    expect(shortened(message)).toBe(expected[request.name])
    for (const cause of causes) expect(message).toContain(cause)
  })
})

const uncheckedRules =
  ', <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]'

function shortened(message: string): string {
  return message
    .replace(/^\S+ "[^"]*" is invalid: /, '')
    .replace(uncheckedRules, ', …]')
    .replace(/a valid label must.*?\)\?'\)/, '<label rule>')
}

function knownOf({ body, path }: RejectedRequest) {
  const metadata = isJsonObject(body) ? body['metadata'] : undefined
  const name = isJsonObject(metadata) ? metadata['name'] : path.split('/').at(-1)
  return { secrets: [], request: valueTexts(body), names: [String(name ?? ''), namespace] }
}

describe('a rejection by a webhook', () => {
  const denied = 'admission webhook "doors.example.com" denied the request: '
  const secret = 'aB3$"longer" text'
  const body = {
    kind: 'Door',
    metadata: { name: 'front-7f9c6d5b84', annotations: { note: secret } },
    spec: { selector: 'front-7f9c6d5b84', pin: 'hunter2', host: 'db.example.org', mode: 'ReadWrite' },
  }
  const known = { secrets: [], request: valueTexts(body), names: ['front-7f9c6d5b84'] }
  const base64 = Buffer.from(secret).toString('base64')

  it.each([
    [`the note ${secret} is weak`, 'the note [redacted] is weak'],
    [`the note '${secret}' is weak`, "the note '[redacted]' is weak"],
    [`the note \`${secret}\` is weak`, 'the note `[redacted]` is weak'],
    [`the note “${secret}” is weak`, 'the note “[redacted]” is weak'],
    [`note=${secret}; weak`, 'note=[redacted]; weak'],
    [`note ${JSON.stringify(secret)} is weak`, 'note "[redacted]" is weak'],
    [`{"note":${JSON.stringify(secret)}} is weak`, '[redacted] is weak'],
    [`v1.Note{Text:${JSON.stringify(secret)}} is weak`, '[redacted] is weak'],
    [`map[note:${secret}] is weak`, '[redacted] is weak'],
    [`note ${JSON.stringify(JSON.stringify(secret))} is weak`, 'note "[redacted]" is weak'],
    [`the note ${base64} is weak`, 'the note [redacted] is weak'],
    [`the note ${Buffer.from(`user:${secret}`).toString('base64url')} is weak`, 'the note [redacted] is weak'],
    [`the note ${secret.slice(0, 12)}… is weak`, 'the note [redacted]… is weak'],
    ['the PIN "hunter2" is weak', 'the PIN "[redacted]" is weak'],
    ["the PIN 'hunter2' is weak", "the PIN '[redacted]' is weak"],
    [`the PIN is ${Buffer.from('hunter2').toString('base64')}`, 'the PIN is [redacted]'],
    ['host db.example.org is not reachable', 'host db.example.org is not reachable'],
    ['spec: Invalid value: db.example.org is no host', 'spec: Invalid value: [redacted] is no host'],
    ['spec: Invalid value: the PIN hunter2 is weak', 'spec: Invalid value: the PIN [redacted] is weak'],
    ['spec: Invalid value: front-7f9c6d5b84 is weak', 'spec: Invalid value: front-7f9c6d5b84 is weak'],
    ['secrets "db.example.org" not found', 'secrets "db.example.org" not found'],
    ['Door front-7f9c6d5b84 is in the way', 'Door front-7f9c6d5b84 is in the way'],
    ['spec.a: Required value: "front door" is wanted', 'spec.a: Required value: "front door" is wanted'],
    ['spec.a: Required value: "x"', 'spec.a: Required value: "[redacted]"'],
    [
      'spec.a: Unsupported value: "x": supported values: "ReadOnly", "ReadWrite"',
      'spec.a: Unsupported value: "[redacted]": supported values: "ReadOnly", "ReadWrite"',
    ],
    [
      '[spec.a: Duplicate value: {"a":1}, spec.b: Invalid value: the door is closed, spec.c: Required value]',
      '[spec.a: Duplicate value: "[redacted]", spec.b: Invalid value: the door is closed, spec.c: Required value]',
    ],
  ])('%j contains no value', (message, cleaned) => {
    expect(messagesWithoutValues([denied + message], known)).toEqual([denied + cleaned])
  })

  it('keeps words that the schema allows, but no value of a Secret', () => {
    const message = 'spec.a: Unsupported value: "x": supported values: "ReadOnly", "ReadWrite"'
    expect(messagesWithoutValues([message], { ...known, secrets: ['ReadWrite'] })[0]).toContain(
      '"ReadOnly", "[redacted]"',
    )
  })

  it('is cut if it is longer than a readable message', () => {
    const [message = '', , cause] = messagesWithoutValues(['a '.repeat(100_000), 'b '.repeat(100_000), 'c'], known)
    expect(message.length).toBeLessThan(17_000)
    expect(cause).toBe('')
  })
})

describe('a value of a request', () => {
  const signs = '!#$%&*+-./:;<=>?@^_|~"\'\\\n\t \u00e9\u{1f511}'
  const charsOf = (text: string) => fc.constantFrom(...text)
  /**
   * Every few characters have a digit beside letters, as in random values; a part that is a word cannot be
   * distinguished from prose.
   */
  const secrets = fc
    .array(
      fc.tuple(charsOf('abcdefgxyz'), charsOf('0123456789'), charsOf('ABCDEFGXYZ'), charsOf(`${signs}abcXYZ123`)),
      {
        minLength: 5,
        maxLength: 10,
      },
    )
    .map((groups) => groups.flat().join(''))
  const deep = (secret: string) => ({ spec: { list: [{ deep: { text: secret } }] } })
  const fields: readonly ((secret: string) => object)[] = [
    (secret) => ({ kind: 'Door', metadata: { name: 'a', annotations: { note: secret } }, spec: {} }),
    (secret) => ({ kind: 'Door', metadata: { name: 'a', labels: { note: secret } }, spec: {} }),
    (secret) => ({ kind: 'Door', metadata: { name: 'a' }, ...deep(secret) }),
    (secret) => ({ kind: 'Door', metadata: { name: 'a' }, spec: { url: `https://user:${secret}@db.example.org` } }),
    (secret) => ({ kind: 'Secret', metadata: { name: 'a' }, data: { a: Buffer.from(secret).toString('base64') } }),
    (secret) => ({ kind: 'Secret', metadata: { name: 'a' }, stringData: { a: secret } }),
    (secret) => ({
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      data: { script: `${'echo hello world\n'.repeat(2_000)}${secret}` },
    }),
    (secret) => [{ op: 'replace', path: '/spec/a', value: deep(secret) }],
  ]
  const goEscaped = (text: string) => JSON.stringify(text).replaceAll('<', '\\u003c').replaceAll('&', '\\u0026')
  const quotings: readonly ((secret: string) => string)[] = [
    (secret) => secret,
    (secret) => `'${secret}'`,
    (secret) => JSON.stringify(secret),
    (secret) => goEscaped(secret),
    (secret) => goEscaped(goEscaped(secret)),
    (secret) => `{"a":{"b":${goEscaped(secret)}}}`,
    (secret) => `&v1.Door{Spec:v1.DoorSpec{A:map[string]string{"a":${goEscaped(secret)}}}}`,
    (secret) => Buffer.from(secret).toString('base64'),
    (secret) => `token=${Buffer.from(`x:${secret}`).toString('base64url')}`,
    (secret) => secret.slice(0, 16),
    (secret) => secret.slice(-16),
    (secret) => `${secret.slice(4, 18)}...`,
    (secret) => `${secret}${secret}`,
  ]
  const sentences: readonly ((quoted: string) => string)[] = [
    (quoted) => `spec.a: Invalid value: ${quoted}: no`,
    (quoted) => `spec.a: Invalid value: the text ${quoted} is weak`,
    (quoted) => `[spec.a: Required value: other than ${quoted}, spec.b: Forbidden: not ${quoted}]`,
    (quoted) => `spec.a: Unsupported value: "x": supported values: "a", ${quoted}`,
    (quoted) => `admission webhook "a" denied the request: ${quoted}`,
    (quoted) => `doors.example.com "a" is forbidden: ${quoted}`,
    (quoted) => `spec: Forbidden: no change\n@@ -1,2 +1,2 @@\n  "a": {\n-  "b": ${JSON.stringify(quoted)},\n  }\n`,
    (quoted) => quoted,
  ]

  it('appears in no message, whatever its field and quotes', () => {
    const anyOf = <T>(values: readonly T[]) => fc.constantFrom(...values)
    fc.assert(
      fc.property(secrets, anyOf(fields), anyOf(quotings), anyOf(sentences), (secret, field, quoting, sentence) => {
        const body = field(secret)
        const request = valueTexts(body, isJsonList(body) ? 'Door' : undefined)
        const said = [sentence(quoting(secret)), quoting(secret)]
        for (const message of messagesWithoutValues(said, { secrets: [], request, names: ['a'] })) {
          for (const told of [message, unquoted(message), unquoted(unquoted(message)), ...decodedRuns(message)]) {
            expect(longestShared(told, secret), JSON.stringify({ message })).toBeLessThan(10)
          }
        }
      }),
      { numRuns: 3_000 },
    )
  })
})

/** The same text without one level of escapes. */
function unquoted(text: string): string {
  return text.replaceAll(/\\(?:u([0-9a-f]{4})|(.))/g, (_, code: string | undefined, char: string) =>
    code === undefined ? ({ n: '\n', t: '\t' }[char] ?? char) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

function decodedRuns(text: string): readonly string[] {
  const runs = text.match(/[\w+/-]{8,}/g) ?? []
  return runs.flatMap((run) =>
    [0, 1, 2, 3].map((skipped) => Buffer.from(run.slice(skipped), 'base64').toString('utf8')),
  )
}

/** Length of the longest common substring. */
function longestShared(left: string, right: string): number {
  let longest = 0
  for (let start = 0; start < right.length; start++) {
    while (left.includes(right.slice(start, start + longest + 1)) && start + longest < right.length) longest++
  }
  return longest
}
