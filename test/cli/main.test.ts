import { describe, expect, it } from 'vitest'
import { packageVersion } from '../../src/cli/package-folder.ts'
import { konverge, sentenceOf } from './konverge.ts'

describe.concurrent('konverge', () => {
  it.each([
    { args: [], says: /^konverge: konverge needs a command: choose from run, install, apiserver, worker, / },
    { args: ['nope'], says: /unknown command 'nope': choose from run, install, / },
    { args: ['previw'], says: /unknown command 'previw' \(Did you mean preview\?\)/ },
    { args: ['preview'], says: /'-f, --filename <file\.\.\.>' not specified/ },
    { args: ['generate', '--checks'], says: /unknown option '--checks' \(Did you mean --check\?\)/ },
    { args: ['run', 'now'], says: /too many arguments/ },
    { args: ['run', '--max-concurrent', '0'], says: /--max-concurrent.*'0' is invalid\. Give a whole number from 1;/ },
    { args: ['run', '--http-port', '65536'], says: /Give a port from 0 to 65535/ },
    { args: ['run', '--backoff', '10s-5s'], says: /Give the first and the longest delay with units, as in 5s-300s/ },
    { args: ['run', '--backoff', '5-300'], says: /Give the first and the longest delay with units, as in 5s-300s/ },
    { args: ['run', '--namespaces', ','], says: /Give at least one name/ },
    ...(['run', 'install'] as const).flatMap((command) => [
      { args: [command, '--allow-secret', 'shop/a,foo'], says: /'foo' can match nothing; give namespace\/name/ },
      { args: [command, '--allow-secret', 'a/b/c'], says: /'a\/b\/c' can match nothing; give namespace\/name/ },
      { args: [command, '--allow-image', 'https://x.example/*'], says: /give an image reference without a scheme/ },
      { args: [command, '--allow-endpoint', 'https://db.example'], says: /give a host without scheme, port and path/ },
      { args: [command, '--allow-endpoint', 'db.example:5432'], says: /give a host without scheme, port and path/ },
      { args: [command, '--allow-storage-class', 'a/b'], says: /give the name of a StorageClass/ },
    ]),
    { args: ['run', '--controllers', 'queues'], says: /no controller 'queues'; choose from replicatedkvstores/ },
    { args: ['run', '--log-level', 'loud'], says: /'loud' is no level; choose from debug, info, warn, error/ },
  ])('rejects $args with exit code 2', async ({ args, says }) => {
    const ended = await konverge(args)
    expect(sentenceOf(ended)).toMatch(says)
    expect(ended.exitCode).toBe(2)
  })

  it('says its version', async () => {
    expect(await konverge(['--version'])).toEqual({ exitCode: 0, stdout: `${packageVersion()}\n`, stderr: '' })
  })

  it.each([
    { args: ['--help'], has: ['run', 'preview', 'generate'] },
    { args: ['run', '--help'], has: ['--kubeconfig', '--namespaces', '--selector', '--controllers', '--http-port'] },
    { args: ['preview', '--help'], has: ['--filename'] },
    { args: ['help', 'generate'], has: ['--check'] },
  ])('prints its help: $args', async ({ args, has }) => {
    const { exitCode, stdout, stderr } = await konverge(args)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    for (const word of has) expect(stdout).toContain(word)
  })
})
