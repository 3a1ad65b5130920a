// CEL environment of schema rules: every library that Kubernetes 1.36 provides. A rule that uses another function is
// rejected with the
// function's name. Source: k8s.io/apiserver/pkg/cel/environment/base.go.
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

/** In the API server's order, which decides the order of overloads. */
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

/** Returns all functions. The first call builds the tables, which never change. */
export function knownFunctions(): ReadonlyMap<string, FunctionTable> {
  tables ??= functionTables(libraries)
  return tables
}

/** Type names that a rule may compare with: `type(self.x) == string`. */
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
