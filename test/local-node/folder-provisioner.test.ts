import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claimFolder } from '../../src/local-node/folder-provisioner.ts'

let parent: string
let folder: string

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'konverge-claim-'))
  folder = join(parent, 'node')
})

afterEach(() => rmSync(parent, { recursive: true, force: true }))

describe('the folder of a node', () => {
  it('belongs to one node at a time', () => {
    const claim = claimFolder(folder)
    expect(() => claimFolder(folder)).toThrow(
      `use ${folder} for a node: it is in use by process ${process.pid}; end it, or choose another folder`,
    )
    claim.release()
    expect(readdirSync(folder)).toEqual([])
    claimFolder(folder).release()
  })

  it.each([
    ['of a process that has ended', JSON.stringify({ pid: 999_999_999, startMark: 'x' })],
    ['of a process whose number another one has now', JSON.stringify({ pid: process.pid, startMark: 'x' })],
    ['that nobody can read', '{'],
  ])('is taken over despite a claim %s', (_, text) => {
    claimFolder(folder).release()
    writeFileSync(join(folder, 'owner.json'), text)
    const claim = claimFolder(folder)
    expect(() => claimFolder(folder)).toThrow(expect.objectContaining({ code: 'FolderInUse' }))
    claim.release()
    expect(existsSync(join(folder, 'owner.json'))).toBe(false)
  })
})
