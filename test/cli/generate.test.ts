import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { konverge, sentenceOf, withFiles } from './konverge.ts'

const limitMs = 120_000

/** Runs in a copy of the committed files. */
const inCopy = <T>(use: (out: string) => Promise<T>) =>
  withFiles({}, async (folder) => {
    const out = join(folder, 'imports')
    await mkdir(out)
    await cp('imports', out, { recursive: true })
    return await use(out)
  })

describe.concurrent('konverge generate --check', { timeout: limitMs }, () => {
  it('reports the committed files as up to date, and writes nothing', async () => {
    const before = await readdir('imports', { recursive: true })
    const { exitCode, stdout, stderr } = await konverge(['generate', '--check'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toMatch(/^\d+ files are up to date\n$/)
    expect(await readdir('imports', { recursive: true })).toEqual(before)
  })

  it('names the stale file, leaves it, and ends with exit code 2', async () => {
    await inCopy(async (out) => {
      const file = join(out, 'wire', 'replicated-kv-store.ts')
      const stale = `${await readFile(file, 'utf8')}// edited by hand\n`
      await writeFile(file, stale)
      const { exitCode, stdout, stderr } = await konverge(['generate', '--out', out, '--check'])
      expect(exitCode).toBe(2)
      expect(stdout).toContain('replicated-kv-store.ts')
      expect(stderr).toMatch(/^konverge: 1 of \d+ generated files are not up to date; run konverge generate\n$/)
      expect(await readFile(file, 'utf8')).toBe(stale)
    })
  })

  it('passes after generate has written', async () => {
    await inCopy(async (out) => {
      const file = join(out, 'wire', 'replicated-kv-store.ts')
      const fresh = await readFile(file, 'utf8')
      await writeFile(file, `${fresh}// edited by hand\n`)
      const { exitCode, stdout } = await konverge(['generate', '--out', out])
      expect(exitCode).toBe(0)
      expect(stdout).toMatch(/^updated\twire\/replicated-kv-store.ts\n\d+ files are up to date\n$/)
      expect(await readFile(file, 'utf8')).toBe(fresh)
    })
  })
})

describe.concurrent('konverge generate', { timeout: limitMs }, () => {
  it('names the searched folder if it has no CRDs', async () => {
    const ended = await konverge(['generate', '--crds', 'not/there', '--check'])
    expect(sentenceOf(ended)).toMatch(/not\/there/)
    expect(ended.exitCode).toBe(1)
  })
})
