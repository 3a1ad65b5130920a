import { describe, expect, it } from 'vitest'
import { type ContainerAsk, type ImageTable, programOf, repositoryOf } from '../../src/local-node/images.ts'

const table: ImageTable = [
  {
    repositories: ['app'],
    entrypoint: ['/bin/app', '--first'],
    defaultArguments: ['serve'],
    environment: { MODE: 'local', DATA: '/data/x' },
    user: { uid: 7, gid: 8 },
    adapt: (program, { podIp }) => ({ ...program, args: [...program.args, `--host=${podIp}`] }),
  },
  { repositories: ['box'], entrypoint: [], runsOwnCommands: true },
]
const place = {
  image: 'app',
  podIp: '127.50.0.1',
  namespace: 'n',
  mounts: [{ mountPath: '/data', realPath: '/n/v' }],
  folder: '/n/c',
}
const ask = (more: Partial<ContainerAsk>): ContainerAsk => ({
  image: 'app',
  command: [],
  args: [],
  workingFolder: undefined,
  environment: new Map(),
  user: undefined,
  ...more,
})

describe('the image table', () => {
  it.each([
    ['postgres', 'postgres'],
    ['postgres:16', 'postgres'],
    ['docker.io/library/postgres:16@sha256:abc', 'postgres'],
    ['localhost:5000/team/app', 'team/app'],
    ['registry.example/app:1', 'app'],
    ['team/app:1', 'team/app'],
  ])('maps %s to the repository %s', (image, repository) => expect(repositoryOf(image)).toBe(repository))

  it('uses the pod’s user, unless the entry sets one or keeps the node’s', () => {
    const userOf = (image: string) => {
      const verdict = programOf([...table, own], ask({ image, command: ['x'], user: { uid: 9, gid: 9 } }), place)
      return verdict.kind === 'program' ? verdict.program.user : verdict
    }
    const own = { repositories: ['own'], entrypoint: [], runsOwnCommands: true, keepsUser: true }
    expect(userOf('box')).toEqual({ uid: 9, gid: 9 })
    expect(userOf('own')).toBeUndefined()
    const verdict = programOf(table, ask({ user: { uid: 9, gid: 9 } }), place)
    expect(verdict).toMatchObject({ program: { user: { uid: 7, gid: 8 } } })
  })

  it('runs the entrypoint with the entry’s arguments, variables, user and final changes', () => {
    expect(programOf(table, ask({}), place)).toEqual({
      kind: 'program',
      program: {
        command: '/bin/app',
        args: ['--first', 'serve', '--host=127.50.0.1'],
        environment: new Map([
          ['MODE', 'local'],
          ['DATA', '/n/v/x'],
        ]),
        workingFolder: '/n/c',
        user: { uid: 7, gid: 8 },
      },
    })
  })

  it('replaces the image’s arguments and variables by the container’s, with real paths', () => {
    const verdict = programOf(table, ask({ args: ['--db=/data/db'], environment: new Map([['MODE', 'mine']]) }), place)
    expect(verdict).toMatchObject({ program: { args: ['--first', '--db=/n/v/db', '--host=127.50.0.1'] } })
    expect(verdict.kind === 'program' && verdict.program.environment.get('MODE')).toBe('mine')
  })

  it('runs a container’s own command only if the entry allows it', () => {
    expect(programOf(table, ask({ command: ['sh'] }), place)).toMatchObject({ kind: 'refused' })
    const verdict = programOf(
      table,
      ask({ image: 'box', command: ['sh', '-c'], args: ['ls'], workingFolder: '/data' }),
      place,
    )
    expect(verdict).toMatchObject({ program: { command: 'sh', args: ['-c', 'ls'], workingFolder: '/n/v' } })
    expect(programOf(table, ask({ image: 'box' }), place)).toMatchObject({ kind: 'refused' })
  })

  it('has entries of missing images', () => {
    const missing: ImageTable = [{ repositories: ['kv'], entrypoint: [], isMissing: true }]
    const message = 'Back-off pulling image "kv:1"'
    expect(programOf(missing, ask({ image: 'kv:1' }), place)).toEqual({ kind: 'missing', message })
  })

  it('simulates unknown images', () => {
    expect(programOf(table, ask({ image: 'nginx' }), place)).toEqual({ kind: 'simulated' })
  })
})
