// Draws a world from a seed. Pure: the same seed gives the same world.
import type { JsonObject } from '../../src/base/json.ts'
import { type Random, seededRandom } from '../../src/base/random.ts'
import type { FaultRule } from '../../src/testing/index.ts'
import {
  type ChildKind,
  childKinds,
  type Extension,
  hasStatus,
  type ParentKind,
  type ParentSpec,
  parentKinds,
  scopeOf,
} from './stranger-kinds.ts'
import {
  type ChildName,
  type ChildPolicy,
  type ChildTemplate,
  type ControllerPlan,
  elsewhere,
  functionNames,
  home,
  type Manner,
  type Misbehaviour,
  nameOf,
  type PureFunction,
  type TimedEvent,
  type VersionPlan,
  type WorldEvent,
  type WorldPlan,
} from './world-plan.ts'

const parentNames = ['a', 'b']
const slots = 3
/** The last one has the form of an owner's manager. */
const managers = ['alice', 'bob', 'mall/shops.example.com+owner-1']

export function worldPlan(seed: number): WorldPlan {
  const draw = new Draw(seededRandom(seed))
  const kinds = draw.shuffled(parentKinds).slice(0, draw.from([1, 1, 2, 2, 3]))
  const controllers = kinds.map((kind) => withContributions(draw, drawController(draw, kind), kinds))
  const isSplit = controllers.length > 1 && draw.chance(0.4)
  const operators = isSplit
    ? [
        { name: 'first', controllers: controllers.slice(0, 1) },
        { name: 'second', controllers: controllers.slice(1) },
      ]
    : [{ name: 'first', controllers }]
  const [first = 'Alpha'] = kinds
  const opening: TimedEvent = {
    event: { kind: 'create', of: first, name: 'a', spec: drawSpec(draw) },
    thenMs: draw.from([0, 1_000]),
  }
  const count = 5 + draw.below(16)
  const events = Array.from({ length: count }, () => drawTimed(draw, kinds, operators.length))
  return { seed, isAddonInstalled: draw.chance(0.7), operators, events: [opening, ...events] }
}

/** Random choices from one source. */
class Draw {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  below(count: number): number {
    return Math.floor(this.#random.next() * count)
  }

  chance(share: number): boolean {
    return this.#random.next() < share
  }

  from<T>(values: readonly [T, ...T[]] | readonly T[]): T {
    return values[this.below(values.length)] as T // No list here is empty.
  }

