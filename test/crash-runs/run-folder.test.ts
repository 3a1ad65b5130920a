// Continuation of interrupted crash runs. Invariant: only runs of the same draw are continued.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { newRunFiles, openRunFolder, passedIn, runsIn } from './run-folder.ts'

const run = { workflow: 'database', version: 15, key: 'database@15:3', title: 'dieBefore', struck: 1, ms: 500 }
const draw = { kind: 'drawn', runs: 100, seed: 7 } as const
const all = { draw, only: undefined }

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'konverge-run-folder-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

it('a folder has the runs of all processes, and new files for the next ones', () => {
  const folder = newFolder()
  expect(openRunFolder(folder, all)).toBeUndefined()
  const [first = '', second = ''] = newRunFiles(folder, 2)
  writeFileSync(first, `${JSON.stringify({ ...run, nth: 1 })}\n${JSON.stringify({ ...run, nth: 2, error: 'no' })}\n`)
  writeFileSync(second, `${JSON.stringify({ ...run, nth: 3 })}\n{"workflow":"data`)
  expect(openRunFolder(folder, all)).toBeUndefined()
  const [third = ''] = newRunFiles(folder, 1)
  expect(readFileSync(third, 'utf8')).toBe('')
  appendFileSync(third, `${JSON.stringify({ ...run, nth: 2 })}\n`)
  const runs = runsIn(folder)
  expect(runs.map(({ nth, error }) => [nth, error])).toEqual([
    [1, undefined],
    [2, 'no'],
    [3, undefined],
    [2, undefined],
  ])
  expect(passedIn(runs.slice(0, 3))).toEqual(new Set([1, 3]))
  expect(passedIn(runs)).toEqual(new Set([1, 2, 3]))
})

it('a folder rejects runs of another draw, and runs that are not drawn', () => {
  const folder = newFolder()
  expect(openRunFolder(folder, all)).toBeUndefined()
  expect(openRunFolder(folder, { draw: { ...draw, seed: 8 }, only: undefined })).toBe(
    `${folder} has the runs of {"draw":{"kind":"drawn","runs":100,"seed":7}}: name another folder`,
  )
  expect(openRunFolder(folder, { draw, only: ['database'] })).toMatch(/name another folder/)
  const every = { draw: { kind: 'every' }, only: undefined } as const
  const other = newFolder()
  expect(openRunFolder(other, every)).toBeUndefined()
  expect(openRunFolder(other, every)).toMatch(/only runs that are drawn by a seed are gone on with/)
})
