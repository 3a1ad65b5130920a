// Statements that restore the privileges of PUBLIC. Names are quoted, and similar privileges share a statement.
import { describe, expect, it } from 'vitest'
import { publicRightsStatements } from '../../../../src/controllers/engines/postgres/public-rights-statements.ts'
import type { PublicRight } from '../../../../src/controllers/engines/public-rights.ts'

const mood = { schema: 'a"b', name: 'Mood', isArray: true }
const integer = { schema: 'pg_catalog', name: 'int4', isArray: false }
const pay = { on: 'Function', schema: 'api', name: 'pay', arguments: [], privileges: [] } as const
const type = { on: 'Type', schema: 's', name: 't', privileges: [] } as const
const column = { on: 'Column', schema: 's', name: 't', column: 'c,d', privileges: ['SELECT', 'UPDATE'] } as const

const cases: readonly {
  readonly what: string
  readonly rights: readonly PublicRight[]
  readonly said: readonly string[]
}[] = [
  {
    what: 'functions of one name',
    rights: [pay, { ...pay, arguments: [integer, mood] }],
    said: ['REVOKE ALL ON ROUTINE "api"."pay"(), "api"."pay"(IN "pg_catalog"."int4", IN "a""b"."Mood"[]) FROM PUBLIC'],
  },
  {
    what: 'what stays of what PostgreSQL gives',
    rights: [{ on: 'Schema', schema: '', name: 'public', privileges: ['CREATE', 'USAGE'] }],
    said: ['REVOKE ALL ON SCHEMA "public" FROM PUBLIC', 'GRANT CREATE, USAGE ON SCHEMA "public" TO PUBLIC'],
  },
  {
    what: 'one sort after another',
    rights: [type, { ...type, name: 'u' }, pay],
    said: ['REVOKE ALL ON TYPE "s"."t", "s"."u" FROM PUBLIC', 'REVOKE ALL ON ROUTINE "api"."pay"() FROM PUBLIC'],
  },
  {
    what: 'others of a sort with other privileges',
    rights: [
      { ...type, on: 'Table', privileges: ['SELECT'] },
      { ...type, on: 'Table', name: 'u', privileges: ['SELECT', 'UPDATE'] },
      { ...type, on: 'Sequence', name: 'v', privileges: ['USAGE'] },
    ],
    said: [
      'REVOKE ALL ON TABLE "s"."t" FROM PUBLIC',
      'GRANT SELECT ON TABLE "s"."t" TO PUBLIC',
      'REVOKE ALL ON TABLE "s"."u" FROM PUBLIC',
      'GRANT SELECT, UPDATE ON TABLE "s"."u" TO PUBLIC',
      'REVOKE ALL ON SEQUENCE "s"."v" FROM PUBLIC',
      'GRANT USAGE ON SEQUENCE "s"."v" TO PUBLIC',
    ],
  },
  {
    what: 'columns',
    rights: [column, { ...column, column: 'e' }, { ...column, name: 'u' }, { ...column, name: 'u', privileges: [] }],
    said: [
      'REVOKE ALL ("c,d", "e") ON TABLE "s"."t" FROM PUBLIC',
      'GRANT SELECT ("c,d", "e"), UPDATE ("c,d", "e") ON TABLE "s"."t" TO PUBLIC',
      'REVOKE ALL ("c,d") ON TABLE "s"."u" FROM PUBLIC',
      'GRANT SELECT ("c,d"), UPDATE ("c,d") ON TABLE "s"."u" TO PUBLIC',
      'REVOKE ALL ("c,d") ON TABLE "s"."u" FROM PUBLIC',
    ],
  },
  { what: 'nothing', rights: [], said: [] },
]

describe('the statements for PUBLIC', () => {
  it.each(cases)('cover $what', ({ rights, said }) => {
    expect(publicRightsStatements({ kind: 'setPublicRights', database: 'd', rights })).toEqual(said)
  })

  it('are few for many objects', () => {
    const rights = Array.from({ length: 1_001 }, (_, at) => ({ ...type, name: `t${at}` }))
    expect(publicRightsStatements({ kind: 'setPublicRights', database: 'd', rights })).toHaveLength(3)
  })

  it.each([
    ['Function', 'ALTER DEFAULT PRIVILEGES FOR ROLE "o" REVOKE ALL ON FUNCTIONS FROM PUBLIC'],
    ['Type', 'ALTER DEFAULT PRIVILEGES FOR ROLE "o" REVOKE ALL ON TYPES FROM PUBLIC'],
  ] as const)('change default privileges: %s', (on, said) => {
    expect(publicRightsStatements({ kind: 'takePublicDefault', role: 'o', on })).toEqual([said])
  })

  it('contain only privileges, whatever a manifest holds', () => {
    const rights = [{ ...type, privileges: ['USAGE ON TYPE x TO PUBLIC; DROP TABLE y; --'] }]
    expect(() => publicRightsStatements({ kind: 'setPublicRights', database: 'd', rights })).toThrow(/is none of USAGE/)
  })
})
