// What may an expression use? Every library that Kubernetes 1.36 gives to the rules of a schema, and nothing else: a function that
// is not here refuses the rule by its name. Source: k8s.io/apiserver/pkg/cel/environment/base.go.
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nullType,
  opaqueType,
  optionalOf,
  stringType,
  timestampType,
  typeOf,
  typeType,
  uintType,
} from './cel-type.ts'
import { type FunctionTable, functionTables } from './function-table.ts'
import { authorizer } from './library/authorizer.ts'
import { namedFormats } from './library/formats.ts'
import { collecting, extendedLists, kubernetesLists, sets } from './library/lists.ts'
import { cidr, ip } from './library/network.ts'
import { optional } from './library/optional.ts'
import { quantity } from './library/quantity.ts'
import { regularExpressions } from './library/regular-expressions.ts'
import { semver } from './library/semver.ts'
import { standard } from './library/standard.ts'
import { strings } from './library/strings.ts'
import { time } from './library/time.ts'
import { urls } from './library/urls.ts'

/** In the order in which the API server adds them: it decides which overload is tried first. */
const libraries = [
  standard,
  time,
  urls,
  regularExpressions,
  kubernetesLists,
  authorizer,
  optional,
  quantity,
  strings,
  sets,
  ip,
  cidr,
  namedFormats,
  collecting,
  semver,
  extendedLists,
]

let tables: ReadonlyMap<string, FunctionTable> | undefined

/** All functions. The tables are made for the first rule, and never change. */
export function knownFunctions(): ReadonlyMap<string, FunctionTable> {
  tables ??= functionTables(libraries)
  return tables
}

/** Names of types that a rule may compare with: `type(self.x) == string`. */
export const typeNames: ReadonlyMap<string, CelType> = new Map(
  [
    boolType,
    bytesType,
    doubleType,
    durationType,
    intType,
    listOf(dynType),
    mapOf(dynType, dynType),
    nullType,
    stringType,
    timestampType,
    typeType,
    uintType,
    optionalOf(dynType),
    opaqueType('net.IP'),
    opaqueType('net.CIDR'),
  ].map((type) => [type.name, typeOf(type)]),
)
