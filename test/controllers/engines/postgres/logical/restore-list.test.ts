// Entries of an artifact that a restore executes. Invariant: it leaves out objects that other steps create.
import { expect, it } from 'vitest'
import { privilegesList, restoreList } from '../../../../../src/controllers/engines/postgres/logical/restore-list.ts'

it('a restore leaves out what only a superuser may create, and what exists', () => {
  const ours = [
    '7; 2615 16389 SCHEMA - apis shop_owner',
    '215; 1259 16390 TABLE public t postgres',
    '3350; 0 0 COMMENT public TABLE t postgres',
    '3351; 0 16390 TABLE DATA public t postgres',
  ]
  const others = [
    '6; 2615 16388 SCHEMA - api shop_owner',
    '3; 3079 16385 EXTENSION - pg_trgm ',
    '3349; 0 0 COMMENT - EXTENSION pg_trgm ',
    '3352; 3466 16400 EVENT TRIGGER - watch postgres',
    '3353; 6104 16401 PUBLICATION - all postgres',
  ]
  const printed = [';', '; Archive created at 2026-03-10', ...others, ...ours, ''].join('\n')
  expect(restoreList(printed, { schemas: ['api'] }).split('\n')).toEqual(ours)
})

it('a restore separates privileges from all other entries', () => {
  const privileges = [
    '3360; 0 0 ACL - SCHEMA api shop_owner',
    '2083; 826 16410 DEFAULT ACL public DEFAULT PRIVILEGES FOR TABLES app',
  ]
  const others = ['3361; 0 0 ACL2 - SCHEMA api shop_owner', '215; 1259 16390 TABLE public ACL postgres', '; ACL']
  expect(privilegesList([...privileges, ...others].join('\n')).split('\n')).toEqual(privileges)
})
