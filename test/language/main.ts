// Gate for language: `node test/language/main.ts` runs the rules in `.vale/` over the prose of all files. It reports a
// finding in a file that `pending.txt` does not list, and a listed file without findings; `--shrink` removes such files
// from the list. With paths, it prints all findings in those files. First, it tests each rule with the sentences of
// `planted.yaml`.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import { findOrBuildProgram } from '../control-plane/binary-builder.ts'
import { type Finding, judge } from './pending.ts'
import { proseOf } from './prose-of.ts'

const root = join(import.meta.dirname, '../..')
const pendingFile = join(import.meta.dirname, 'pending.txt')
/** Largest number of printed findings. */
const shownFindings = 200

const { values, positionals } = parseArgs({
  options: { shrink: { type: 'boolean', default: false } },
  allowPositionals: true,
})
process.exitCode = await main(positionals)

async function main(paths: readonly string[]): Promise<number> {
  if (spawnSync('go', ['version']).status !== 0) {
    process.stderr.write('language: install Go 1.26 or newer; the prose linter Vale is built with it\n')
    return 1
  }
  const vale = await findOrBuildProgram('vale', process.env)
  const silent = silentRules(vale)
  for (const line of silent) process.stdout.write(`${line}\n`)
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...paths], {
    cwd: root,
    encoding: 'utf8',
  })
  const findings = findingsOf(
    vale,
    files
      .split('\n')
      .filter((path) => path !== '' && existsSync(join(root, path)))
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
  )
  const pending = readFileSync(pendingFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  const isWhole = paths.length === 0
  const { errors, done } = judge({ findings, pending: isWhole ? pending : [] })
  if (values.shrink) {
    writeFileSync(
      pendingFile,
      pending
        .filter((path) => !done.includes(path))
        .map((path) => `${path}\n`)
        .join(''),
    )
    return 0
  }
  for (const { path, line, column, rule, message } of errors.slice(0, shownFindings))
    process.stdout.write(`${path}:${line}:${column}: ${message} (${rule})\n`)
  for (const path of done)
    process.stdout.write(`${path} has no findings any more: run node test/language/main.ts --shrink\n`)
  process.stdout.write(`language: ${errors.length} findings to correct, ${pending.length} files pending\n`)
  return errors.length + done.length + silent.length === 0 ? 0 : 1
}

interface Text {
  readonly path: string
  readonly text: string
}

/** Finding in Vale's JSON output. */
interface ValeFinding {
  readonly Check: string
  readonly Line: number
  readonly Span: readonly [number, number]
  readonly Message: string
}

function findingsOf(vale: string, texts: readonly Text[]): readonly Finding[] {
  const folder = mkdtempSync(join(tmpdir(), 'konverge-language-'))
  try {
    for (const { path, text } of texts) {
      const prose = proseOf(path, text)
      if (prose === undefined) continue
      const file = join(folder, path.endsWith('.md') ? path : `${path}.txt`)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, prose)
    }
    const options = ['--no-global', `--config=${join(root, '.vale.ini')}`, '--output=JSON', '--no-exit', '.']
    const output = execFileSync(vale, options, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 30 })
    const found: Readonly<Record<string, readonly ValeFinding[]>> = JSON.parse(output)
    return Object.entries(found).flatMap(([file, list]) =>
      list.map(({ Check: rule, Line: line, Span: [column], Message: message }) => ({
        path: file.replace(/\.txt$/, ''),
        line,
        column,
        rule,
        message,
      })),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Sentences that a rule must find, and sentences that it must not find. */
interface Planted {
  readonly bad: readonly string[]
  readonly good: readonly string[]
}

/** Returns one line for each planted sentence with the wrong verdict. */
function silentRules(vale: string): readonly string[] {
  const planted: Readonly<Record<string, Planted>> = parse(
    readFileSync(join(import.meta.dirname, 'planted.yaml'), 'utf8'),
  )
  const cases = Object.entries(planted).flatMap(([rule, { bad, good }]) => [
    ...bad.map((text) => ({ rule, text, isBad: true })),
    ...good.map((text) => ({ rule, text, isBad: false })),
  ])
  const pathOf = (rule: string, at: number): string => `${at}${rule.endsWith('.Sentences') ? '.md' : ''}`
  const texts = cases.map(({ rule, text }, at) => ({ path: pathOf(rule, at), text: `${text}\n` }))
  const findings = findingsOf(vale, texts)
  return cases.flatMap(({ rule, text, isBad }, at) => {
    const isFound = findings.some((finding) => finding.path === pathOf(rule, at) && finding.rule === rule)
    return isFound === isBad ? [] : [`planted.yaml: ${rule} ${isBad ? 'does not find' : 'finds'} "${text}"`]
  })
}