  shuffled<T>(values: readonly T[]): readonly T[] {
    return values
      .map((value) => ({ value, at: this.#random.next() }))
      .sort((left, right) => left.at - right.at)
      .map(({ value }) => value)
  }
}

function drawController(draw: Draw, kind: ParentKind): ControllerPlan {
  const versions = [drawVersion(draw)]
  while (versions.length < 3 && draw.chance(0.5)) versions.push(nextVersion(draw, versions.at(-1) ?? { templates: [] }))
  if (scopeOf(kind) === 'Namespaced') shareSome(draw, versions)
  return { kind, isAddonOptional: draw.chance(0.7), versions: hasStatus(kind) ? versions : versions.map(atHome) }
}

/** Turns some templates into parts of a ConfigMap that several resources own. */
function shareSome(draw: Draw, versions: VersionPlan[]): void {
  for (const [at, { templates, bug }] of versions.entries()) {
    const shared = templates.map((template): ChildTemplate => {
      if (!draw.chance(0.2)) return template
      const { waitsFor, hold } = template.policy
      const policy = {
        coOwn: true,
        ...(waitsFor === undefined ? {} : { waitsFor }),
        ...(hold === undefined ? {} : { hold }),
      }
      return { ...template, kind: 'ConfigMap', isCommon: true, isElsewhere: false, policy }
    })
    versions[at] = { templates: shared, bug }
  }
}

/** Moves children into the namespace of the resources, because the status records the others. */
function atHome({ templates, bug }: VersionPlan): VersionPlan {
  const kept = templates.filter(({ kind }) => scopeOf(kind) === 'Namespaced')
  const ungated = kept.map(({ policy: { waitsFor: _, ...policy }, ...one }) => ({ ...one, policy }))
  const atHome = (kept.length < templates.length ? ungated : kept).map((one) => ({ ...one, isElsewhere: false }))
  return { templates: atHome, bug }
}

/** Turns some ConfigMaps into contributions to those of another controller. */
function withContributions(draw: Draw, plan: ControllerPlan, kinds: readonly ParentKind[]): ControllerPlan {
  const others = kinds.filter((kind) => kind !== plan.kind)
  if (others.length === 0) return plan
  const changed = (template: ChildTemplate): ChildTemplate => {
    if (template.kind !== 'ConfigMap' || template.policy.coOwn === true || draw.chance(0.5)) return template
    const { waitsFor } = template.policy
    const policy = { contribute: draw.from(others), ...(waitsFor === undefined ? {} : { waitsFor }) }
    const bodies = ['0', '1', '2'].map((value) => ({ data: { [`from-${plan.kind}`]: value } }))
    return { ...template, isCommon: false, bodies, policy }
  }
  const versions = plan.versions.map((version) => ({ ...version, templates: version.templates.map(changed) }))
  return { ...plan, versions }
}

function drawVersion(draw: Draw): VersionPlan {
  const places = draw.shuffled(Array.from({ length: slots }, (_, slot) => slot)).slice(0, 1 + draw.below(slots))
  const templates = places.map((slot) => drawTemplate(draw, slot))
  return { templates: templates.map((template, at) => withGate(draw, template, at)), bug: drawBug(draw) }
}

function drawBug(draw: Draw): VersionPlan['bug'] {
  return draw.chance(0.2)
    ? { of: draw.from<PureFunction>(['refuse', 'desired', 'status']), rev: draw.below(6) }
    : undefined
}

/** Drops, adds and changes some of the templates. */
function nextVersion(draw: Draw, { templates }: VersionPlan): VersionPlan {
  const changed = templates.flatMap((template) => {
    if (draw.chance(0.2)) return []
    if (draw.chance(0.3)) return [drawTemplate(draw, template.slot)]
    return [draw.chance(0.5) ? { ...template, bodies: drawBodies(draw, template.kind) } : template]
  })
  const free = [0, 1, 2].filter((slot) => !changed.some((template) => template.slot === slot))
  const added = free.length > 0 && draw.chance(0.4) ? [drawTemplate(draw, draw.from(free))] : []
  const all = [...changed, ...added]
  return { templates: all.map((template, at) => withGate(draw, template, at)), bug: drawBug(draw) }
}

function drawTemplate(draw: Draw, slot: number): ChildTemplate {
  const kind = draw.from(childKinds)
  return {
    kind,
    slot,
    isCommon: draw.chance(0.15),
    isElsewhere: draw.chance(0.15),
    fromSize: draw.from([0, 0, 0, 1, 2]),
    bodies: drawBodies(draw, kind),
    policy: drawPolicy(draw, kind),
  }
}

function drawPolicy(draw: Draw, kind: ChildKind): ChildPolicy {
  const field = kind === 'ConfigMap' ? 'data.a' : draw.from(['spec.size', 'spec.note', 'spec.options'])
  return draw.from<ChildPolicy>([
    {},
    {},
    {},
    {},
    { shared: field },
    { initialOnly: field },
    { retain: true },
    { recreate: true },
    { hold: true },
  ])
}

/** A template can wait only for an earlier one. */
function withGate(draw: Draw, template: ChildTemplate, at: number): ChildTemplate {
  const { waitsFor: _, ...policy } = template.policy
  if (at === 0 || draw.chance(0.8)) return { ...template, policy }
  return { ...template, policy: { ...policy, waitsFor: draw.below(at) } }
}

function drawBodies(draw: Draw, kind: ChildKind): readonly JsonObject[] {
  return Array.from({ length: 3 }, () => drawBody(draw, kind))
}

function drawBody(draw: Draw, kind: ChildKind): JsonObject {
  const labels = draw.chance(0.2) ? { metadata: { labels: { team: draw.from(['x', 'y']) } } } : {}
  if (kind === 'ConfigMap')
    return { ...labels, data: { ...some(draw, { a: drawText, b: drawText }), c: drawText(draw) } }
  return { ...labels, spec: some(draw, specFields) }
}

type FieldDraw = (draw: Draw) => JsonObject[string]

function some(draw: Draw, fields: Readonly<Record<string, FieldDraw>>): JsonObject {
  const chosen = Object.entries(fields).filter(() => draw.chance(0.4))
  return Object.fromEntries(chosen.map(([name, drawField]) => [name, drawField(draw)]))
}

const drawText: FieldDraw = (draw) => draw.from(['0', '1', '2'])
const drawModes: FieldDraw = (draw) =>
  Array.from({ length: draw.below(3) }, (_, at) => ({
    name: `m${at}`,
    ...(draw.chance(0.3) ? { on: draw.chance(0.5) } : {}),
    ...(draw.chance(0.3) ? { note: draw.from(['0', '1']) } : {}),
  }))
const specFields: Readonly<Record<string, FieldDraw>> = {
  size: (draw) => 1 + draw.below(4),
  note: drawText,
  ports: (draw) =>
    ['http', 'https', 'admin'].slice(draw.below(4)).map((name) => ({
      name,
      ...(draw.chance(0.6) ? { port: 80 + draw.below(3) } : {}),
      ...(draw.chance(0.3) ? { protocol: draw.from(['TCP', 'UDP']) } : {}),
    })),
  rules: (draw) =>
    ['x', 'y'].slice(draw.below(3)).map((name) => ({
      name,
      protocol: draw.from(['TCP', 'UDP']),
      ...(draw.chance(0.5) ? { port: 80 + draw.below(3) } : {}),
    })),
  tags: (draw) => ['r', 's', 't'].slice(draw.below(4)),
  options: (draw) => Object.fromEntries(['k', 'l'].slice(draw.below(3)).map((key) => [key, draw.from(['0', '1'])])),
  modes: (draw) => drawModes(draw),
  block: (draw) => ({ mode: draw.from(['0', '1']) }),
  fixed: (draw) => draw.from(['0', '0', '1']),
}

function drawSpec(draw: Draw): ParentSpec {
  const spec = { rev: draw.below(6), size: draw.below(4) }
  return draw.chance(0.1) ? { ...spec, isRefused: true } : spec
}

function drawTimed(draw: Draw, kinds: readonly ParentKind[], operators: number): TimedEvent {
  const event = drawEvent(draw, kinds, operators)
  const thenMs = draw.from([undefined, 0, 0, 1, 20, 1_000, 8_000, 30_000, 200_000])
  return thenMs === undefined ? { event } : { event, thenMs }
}

function drawEvent(draw: Draw, kinds: readonly ParentKind[], operators: number): WorldEvent {
  const of = draw.from(kinds)
  const name = draw.from(parentNames)
  const operator = draw.below(operators)
  const kind = draw.from(eventKinds)
  switch (kind) {
    case 'create':
    case 'edit':
      return { kind, of, name, spec: drawSpec(draw) }
    case 'delete':
    case 'pause':
    case 'resume':
    case 'label':
    case 'unlabel-parent':
      return { kind, of, name }
    case 'extend-kind':
      return { kind, of: draw.from(extensibleKinds), extension: draw.from(extensions) }
    case 'set-fact':
      return { kind, name, shift: draw.from([undefined, 0, 1, 2]) }
    case 'hand-over':
      return { kind, child: drawChildName(draw, of, name), of, name }
    case 'edit-child':
      return drawChildEdit(draw, drawChildName(draw, of, name))
    case 'unlabel':
    case 'disown':
    case 'pin':
    case 'relabel':
    case 'reset-records':
    case 'unpin':
    case 'delete-child':
    case 'delete-foreign':
      return { kind, child: drawChildName(draw, of, name) }
    case 'create-foreign': {
      const child = drawChildName(draw, of, name)
      return { kind, child, body: drawBody(draw, child.kind) }
    }
    case 'ready-engine':
      return { kind, name: drawChildName(draw, of, name).name, isReady: draw.chance(0.7) }
    case 'misbehave':
      return { kind, of, call: draw.from(functionNames), how: draw.from(misbehaviours) }
    case 'fault':
      return { kind, rule: drawFault(draw) }
    case 'restart':
    case 'crash':
    case 'upgrade':
      return { kind, operator }
    default:
      return { kind }
  }
}

const misbehaviours: readonly Misbehaviour[] = ['throw', 'reject', 'hang', 'hang-deaf', 'wait']

const extensibleKinds = ['Part', 'Engine', 'Addon', 'Zone', ...parentKinds] as const
const extensions: readonly Extension[] = ['field', 'default', 'version']

/** Frequency of a kind: its number of entries here. */
const eventKinds: readonly WorldEvent['kind'][] = [
  ...(['create', 'create', 'create', 'edit', 'edit', 'edit', 'edit', 'edit', 'delete', 'delete'] as const),
  ...(['edit-child', 'edit-child', 'edit-child', 'edit-child', 'delete-child', 'delete-child'] as const),
  ...(['create-foreign', 'delete-foreign', 'ready-engine', 'ready-engine', 'restart', 'crash', 'upgrade'] as const),
  ...(['upgrade', 'misbehave', 'misbehave', 'behave', 'fault', 'fault', 'calm', 'install-addon'] as const),
  ...([
    'uninstall-addon',
    'pause',
    'resume',
    'unlabel',
    'disown',
    'pin',
    'unpin',
    'hand-over',
    'create-foreign',
    'relabel',
    'reset-records',
    'label',
    'unlabel-parent',
    'extend-kind',
    'set-fact',
    'set-fact',
  ] as const),
]

function drawChildName(draw: Draw, of: ParentKind, parent: string): ChildName {
  const slot = draw.below(slots)
  return {
    kind: draw.from(childKinds),
    name: nameOf(of, parent, { slot, isCommon: draw.chance(0.15) }),
    namespace: draw.chance(0.2) ? elsewhere : home,
  }
}

function drawChildEdit(draw: Draw, child: ChildName): WorldEvent {
  const own = drawBody(draw, child.kind)
  const field = child.kind === 'ConfigMap' ? 'data' : 'spec'
  const values = own[field] as JsonObject // A body has it.
  const theirs = draw.from(['0', '1'])
  const extended =
    child.kind === 'ConfigMap'
      ? { ...values, theirs }
      : { ...values, options: { ...(values['options'] as object), theirs } }
  const body = { ...own, [field]: draw.chance(0.5) ? extended : values } as JsonObject // JSON values only.
  const manner = draw.from<Manner>(['update', 'update', 'apply', 'apply-forced'])
  return { kind: 'edit-child', child, manager: draw.from(managers), manner, body }
}

const writes = ['create', 'update', 'patch', 'delete']
/** Reads that faults strike. `get` is spared, because an operator exits if it cannot read the API server's version. */
const reads = ['list', 'watch']

function drawFault(draw: Draw): FaultRule {
  const times = draw.from([1, 2, 5, 50])
  const after = draw.from([0, 0, 1, 3])
  return draw.from<FaultRule>([
    {
      fault: { kind: 'refuse', code: draw.from([409, 429, 500, 503, 504] as const) },
      on: { verbs: writes },
      times,
      after,
    },
    { fault: { kind: 'cut', when: 'after' }, on: { verbs: writes }, times, after },
    { fault: { kind: 'cut', when: 'before' }, on: { verbs: [...reads, ...writes] }, times, after },
    { fault: { kind: 'refuse', code: 503 }, on: { verbs: [...reads, ...writes] }, times },
    { fault: { kind: 'refuse', code: 500 }, on: { resource: draw.from(['parts', 'configmaps']) }, times },
    { fault: { kind: 'latency', ms: draw.from([20, 3_000]) }, on: { verbs: [...reads, ...writes] }, times },
    { fault: { kind: 'cut-watch', afterEvents: draw.below(4) }, on: { verbs: ['watch'] }, times },
    { fault: { kind: 'delay-events', ms: draw.from([100, 10_000]) }, on: { verbs: ['watch'] }, times },
    { fault: { kind: 'repeat-events', share: 0.5 }, on: { verbs: ['watch'] }, times },
    { fault: { kind: 'refuse', code: 410 }, on: { verbs: ['watch', 'list'] }, times },
  ])
}
