// Which room may import which: the table of docs/architecture.md §1, enforced. A room is a folder of src/.
const rooms = {
  base: [],
  object: ['base'],
  queue: ['base'],
  diff: ['base', 'object'],
  synth: ['base', 'object'],
  kube: ['base', 'object'],
  cache: ['base', 'object', 'kube'],
  apply: ['base', 'object', 'diff', 'synth', 'kube', 'cache'],
  external: ['base', 'object'],
  saga: ['base', 'object', 'external'],
  reconcile: ['base', 'object', 'queue', 'diff', 'synth', 'kube', 'cache', 'apply', 'external', 'saga'],
  operator: ['base', 'object', 'queue', 'kube', 'cache', 'external', 'reconcile', 'telemetry'],
  telemetry: ['base', 'object', 'kube'],
  apiserver: ['base', 'object', 'diff'],
  'local-node': ['base', 'object', 'kube', 'cache'],
  testing: ['base', 'object', 'kube', 'reconcile', 'operator', 'telemetry', 'apiserver'],
  view: ['base', 'object', 'diff', 'synth', 'apply'],
  generate: ['base', 'object'],
  controllers: [],
}

/** Files outside a room that it may import all the same. */
const doors = {
  controllers: ['^src/index\\.ts$', '^constructs/', '^imports/'],
}

/** Packages that only these rooms may import. */
const packageOwners = {
  '@kubernetes/client-node': '^src/kube/',
  undici: '^src/kube/',
  pino: '^src/telemetry/',
  'prom-client': '^src/telemetry/',
  '@opentelemetry/api': '^src/telemetry/tracer\\.ts$',
  commander: '^src/cli/',
  pg: '^src/controllers/engines/postgres/',
  'libpg-query': '^src/controllers/engines/postgres/review/',
  re2js: '^src/apiserver/regular-expression\\.ts$',
  yaml: '^(src/(base/kubernetes-yaml\\.ts|(apiserver|cli|generate|kube)/)|examples/)',
  cdk8s: '^(src/(synth|reconcile|index|controllers)|constructs|imports|examples)',
  '@aws-sdk/client-rds': '^src/controllers/database/rds/',
  '@aws-sdk/client-s3': '^src/controllers/stores/',
  '@aws-sdk/lib-storage': '^src/controllers/stores/',
  croner: '^src/controllers/backup/schedule\\.ts$',
  'cdk8s-plus-27': '^(constructs|examples)/',
}

const quoted = (text) => text.replaceAll('/', '\\/').replaceAll('.', '\\.')

const roomRules = Object.entries(rooms).map(([room, allowed]) => ({
  name: `room-${room}`,
  comment: `src/${room} may import ${[...allowed, ...(doors[room] ?? [])].join(', ') || 'nothing'} (docs/architecture.md §1)`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: {
    path: '^(src|constructs|imports|examples|test)/',
    pathNot: [`^src/${room}/`, ...allowed.map((name) => `^src/${name}/`), ...(doors[room] ?? [])],
  },
}))

const packageRules = Object.entries(packageOwners).map(([name, owners]) => ({
  name: `package-${name}`,
  comment: `only ${owners} imports ${name}, so that it can be replaced in one place`,
  severity: 'error',
  from: { path: '^(src|constructs|imports|examples)', pathNot: owners },
  to: { path: `node_modules/${quoted(name)}/` },
}))

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', comment: 'types included', from: {}, to: { circular: true } },
    ...roomRules,
    ...packageRules,
    {
      name: 'constructs-stand-alone',
      comment: 'constructs/ and imports/ are for anybody’s cdk8s app',
      severity: 'error',
      from: { path: '^(constructs|imports)/' },
      to: { path: '^src/' },
    },
    {
      name: 'command-line-knows-no-flagship',
      comment: 'other operators load the command line, and none of konverge’s own controllers with it',
      severity: 'error',
      from: { path: '^src/cli/index\\.ts$' },
      to: { path: '^src/controllers/', reachable: true },
    },
    {
      name: 'cli-is-the-top',
      comment: 'nothing imports the command line',
      severity: 'error',
      from: { path: '^(src|constructs|imports)/', pathNot: '^src/cli/' },
      to: { path: '^src/cli/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
