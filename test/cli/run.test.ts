import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { konverge, sentenceOf, withFiles } from './konverge.ts'

const limitMs = 120_000
/** Nothing listens on port 1. */
const nowhere = 'https://127.0.0.1:1'

const kubeconfig = (server: string) => `apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: "${server}" } }]
users: [{ name: u, user: { token: do-not-show-this } }]
contexts: [{ name: x, context: { cluster: c, user: u } }]
current-context: x
`
const run = (...args: readonly string[]) => konverge(['run', '--http-host', '127.0.0.1', '--http-port', '0', ...args])
const runWith = (text: string, ...args: readonly string[]) =>
  withFiles({ config: text }, (folder) => run('--kubeconfig', join(folder, 'config'), ...args))

describe.concurrent('konverge run ends within seconds, with one sentence and exit code 1,', {
  timeout: limitMs,
}, () => {
  it('without a kubeconfig', async () => {
    const ended = await run()
    expect(sentenceOf(ended)).toMatch(/kubeconfig|KUBECONFIG/)
    expect(ended.exitCode).toBe(1)
  })

  it('with a kubeconfig that does not exist', async () => {
    const ended = await run('--kubeconfig', 'not/there')
    expect(sentenceOf(ended)).toMatch(/not\/there/)
    expect(ended.exitCode).toBe(1)
  })

  it.each([
    { title: 'text', text: 'hello' },
    { title: 'nothing', text: '' },
  ])('with a kubeconfig that is $title', async ({ text }) => {
    const ended = await runWith(text)
    expect(sentenceOf(ended)).toMatch(/^konverge: .*config/)
    expect(ended.exitCode).toBe(1)
  })

  it('with a context that does not exist', async () => {
    const ended = await runWith(kubeconfig(nowhere), '--context', 'staging')
    expect(sentenceOf(ended)).toMatch(/staging/)
    expect(ended.exitCode).toBe(1)
  })

  it('when no server answers, naming the address and not the credentials', async () => {
    // The end itself is tested: a run without an end is killed, and rejects.
    const { exitCode, stdout, stderr } = await runWith(kubeconfig(nowhere))
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/^konverge: .*127\.0\.0\.1:1\b.*\n$/)
    expect(stdout + stderr).not.toContain('do-not-show-this')
  })

  it('when its HTTP port is in use', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const { exitCode, stderr } = await runWith(kubeconfig(nowhere), '--http-port', String(port))
    server.close()
    expect(stderr).toMatch(new RegExp(`^konverge: .*${port}.*\\n$`))
    expect(exitCode).toBe(1)
  })

  it.each([
    { title: 'times that do not fit', flags: ['--lease-duration', '5s'], sentence: /lease duration > renew deadline/ },
    { title: 'a lease that is nowhere', flags: ['--leader-elect'], sentence: /--lease-namespace/ },
    { title: 'a time that is none', flags: ['--retry-period', 'soon'], sentence: /Give a duration up to 24h/ },
    {
      title: 'a name that no operator can have',
      flags: ['--name', 'Shop'],
      sentence: /an operator cannot be called 'Shop'; use at most 40/,
    },
  ])('or 2 with $title', async ({ flags, sentence }) => {
    const ended = await runWith(kubeconfig(nowhere), '--leader-elect', ...flags)
    expect(sentenceOf(ended)).toMatch(sentence)
    expect(ended.exitCode).toBe(2)
  })

  it('runs a controller once that is named twice', async () => {
    const { stderr } = await runWith(kubeconfig(nowhere), '--controllers', 'replicatedkvstores,ReplicatedKVStore')
    expect(stderr).toMatch(/^konverge: .*127\.0\.0\.1:1\b.*\n$/)
  })
})
