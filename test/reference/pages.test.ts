import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Anchors } from './markdown.ts'
import { pageAt, pagePaths, root } from './pages.ts'

const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const headingsOf = (page: string) => [...page.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => text.replaceAll('\\', ''))

describe.each(pagePaths)('%s', (path) => {
  it('equals what the code generates', () => {
    expect(read(path), `${path} is out of date: run npm run reference and commit the result`).toBe(pageAt(path))
  })

  it('is the same on a second generation', () => {
    expect(pageAt(path)).toBe(pageAt(path))
  })

  it('has a heading for each of its links', () => {
    const page = pageAt(path)
    const anchors = new Anchors()
    const known = headingsOf(page).map((heading) => `#${anchors.anchorOf(heading)}`)
    const links = [...page.matchAll(/\]\((#[^)]*)\)/g)].map(([, link]) => link)
    expect(links.filter((link) => link === undefined || !known.includes(link))).toEqual([])
  })
})

it('has no page of a removed kind', () => {
  const pages = readdirSync(new URL('docs/reference/', root)).map((name) => `docs/reference/${name}`)
  const isGenerated = (path: string) => read(path).includes('Generated from')
  expect(pages.filter((path) => isGenerated(path) && !pagePaths.includes(path))).toEqual([])
})
