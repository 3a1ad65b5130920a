// Statements that a step must not contain, by the name of the parser's node. Effects of functions in the database, and
// of SQL that a statement builds, are not detected.
import { type FindingCode, mostFindings } from '../../step-review.ts'
import {
  type Fields,
  fieldsOf,
  hasText,
  lastName,
  listOf,
  nodesBelow,
  optionsOf,
  type Statement,
  stringOf,
} from './sql-parser.ts'
import { outsideTransactions } from './transaction-rules.ts'

export interface Complaint {
  readonly code: FindingCode
  readonly message: string
}

export interface Surroundings {
  readonly isTransactional: boolean
  /** `now`: the statement runs with the step. `whenCalled`: the step defines it, and a later caller runs it. */
  readonly when: 'now' | 'whenCalled'
}

export function complaintsAbout({ node }: Statement, surroundings: Surroundings): readonly Complaint[] {
  const runs = surroundings.when === 'now'
  const rules = [
    always,
    ...(runs ? [ofWhatRuns] : []),
    ...(runs && surroundings.isTransactional ? [inTransactions] : []),
  ]
  return [
    ...rules.flatMap((rule) => rule[node.name]?.(node.fields) ?? []),
    ...complaintsAboutCalls(node.fields, surroundings),
    ...(hasText(node.fields, reservedSchema) ? [reserved] : []),
  ]
}

function complaintsAboutCalls(tree: Fields, surroundings: Surroundings): readonly Complaint[] {
  const complaints: Complaint[] = []
  for (const { name, fields } of nodesBelow(tree)) {
    const complaint = name === 'FuncCall' ? complaintAboutCall(fields, surroundings) : undefined
    if (complaint !== undefined) complaints.push(complaint)
    if (complaints.length >= mostFindings) break
  }
  return complaints
}

const reservedSchema = '_konverge'

const reserved: Complaint = { code: 'ReservedSchema', message: `the schema ${reservedSchema} is konverge’s own` }

export const transactionControl: Complaint = {
  code: 'TransactionControlInStep',
  message: 'a step is part of a transaction, which it neither begins nor ends',
}

type Rules = Readonly<Record<string, (fields: Fields) => Complaint | undefined>>

const always: Rules = {
  CopyStmt: ({ is_program: isProgram, filename }) => {
    if (isProgram === true) return { code: 'ServerAccess', message: 'COPY runs a program on the server' }
    if (filename !== undefined) return { code: 'ServerAccess', message: 'COPY uses a file of the server' }
    return undefined
  },
  AlterSystemStmt: () => ({ code: 'AlterSystem', message: 'ALTER SYSTEM changes the whole server' }),
  CreateRoleStmt: ({ options }) => passwordIn(options),
  AlterRoleStmt: ({ options }) => passwordIn(options),
  CreateUserMappingStmt: ({ options }) => passwordIn(options),
  AlterUserMappingStmt: ({ options }) => passwordIn(options),
  CreateSubscriptionStmt: ({ conninfo }) => passwordOf(conninfo),
  AlterSubscriptionStmt: ({ conninfo }) => passwordOf(conninfo),
}

const ofWhatRuns: Rules = {
  TransactionStmt: () => transactionControl,
  CopyStmt: ({ filename, is_program: isProgram }) => {
    if (filename !== undefined || isProgram === true) return undefined
    return {
      code: 'CopyWithClient',
      message: 'COPY FROM STDIN and TO STDOUT have nobody on the other side; use a step of type Copy',
    }
  },
  VariableSetStmt: (fields) => settingRule(fields),
  DiscardStmt: () => ({ code: 'SessionSetting', message: 'DISCARD throws away what the session is held by' }),
}

const inTransactions: Rules = Object.fromEntries(
  Object.entries(outsideTransactions).map(([name, wordsOf]) => [name, (fields) => notInTransaction(wordsOf(fields))]),
)

function notInTransaction(words: string | undefined): Complaint | undefined {
  if (words === undefined) return undefined
  return {
    code: 'NotInTransaction',
    message: `${words} runs in no transaction; say transaction: false and how it is verified`,
  }
}

const roleSettings = ['role', 'session_authorization']

function settingRule({ name, kind, is_local: isLocal }: Fields): Complaint | undefined {
  if (name === 'TRANSACTION' || name === 'TRANSACTION SNAPSHOT') {
    return {
      code: 'TransactionControlInStep',
      message: 'SET TRANSACTION changes the transaction that the step is part of',
    }
  }
  if (typeof name === 'string' && roleSettings.includes(name)) return roleChange
  if (isLocal === true) return undefined
  const what =
    kind === 'VAR_RESET_ALL' ? 'RESET ALL' : `${String(kind).startsWith('VAR_RESET') ? 'RESET' : 'SET'} ${String(name)}`
  return { code: 'SessionSetting', message: `${what} outlives the step; say SET LOCAL` }
}

const roleChange: Complaint = { code: 'RoleChange', message: 'a step does not choose the role that it runs as' }

const verifierPattern = /^SCRAM-SHA-256\$\d+:|^md5[0-9a-f]{32}$/

function passwordIn(options: unknown): Complaint | undefined {
  const password = optionsOf(options).find(({ name }) => name === 'password')
  const text = stringOf(password?.value)
  return text === undefined || verifierPattern.test(text) ? undefined : clearPassword
}

function passwordOf(connection: unknown): Complaint | undefined {
  if (typeof connection !== 'string') return undefined
  return /password\s*=/.test(connection) || hasPasswordInURL(connection) ? clearPassword : undefined
}

/** Finds `postgresql://user:password@host`: a colon before an `@`, without a slash between them. */
function hasPasswordInURL(connection: string): boolean {
  const logins = connection.split('@').slice(0, -1)
  return logins.some((login) => login.lastIndexOf(':') > login.lastIndexOf('/'))
}

const clearPassword: Complaint = {
  code: 'ClearPassword',
  message:
    'a password stands here for everybody who may read the step; give a SCRAM verifier, or let a DatabaseUser make the role',
}

function complaintAboutCall({ funcname, args }: Fields, { when }: Surroundings): Complaint | undefined {
  const name = lastName(funcname) ?? ''
  if (serverFunctions.test(name)) return { code: 'ServerAccess', message: `${name} uses files of the server` }
  if (when === 'whenCalled') return undefined
  if (/^pg_(try_)?advisory_(lock|unlock)/.test(name)) {
    return {
      code: 'SessionLock',
      message: `${name} is about locks of the session; pg_advisory_xact_lock is one of the transaction`,
    }
  }
  return name === 'set_config' ? settingCall(listOf(args)) : undefined
}

const serverFunctions = /^(lo_import|lo_export|pg_read_(binary_)?file|pg_file_\w+|pg_ls_\w*dir)$/

function settingCall([setting, , isLocal]: readonly unknown[]): Complaint | undefined {
  if (roleSettings.includes(stringOf(setting) ?? '')) return roleChange
  const constant = fieldsOf(fieldsOf(isLocal)['A_Const'])
  const isTrue = fieldsOf(constant['boolval'])['boolval'] === true
  return isTrue
    ? undefined
    : { code: 'SessionSetting', message: 'set_config outlives the step unless its third argument is true' }
}
