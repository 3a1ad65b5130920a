// Names that a reader could fetch. Invariant: no doc, comment, message or example leads to a package or image whose
// name a stranger could register. konverge itself is not published: docs/decisions/0012-a-release-has-a-scope.md.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ownImage } from '../src/cli/own-image.ts'

const root = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** Files that people read or run: all but tests and recorded responses. */
const folders = ['.ci', 'alerts', 'bench', 'constructs', 'crds', 'docs', 'examples', 'imports', 'src']
const files = [
  ...readdirSync(root),
  ...folders.flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  ),
]
  .filter((path) => /\.(?:md|ts|mjs|json|ya?ml)$|(?:^|\/)Dockerfile$/.test(path))
  .filter((path) => !/^(?:package-lock\.json$|src\/apiserver\/built-in\/data\/)/.test(path))

interface Manifest {
  readonly private?: boolean
  readonly dependencies: object
  readonly peerDependencies: object
  readonly devDependencies: object
}

const manifest = JSON.parse(read('package.json')) as Manifest // The project's own file, which npm reads.
const knownPackages = new Set(
  [manifest.dependencies, manifest.peerDependencies, manifest.devDependencies].flatMap((of) => Object.keys(of)),
)

/** Commands that download a program by name and run it. `npm exec --no` never does. */
const downloads = /\b(?:npx|bunx|(?:pnpm|yarn) dlx|(?:npm|pnpm) (?:exec|x|create|init))\b(?! --no\b)/

/** Returns the packages of each `npm install` in a text, without versions. */
function installed(text: string): readonly string[] {
  return [
    ...text.matchAll(
      /\b(?:npm|pnpm|yarn) (?:install|i|add)\b((?: +(?:--?[\w-]+(?: \/\S+)?|@?[\w-]+(?:[/@][\w.^-]+)*))*)/g,
    ),
  ]
    .flatMap(([, words = '']) => words.trim().split(/ +/))
    .filter((word) => word !== '' && !/^(?:-|\/)/.test(word))
    .map((word) => word.replace(/(?<=.)@.*$/, ''))
}

/** Returns the image references in places of a text that name images. */
function imagesIn(text: string): readonly string[] {
  const places =
    /(?:\bimage: *|--image[= ]|^FROM |--from=|docker build -t |docker-image )["'`]?([a-z0-9][\w./-]*(?::[\w.${}()<>-]+)?(?:@sha256:\w+)?)/gm
  return [...text.matchAll(places)].map(([, image = '']) => image).filter((image) => /[/:]/.test(image))
}

/** Docker's own library, projects' own organisations, names that RFC 2606 reserves, and the host's own store. */
const ownedImages =
  /^(?:(?:postgres|node|nginx|busybox)(?::|@|$)|valkey\/valkey(?::|@|$)|gcr\.io\/distroless\/|registry\.example(?:\.com)?(?::\d+)?\/|localhost\/)/

describe('docs, examples and code', () => {
  it('is found', () => {
    expect(files.length).toBeGreaterThan(800)
    expect(files).toEqual(expect.arrayContaining(['README.md', 'docs/installing.md', 'src/cli/main.ts', 'cdk8s.yaml']))
  })

  it('runs no program by a command that may fetch it from a registry', () => {
    const lines = files.flatMap((path) =>
      read(path)
        .split('\n')
        .filter((line) => downloads.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    )
    expect(lines).toEqual([])
  })

  it('installs only packages that this one depends on', () => {
    const unknown = files.flatMap((path) =>
      installed(read(path))
        .filter((name) => !knownPackages.has(name))
        .map((name) => `${path}: ${name}`),
    )
    expect(unknown).toEqual([])
  })

  it('names only images whose names have an owner', () => {
    const unowned = files.flatMap((path) =>
      imagesIn(read(path))
        .filter((image) => !ownedImages.test(image))
        .map((image) => `${path}: ${image}`),
    )
    expect(unowned).toEqual([])
  })
})

describe('the check of names', () => {
  it.each(['npx konverge run', 'bunx konverge', 'npm exec konverge', 'npm init konverge', 'yarn dlx konverge'])(
    'finds %j',
    (text) => {
      expect(downloads.test(text)).toBe(true)
    },
  )

  it.each(['npm exec --no -- vitest run', 'npm run -s konverge -- run', 'npm start'])('passes %j', (text) => {
    expect(downloads.test(text)).toBe(false)
  })

  it('reads the packages of an install', () => {
    const text = 'npm install --prefix /aws @aws-sdk/client-s3@3 konverge, then `npm i konverge@latest` or npm ci'
    expect(installed(text)).toEqual(['@aws-sdk/client-s3', 'konverge', 'konverge'])
  })

  it('reads images in each place that names one', () => {
    const text = `FROM node:24-slim AS build
COPY --from=konverge:0.1.0 /app /app
    image: 'quay.io/konverge/konverge:1'
    docker build -t konverge:0.1.0 -f Dockerfile .
    --image registry.example/konverge:1`
    expect(imagesIn(text)).toEqual([
      ...['node:24-slim', 'konverge:0.1.0', 'quay.io/konverge/konverge:1', 'konverge:0.1.0'],
      'registry.example/konverge:1',
    ])
    expect(imagesIn(text).filter((image) => !ownedImages.test(image))).toHaveLength(3)
  })
})

it('the image of an installation comes from no registry', () => {
  expect(ownImage()).toMatch(/^localhost\/konverge:/)
  const defaults = files.flatMap((path) =>
    [...read(path).matchAll(/["'`]konverge:(?!\/\/)\S*["'`]/g)].map(([text]) => `${path}: ${text}`),
  )
  expect(defaults).toEqual([])
})

it('the package cannot be published by accident', () => {
  expect(manifest.private).toBe(true)
})
